//! A note for people.

use legwork_core::Part;
use legwork_port::{AppMessage, Profile};
use serde::{Deserialize, Serialize};

/// A note in the conversation that no model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The text.
    pub text: String,
}

impl AppMessage for Note {
    const KIND: &'static str = "note";

    fn render(&self, _: &Profile) -> Option<Vec<Part>> {
        None
    }
}

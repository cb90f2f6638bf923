//! What was said, and the turns in which it was.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::error::ErrorRecord;
use crate::message::Message;
use crate::time::Timestamp;

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Who said it.
    pub speaker: Arc<str>,
    /// What was said.
    pub message: Arc<Message>,
}

/// One step of a conversation: somebody has the floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its number; the first is 1.
    pub number: u32,
    /// Who has the floor.
    pub speaker: Arc<str>,
    /// When it began.
    pub started_at: Timestamp,
    /// How many lines of the transcript the speaker was given.
    pub input_cut: usize,
    /// What was said; none if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// Which execution of the speaker's session it was, if that is an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<u64>,
    /// Whom the speaker gave the floor to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Arc<str>>,
    /// Whether the speaker says that the goal is reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concludes: bool,
    /// What it used.
    pub used: Amounts,
    /// What went wrong in it: these errors are the speaker's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorRecord>,
}

impl Turn {
    /// The text of what was said; empty if nothing was.
    pub fn text(&self) -> String {
        self.message.as_ref().map_or_else(String::new, |message| message.text())
    }
}

//! The turns of a conversation, and their lines.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::error::ErrorRecord;
use crate::message::Message;
use crate::time::Timestamp;

/// A line of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The name of the speaker.
    pub speaker: Arc<str>,
    /// What the speaker said.
    pub message: Arc<Message>,
}

/// A turn: one step of a conversation, in which one participant speaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The number of the turn; the first is 1.
    pub number: u32,
    /// The name of the speaker.
    pub speaker: Arc<str>,
    /// When it began.
    pub started_at: Timestamp,
    /// How many lines of the transcript the speaker was given.
    pub input_cut: usize,
    /// The message; none if the speaker said nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// The number of the execution in the speaker's session, if the speaker is an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<u64>,
    /// The next speaker, if this one named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Arc<str>>,
    /// Whether the speaker says that the goal is reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concludes: bool,
    /// What the turn used.
    pub used: Amounts,
    /// The errors of the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorRecord>,
}

impl Turn {
    /// The text of the message; empty if there is none.
    pub fn text(&self) -> String {
        self.message.as_ref().map_or_else(String::new, |message| message.text())
    }
}

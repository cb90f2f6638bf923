//! What everybody else leaves for a session to take up.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Seq;
use crate::message::{Malformed, Message};
use crate::transcript::Transcript;

/// The number of an inbox item in its session; the first is 1.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Cursor(pub u64);

/// Something that a session shall take up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Item {
    /// A message for the very next inference.
    Steer(Arc<Message>),
    /// A message for when the agent would otherwise stop.
    FollowUp(Arc<Message>),
    /// Stop the execution, for a reason in words.
    Stop(String),
    /// An answer to something that is pending.
    Answer(Answer),
    /// A label for an entry.
    Label(Label),
    /// Move the head to an entry.
    MoveHead(Seq),
}

impl Item {
    /// Whether it can be taken up anywhere: a message holds no call and no result, for what
    /// is said between steps is no exchange with a tool.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Malformed> {
        match self {
            Self::Steer(message) | Self::FollowUp(message) => Transcript::check([message]),
            _ => Ok(()),
        }
    }
}

/// A label on an entry; without text it is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    /// The entry labelled.
    pub entry: Seq,
    /// The label, or none to remove it.
    pub text: Option<String>,
}

/// An answer to a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The effect asked about, as [`Pending::id`](crate::state::Pending) shows it.
    pub id: String,
    /// What the person decided.
    pub verdict: Verdict,
}

/// What a person may decide about a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Run it again although it may have happened.
    RunAgain,
    /// Tell the model that it was interrupted.
    Tell,
    /// Take this as its result.
    Supply(Value),
}

/// An item with its number and key, as a store hands it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posted {
    /// Its number in the session's inbox.
    pub cursor: Cursor,
    /// The sender's key; the same key is taken once.
    pub key: String,
    /// What is to be taken up.
    pub item: Item,
}

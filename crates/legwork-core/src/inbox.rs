//! The inbox: items that others post to a session, which its next run takes up.

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

/// An item of the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Item {
    /// A message for the next inference.
    Steer(Arc<Message>),
    /// A message for the point at which the agent would otherwise stop.
    FollowUp(Arc<Message>),
    /// A request to stop the execution, with a reason in words.
    Stop(String),
    /// An answer to a pending call.
    Answer(Answer),
    /// A label for an entry.
    Label(Label),
    /// A request to move the head to an entry.
    MoveHead(Seq),
}

impl Item {
    /// Checks that a message in it is complete by itself: it has no tool call and no result.
    ///
    /// # Errors
    /// The first part that fails the check.
    pub fn check(&self) -> Result<(), Malformed> {
        match self {
            Self::Steer(message) | Self::FollowUp(message) => Transcript::check([message]),
            _ => Ok(()),
        }
    }
}

/// A label of an entry, or its removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    /// The number of the entry.
    pub entry: Seq,
    /// The label; none removes it.
    pub text: Option<String>,
}

/// An answer to a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The [`Pending::id`](crate::state::Pending::id) of the call.
    pub id: String,
    /// What to do with the call.
    pub verdict: Verdict,
}

/// A person's decision about a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Run it again, although it may have happened.
    RunAgain,
    /// Report to the model that it was interrupted.
    Tell,
    /// Use this value as its result.
    Supply(Value),
}

/// An item with its number and key, as a store returns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posted {
    /// Its number in the session's inbox.
    pub cursor: Cursor,
    /// The sender's key; a second item with the same key is not stored.
    pub key: String,
    /// The item as it was posted.
    pub item: Item,
}

//! Calls that go on after their request was answered.

use legwork_core::Timestamp;

use crate::question::Questions;
use crate::service::Reply;

/// A call that goes on after its request was answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id. Any client that has it may ask for the task.
    pub id: String,
    /// When it began.
    pub created: Timestamp,
    /// When it changed last.
    pub updated: Timestamp,
    /// How it stands.
    pub status: Status,
}

impl Task {
    /// A task.
    pub fn new(
        id: impl Into<String>,
        created: Timestamp,
        updated: Timestamp,
        status: Status,
    ) -> Self {
        Self { id: id.into(), created, updated, status }
    }
}

/// How a task stands.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Status {
    /// It is worked on, or waits for a time.
    Working(String),
    /// A person has to answer first.
    Asks(Questions),
    /// It is done, or failed in a way that the model of the client should know.
    Done(Reply),
    /// It failed in a way that is none of the model's concern.
    Failed(String),
    /// It was cancelled.
    Cancelled,
}

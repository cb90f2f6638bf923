//! The summary of a session, for lists.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, SessionId};
use crate::inbox::Cursor;
use crate::message::{Message, Role};
use crate::status::ExecutionStatus;
use crate::time::Timestamp;

/// The maximum length of a title, in characters.
const TITLE: usize = 100;

/// The summary of a session: a small fold over its journal that rarely changes.
///
/// The runtime passes it to the store with the entries that changed it, so that a store can
/// list sessions without reading journals.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Summary {
    /// The agent that works in it; none before its first entry.
    pub agent: Option<AgentId>,
    /// The session that spawned it; none if it is not a subagent's.
    pub parent: Option<SessionId>,
    /// The status of the latest execution on the path to the head; none before the first.
    pub status: Option<ExecutionStatus>,
    /// The title that was given to it; else the first line of the first user message. It is cut
    /// after 100 characters.
    pub title: String,
    /// The labels of its entries.
    pub labels: BTreeSet<String>,
    /// The number of steps of all executions, when another field last changed.
    ///
    /// A step alone does not update it: while an execution is in progress there may be more.
    pub steps: u64,
    /// The last inbox item that the journal took up.
    pub taken: Cursor,
    /// When the session has work to do by itself; none if it waits for input or an answer.
    ///
    /// A time in the past for an execution that is in progress and for a message that is queued,
    /// so such a session has work to do whenever no process runs it. A later time if a deferral
    /// or the time to answer a call ends then. A queued message makes no subagent's session due:
    /// only its parent runs it.
    pub due_at: Option<Timestamp>,
}

impl Summary {
    /// Whether all fields but `steps` are equal.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let Self { agent, parent, status, title, labels, steps: _, taken, due_at } = self;
        (agent, parent, status) == (&other.agent, &other.parent, &other.status)
            && (title, labels) == (&other.title, &other.labels)
            && (taken, due_at) == (&other.taken, &other.due_at)
    }
}

/// The title of a session with this input; none without a user message with text.
pub(crate) fn title<'a>(input: impl IntoIterator<Item = &'a Message>) -> Option<String> {
    let users = input.into_iter().filter(|message| message.role == Role::User);
    users.map(Message::text).map(|text| one_line(&text)).find(|line| !line.is_empty())
}

/// The first line of a text that is not empty, as a title.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    line.trim_end().chars().take(TITLE).collect()
}

//! What a list of sessions says of one, without its journal.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, SessionId};
use crate::message::{Message, Role};
use crate::status::ExecutionStatus;

/// Characters of a title, at most.
const TITLE: usize = 100;

/// What a list of sessions says of one: a fold over its journal, small and rarely changed.
///
/// The runtime hands it to the store with the entries that changed it, so that a store lists
/// sessions without reading a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Summary {
    /// The agent that works in it, once it began.
    pub agent: Option<AgentId>,
    /// The session that spawned it; none but of a subagent.
    pub parent: Option<SessionId>,
    /// The status of the latest execution on the path to the head; none before the first.
    pub status: Option<ExecutionStatus>,
    /// The first line of the first text that a user gave it, cut after 100 characters.
    pub title: String,
    /// The texts of the labels that its entries have.
    pub labels: BTreeSet<String>,
    /// How many steps it made, all executions together, when any of the others last changed.
    ///
    /// A step changes no summary: while an execution is in progress there may be more.
    pub steps: u64,
}

impl Summary {
    /// Whether both say the same, however many steps they know of.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let Self { agent, parent, status, title, labels, steps: _ } = self;
        (agent, parent, status) == (&other.agent, &other.parent, &other.status)
            && (title, labels) == (&other.title, &other.labels)
    }
}

/// The title that the input of an execution gives its session; none without a user's text.
pub(crate) fn title<'a>(input: impl IntoIterator<Item = &'a Message>) -> Option<String> {
    let users = input.into_iter().filter(|message| message.role == Role::User);
    users.map(Message::text).find_map(|text| {
        let line = text.trim_start().lines().next()?.trim_end();
        Some(line.chars().take(TITLE).collect())
    })
}

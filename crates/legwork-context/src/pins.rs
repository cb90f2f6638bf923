//! Which messages are pinned: no transform leaves them out, and no compaction.

use std::sync::Arc;

use legwork_core::message::Role;
use legwork_core::{AgentState, Message, Seq};
use serde_json::Value;

pub use legwork_core::metadata::PINNED;

/// The same message, pinned.
#[must_use]
pub fn pinned(message: Message) -> Message {
    message.with_metadata(PINNED, Value::Bool(true))
}

/// The pinned entries of a conversation, as its metadata name them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pins(Option<Value>);

impl Pins {
    pub(crate) fn of(state: &AgentState) -> Self {
        Self(state.context().metadata.get(PINNED).cloned())
    }

    pub(crate) fn is_same(&self, state: &AgentState) -> bool {
        self.0.as_ref() == state.context().metadata.get(PINNED)
    }

    /// Whether a message of an entry is pinned.
    pub(crate) fn has(&self, entry: Option<Seq>, message: &Arc<Message>) -> bool {
        let is_listed = |list: &Vec<Value>| {
            entry.is_some_and(|entry| list.iter().any(|one| one.as_u64() == Some(entry.0)))
        };
        let is_own = message.role == Role::User || message.role == Role::Assistant;
        is_own && message.metadata.get(PINNED) == Some(&Value::Bool(true))
            || self.0.as_ref().and_then(Value::as_array).is_some_and(is_listed)
    }
}

//! What is kept, with what the step under way wrote.

use std::collections::BTreeMap;

use legwork_core::AgentState;
use serde::Deserialize;
use serde_json::Value;

use super::tools::{REMOVE, WRITE};
use crate::capability::writes::{self, Seen};

/// What the model may say of a value: which key, and what to put there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    #[serde(default)]
    pub(super) key: String,
    /// Missing is null.
    #[serde(default)]
    pub(super) value: Value,
}

/// What the step under way changed, by key; none = removed.
pub(super) fn changes(state: &AgentState) -> BTreeMap<String, Option<Value>> {
    let calls = writes::of(state, &[WRITE, REMOVE]).into_iter();
    let change = |(tool, arguments): (String, Value)| {
        let Arguments { key, value } = serde_json::from_value(arguments).ok()?;
        Some((key, (tool == WRITE).then_some(value)))
    };
    calls.filter_map(change).collect()
}

/// The metadata as a call sees them: those of the session, with what the calls before it in
/// its turn changed.
pub(super) fn seen(
    turn: &Seen<BTreeMap<String, Value>>,
    state: &AgentState,
    before: u32,
) -> BTreeMap<String, Value> {
    let begin = || (*state.context().metadata).clone();
    turn.before(before, state, &[WRITE, REMOVE], begin, |all, tool, arguments| {
        let Ok(Arguments { key, value }) = serde_json::from_value(arguments) else { return };
        match tool == WRITE {
            true => all.insert(key, value),
            false => all.remove(&key),
        };
    })
}

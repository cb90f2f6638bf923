//! What the tools of a capability wrote in the step under way, told by the journal alone.
//!
//! A tool cannot change the state that it is given. So tools that keep something in the
//! session's metadata only check what they are asked and answer; a hook on `step_end` puts
//! it there, made of the calls that the journal holds: their arguments, and that they ran
//! and succeeded. Doing it twice comes out the same, as hooks after a crash must. Until
//! the step ends, a tool that runs alone sees what the calls before it in the turn wrote
//! by the same rule.

use legwork_core::AgentState;
use legwork_core::state::CallSlot;
use serde_json::Value;

/// The calls of these tools in the step under way that ran and succeeded, in call order,
/// with the arguments they ran with; only those before a call, if one is named.
pub(super) fn of(state: &AgentState, tools: &[&str], before: Option<u32>) -> Vec<(String, Value)> {
    let Some(step) = state.current_step() else { return Vec::new() };
    let most = before.map_or(usize::MAX, |index| index as usize);
    let wrote = |slot: &&CallSlot| tools.contains(&&*slot.call.name) && succeeded(slot);
    let calls = step.calls.iter().take(most).filter(wrote);
    calls.filter_map(|slot| Some((slot.call.name.to_string(), arguments(slot)?))).collect()
}

/// Whether a call ran, not only was answered by a hook, and succeeded.
fn succeeded(slot: &CallSlot) -> bool {
    let ran = slot.execution().filter(|execution| execution.effect.is_some());
    ran.is_some_and(|execution| execution.outcome.is_ok())
}

fn arguments(slot: &CallSlot) -> Option<Value> {
    match slot.arguments().trim() {
        // A call without arguments may come with none at all.
        "" => Some(Value::Object(serde_json::Map::new())),
        text => serde_json::from_str(text).ok(),
    }
}

//! What the tools of a capability wrote in the step under way, known from the journal alone.
//!
//! A tool cannot change the state that it is given. So tools that keep something in the
//! session's metadata only check what they are asked and answer; a hook on `step_end` puts
//! it there, made of the calls that the journal holds: their arguments, and that they ran
//! and succeeded. Doing it twice comes out the same, as hooks after a crash must. Until
//! the step ends, a tool that runs alone sees what the calls before it in the turn wrote
//! by the same rule.

use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::AgentState;
use legwork_core::state::{CallSlot, Calls};
use legwork_core::tool::ToolExecution;
use serde_json::Value;

/// The calls of these tools in the step under way that ran and succeeded, in call order,
/// with the arguments they ran with.
pub(super) fn of(state: &AgentState, tools: &[&str]) -> Vec<(String, Value)> {
    let calls = state.current_step().into_iter().flat_map(|step| step.calls.iter());
    let wrote = calls.filter_map(|slot| Some((slot.call.name.to_string(), wrote(slot, tools)?)));
    wrote.collect()
}

/// The arguments of a call of these tools that ran, not only was answered by a hook, and
/// succeeded.
fn wrote(slot: &CallSlot, tools: &[&str]) -> Option<Value> {
    let execution = slot.execution().filter(|_| tools.contains(&&*slot.call.name))?;
    let succeeded = execution.effect.is_some() && execution.outcome.is_ok();
    succeeded.then(|| arguments(slot)).flatten()
}

/// What the calls of a turn wrote, as one of them sees it: kept for the calls behind it, so
/// that each is read once.
#[derive(Debug)]
pub(super) struct Seen<T>(Mutex<Option<Upto<T>>>);

/// What the first calls of a turn amount to.
#[derive(Debug)]
struct Upto<T> {
    count: usize,
    /// The last of them: it says which calls these are.
    last: Arc<ToolExecution>,
    value: T,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Upto<T> {
    fn is_of(&self, calls: &Calls) -> bool {
        let last = self.count.checked_sub(1).and_then(|at| calls.get(at)?.execution());
        last.is_some_and(|last| Arc::ptr_eq(last, &self.last))
    }
}

impl<T: Clone> Seen<T> {
    /// What the calls of these tools before a call make of what there was before the turn.
    pub(super) fn before(
        &self,
        call: u32,
        state: &AgentState,
        tools: &[&str],
        begin: impl FnOnce() -> T,
        mut take: impl FnMut(&mut T, &str, Value),
    ) -> T {
        let Some(step) = state.current_step() else { return begin() };
        let mut take = |value: &mut T, slot: &CallSlot| {
            if let Some(arguments) = wrote(slot, tools) {
                take(value, &slot.call.name, arguments);
            }
        };
        let (calls, index) = (&step.calls, call as usize);
        let slot = |at: usize| calls.get(at).filter(|_| at < index);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.take().filter(|upto| upto.count <= index && upto.is_of(calls));
        let known = known.map(|Upto { count, last, value }| (count, Some(last), value));
        let (mut count, mut last, mut value) = known.unwrap_or_else(|| (0, None, begin()));
        while let Some((slot, execution)) = slot(count).and_then(|s| Some((s, s.execution()?))) {
            take(&mut value, slot);
            (count, last) = (count + 1, Some(Arc::clone(execution)));
        }
        *kept = last.map(|last| Upto { count, last, value: value.clone() });
        drop(kept);
        // Calls that run in parallel with it are not answered yet, and few.
        (count..index).filter_map(slot).for_each(|slot| take(&mut value, slot));
        value
    }
}

fn arguments(slot: &CallSlot) -> Option<Value> {
    match slot.arguments().trim() {
        // A call without arguments may come with none at all.
        "" => Some(Value::Object(serde_json::Map::new())),
        text => serde_json::from_str(text).ok(),
    }
}

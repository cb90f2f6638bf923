//! What a lifecycle may change at each point of an execution, and what is let in.

use legwork_core::state::Mark;
use legwork_core::{AgentState, ErrorKind};
use legwork_port::Trigger;

/// What may change while an execution runs: messages, metadata, prompt, model and limits,
/// a request to stop, an error.
const STATE: [&str; 5] = ["message_added", "metadata_set", "defined", "stop_raised", "failed"];

/// What may change while something else is being judged.
const NOTES: [&str; 3] = ["metadata_set", "stop_raised", "failed"];

/// The changes that a hook may make at a point: types of events and transient parts of the
/// state, as rule S2.3 has them.
pub fn allowed(trigger: Trigger) -> Vec<&'static str> {
    let with = |base: &[&'static str], more: &[&'static str]| [base, more].concat();
    match trigger {
        Trigger::ExecutionStart => with(&STATE, &[]),
        Trigger::StepStart => with(&STATE, &["tool_selection"]),
        Trigger::BeforeInference => with(&NOTES, &["pending_request"]),
        Trigger::AfterInference => with(&NOTES, &["response_changed"]),
        Trigger::BeforeToolUse => with(&NOTES, &["pending_tool_call"]),
        Trigger::AfterToolUse => with(&NOTES, &["tool_changed"]),
        Trigger::Error | Trigger::StepEnd => with(&STATE, &["votes"]),
        Trigger::BeforeStop => with(&STATE, &["stop_prevented"]),
        // The final status is set: nothing can be asked to stop any more.
        Trigger::ExecutionEnd => vec!["message_added", "metadata_set", "defined", "failed"],
    }
}

/// Who hands a state back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Core, which makes outcomes: held to the lineage alone.
    Core,
    /// Anybody else: held to what the point allows, too.
    Guest,
}

/// Why what was handed back is left out.
pub(crate) struct Refused {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

/// Lets a state in that extends the one handed out and changed only what it may.
pub(crate) fn admit(
    rights: Rights,
    trigger: Trigger,
    (before, mark): (&AgentState, &Mark),
    after: AgentState,
) -> Result<AgentState, Refused> {
    if after.is_same(before) {
        return Ok(after);
    }
    if !after.extends(mark) {
        let message = "handed back a state that does not extend the one it was given: its \
                       change is left out; return what was given, changed only by transitions";
        return Err(Refused { kind: ErrorKind::Lineage, message: message.to_owned() });
    }
    if rights == Rights::Core {
        return Ok(after);
    }
    let may = allowed(trigger);
    let changes = after.changes_since(before);
    let mut beyond: Vec<_> =
        changes.iter().map(|c| c.name()).filter(|c| !may.contains(c)).collect();
    if beyond.is_empty() {
        return Ok(after);
    }
    beyond.dedup();
    let message = format!(
        "changed {} on {}, where that is not allowed: its change is left out; allowed there: {}",
        beyond.join(", "),
        trigger.name(),
        may.join(", ")
    );
    Err(Refused { kind: ErrorKind::NotAllowed, message })
}

//! What a lifecycle may change at each point of an execution, and what is let in.

use std::sync::Arc;

use legwork_core::event::Event;
use legwork_core::state::{CallVerdict, Change, CurrentToolCall, ProposedCompaction};
use legwork_core::{AgentState, ErrorKind, ModelRequest};
use legwork_port::Trigger;

/// What may change while an execution runs: messages, metadata, prompt, model and limits,
/// a request to stop, an error.
const STATE: [&str; 5] = ["message_added", "metadata_set", "defined", "stop_raised", "failed"];

/// What may change while something else is being judged.
const NOTES: [&str; 3] = ["metadata_set", "stop_raised", "failed"];

/// The changes that a hook may make at a point: types of events and transient parts of the
/// state.
///
/// What others of the point decided stands all the same: a request that is about to be
/// sent and a call that is judged may be changed but not taken away, a call that was
/// blocked stays blocked, votes stay, and a result is changed only while it is shown.
pub fn allowed(trigger: Trigger) -> Vec<&'static str> {
    let with = |base: &[&'static str], more: &[&'static str]| [base, more].concat();
    match trigger {
        Trigger::ExecutionStart => with(&STATE, &[]),
        Trigger::StepStart => with(&STATE, &["tool_selection"]),
        Trigger::BeforeCompaction => with(&NOTES, &["proposed_compaction"]),
        Trigger::BeforeInference => with(&NOTES, &["current_request"]),
        Trigger::AfterInference => with(&NOTES, &["response_changed"]),
        Trigger::BeforeToolUse => with(&NOTES, &["current_tool_call"]),
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
    /// Core, which makes outcomes: held to the lineage and to what can be journaled.
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
    before: &AgentState,
    after: AgentState,
) -> Result<AgentState, Refused> {
    if after.is_same(before) {
        return Ok(after);
    }
    if !after.extends(&before.mark()) {
        let message = "handed back a state that does not extend the one it was given: its \
                       change is left out; return what was given, changed only by transitions";
        return Err(Refused { kind: ErrorKind::Lineage, message: message.to_owned() });
    }
    if let Err(refusal) = after.check_since(before) {
        let message = format!("changed what cannot stand: {refusal}; its change is left out");
        return Err(Refused { kind: ErrorKind::NotAllowed, message });
    }
    if rights == Rights::Core {
        return Ok(after);
    }
    let changes = after.changes_since(before);
    match beyond(trigger, &changes).or_else(|| undone(before, &after, &changes)) {
        Some(message) => Err(Refused { kind: ErrorKind::NotAllowed, message }),
        None => Ok(after),
    }
}

/// What was changed that may not change at this point.
fn beyond(trigger: Trigger, changes: &[Change<'_>]) -> Option<String> {
    let may = allowed(trigger);
    let mut beyond: Vec<_> = changes.iter().map(name).filter(|name| !may.contains(name)).collect();
    if beyond.is_empty() {
        return None;
    }
    beyond.dedup();
    Some(format!(
        "changed {} on {}, where that is not allowed: its change is left out; allowed there: {}",
        beyond.join(", "),
        trigger.name(),
        may.join(", ")
    ))
}

/// What changed, in a word. That a stop was prevented is said in the state; its entry, which
/// has the same word, is the loop's alone.
fn name<'c>(change: &'c Change<'_>) -> &'c str {
    match change {
        Change::Recorded(Event::StopPrevented(_)) => "an entry of stop_prevented",
        change => change.name(),
    }
}

/// What somebody else decided and was undone by a change that is allowed as such.
fn undone(before: &AgentState, after: &AgentState, changes: &[Change<'_>]) -> Option<String> {
    let what = changes.iter().find_map(|change| match change {
        Change::Request => undone_request(
            before.current_request().map(|request| &**request),
            after.current_request().map(|request| &**request),
        ),
        Change::Compaction => undone_compaction(
            before.proposed_compaction().map(|proposed| &**proposed),
            after.proposed_compaction().map(|proposed| &**proposed),
        ),
        Change::ToolCall => {
            undone_call(before.current_tool_call(), after.current_tool_call().map(|call| &**call))
        }
        Change::Votes => (!after.votes().starts_with(before.votes()))
            .then_some("took away a vote that others had given"),
        Change::StopPrevented => {
            after.stop_prevented().is_none().then_some("took back that others prevented the stop")
        }
        Change::Recorded(Event::ToolChanged(changed)) if !changed.outcome.is_answer() => {
            Some("answered a call with a result that comes later")
        }
        Change::Recorded(Event::ToolChanged(changed)) => (!is_shown(before, changed.index))
            .then_some("changed the result of another call than the one that is shown"),
        _ => None,
    })?;
    Some(format!("{what}: its change is left out"))
}

/// A request stays there, with the tools that the step was given: what the model is shown is
/// what the journal says.
fn undone_request(
    before: Option<&ModelRequest>,
    after: Option<&ModelRequest>,
) -> Option<&'static str> {
    let Some(after) = after else {
        return Some("took away the request that is about to be sent");
    };
    let tools = &before?.tools;
    let same = Arc::ptr_eq(tools, &after.tools) || tools.digest() == after.tools.digest();
    let words = "changed the tools of the request, which a `ToolSelection` does on on_step_start";
    (!same).then_some(words)
}

/// A compaction that was cancelled stays so, and what it keeps is not changed.
fn undone_compaction(
    before: Option<&ProposedCompaction>,
    after: Option<&ProposedCompaction>,
) -> Option<&'static str> {
    let after = after?;
    let Some(before) = before else {
        return Some("proposed a compaction where none is, or where it was cancelled");
    };
    let same = ProposedCompaction {
        focus: before.focus.clone(),
        summary: before.summary.clone(),
        ..after.clone()
    };
    (same != *before).then_some("changed more of the compaction than its summary and focus")
}

/// A call that is judged stays the same call, and blocked where a gate blocked it.
fn undone_call(
    before: Option<&Arc<CurrentToolCall>>,
    after: Option<&CurrentToolCall>,
) -> Option<&'static str> {
    let Some(before) = before else {
        return Some("named a call to be judged where none is");
    };
    let Some(after) = after.filter(|after| after.index == before.index) else {
        return Some("took away the call that is judged");
    };
    if !Arc::ptr_eq(&after.call, &before.call) && after.call != before.call {
        return Some("put another call in the place of the one that is judged");
    }
    let blocked = |call: &CurrentToolCall| matches!(call.verdict, Some(CallVerdict::Block { .. }));
    if blocked(before) && !blocked(after) {
        return Some("reopened a call that was blocked");
    }
    let asked = matches!(before.verdict, Some(CallVerdict::Ask(_)));
    (asked && after.verdict.is_none()).then_some("let a call run that somebody has to approve")
}

/// Whether the result of the call at an index is the one that is shown.
fn is_shown(state: &AgentState, index: u32) -> bool {
    state.current_tool_execution().is_some_and(|shown| shown.index == index)
}

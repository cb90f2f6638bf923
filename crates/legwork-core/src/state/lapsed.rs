//! Calls that wait and need nobody any more, and when time alone ends a wait.

use crate::inbox::{Answer, Verdict};
use crate::pending::{Pending, PendingReason};
use crate::state::{AgentState, CallSlot};
use crate::time::Timestamp;
use crate::tool::ToolOutcome;

/// How often a call asks the model at most.
const PROMPTS: usize = 100;

/// How a wait ends that nobody answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Lapsed {
    /// The call has this outcome.
    Ends(ToolOutcome),
    /// It is as if somebody had given this answer.
    Answered(Answer),
}

impl AgentState {
    /// The calls that wait and need nobody any more, by their index.
    ///
    /// `left` says why the calls of the turn do not run any more, if they do not. With `tell` the
    /// model is told of a call in doubt.
    pub fn lapsed(&self, left: Option<&str>, tell: bool) -> Vec<(u32, Lapsed)> {
        let stopped = !self.stop_signals().is_empty();
        let lapsed = self.pending().iter().filter_map(|pending| {
            let lapsed = match pending.reason {
                PendingReason::Subagent if stopped => Lapsed::Ends(ToolOutcome::Interrupted),
                PendingReason::Doubt if tell || stopped => {
                    Lapsed::Answered(Answer::new(&pending.id, Verdict::Tell))
                }
                PendingReason::Subagent | PendingReason::Doubt => return None,
                _ => self.lapsed_otherwise(pending, left)?,
            };
            Some((pending.index, lapsed))
        });
        lapsed.collect()
    }

    fn lapsed_otherwise(&self, pending: &Pending, left: Option<&str>) -> Option<Lapsed> {
        let (now, slot) = (self.now().wall, self.call(pending.index)?);
        match (left, &pending.reason) {
            // Its body ran before it waited.
            (Some(_), _) if slot.began => Some(Lapsed::Ends(ToolOutcome::Interrupted)),
            (Some(why), _) => Some(Lapsed::Ends(ToolOutcome::Skipped(why.to_owned()))),
            (None, PendingReason::Until(time)) if *time <= now => {
                let again = Answer::new(&pending.id, Verdict::RunAgain);
                Some(Lapsed::Answered(again.by("the clock")))
            }
            (None, _) if pending.is_expired(now) => {
                let until = pending.expires_at.unwrap_or(now);
                let reason = format!("nobody answered until {until}");
                let by = "the time limit".to_owned();
                Some(Lapsed::Ends(ToolOutcome::Denied { by, reason }))
            }
            (None, PendingReason::Model) => asks_no_more(pending, slot).map(Lapsed::Ends),
            _ => None,
        }
    }

    /// When time ends the wait of a call, or the time to answer it; none if nothing has one.
    pub fn next_time(&self) -> Option<Timestamp> {
        let time = |pending: &Pending| match pending.reason {
            PendingReason::Until(time) => Some(time),
            _ => pending.expires_at,
        };
        self.pending().iter().filter_map(time).min()
    }

    /// Whether all calls that wait do so for a time.
    pub fn waits_for_time_alone(&self) -> bool {
        self.pending().iter().all(|pending| matches!(pending.reason, PendingReason::Until(_)))
    }

    /// Whether a call waits for the model: then a run of the session has work to do.
    pub(crate) fn asks_model(&self) -> bool {
        self.pending().iter().any(|pending| pending.prompt().is_some())
    }

    /// Whether the call at an index gave the output of the execution, as far as is known before
    /// that is checked.
    pub fn gave_output(&self, index: u32) -> bool {
        let Some(slot) = self.call(index) else { return false };
        let shown = self.context().tools_shown.as_ref();
        let gives = || {
            let mut specs = shown.iter().flat_map(|shown| &shown.specs);
            specs.any(|spec| spec.is_output && spec.name == slot.call.name)
        };
        slot.execution().is_some_and(|execution| match &*execution.outcome {
            ToolOutcome::Finished(_) => true,
            outcome => outcome.is_ok() && gives(),
        })
    }
}

/// The outcome of a call that cannot ask the model, or has asked it as often as it may.
fn asks_no_more(pending: &Pending, slot: &CallSlot) -> Option<ToolOutcome> {
    if pending.prompt().is_none() {
        return Some(ToolOutcome::failed("the journal does not have what it asks the model"));
    }
    let prompts = slot.supplied.iter().filter(|one| one.request.prompt().is_some()).count();
    let why = || format!("it has asked the model {PROMPTS} times, and asks again");
    (prompts >= PROMPTS).then(|| ToolOutcome::failed(why()))
}

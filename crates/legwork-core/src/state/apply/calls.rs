//! How events change the calls of the current step.

use std::sync::Arc;

use crate::entry::Entry;
use crate::event;
use crate::inbox::{Answer, Verdict};
use crate::inference::Response;
use crate::message::Message;
use crate::pending::Pending;
use crate::state::{CallSlot, CallStatus, Calls, ExecutionState, ExecutionStatus, Inner};
use crate::time::Micros;
use crate::tool::{FailureKind, Metadata, ToolExecution, ToolOutcome};

impl Inner {
    pub(super) fn start_call(&mut self, started: &event::ToolStarted) {
        let event::ToolStarted { index, effect, arguments, child, .. } = started;
        self.in_step(|step| {
            step.calls.change(*index, |slot| {
                if slot.execution().is_some() {
                    return;
                }
                if arguments.is_some() {
                    slot.arguments.clone_from(arguments);
                }
                slot.child.clone_from(child);
                slot.status = CallStatus::Started(*effect);
            });
        });
    }

    pub(super) fn finish_call(&mut self, entry: &Entry, finished: &event::ToolFinished) {
        let Some(slot) = self.step().and_then(|s| s.calls.get(finished.index as usize)) else {
            return;
        };
        if slot.execution().is_some() {
            return;
        }
        let effect = match slot.status {
            CallStatus::Started(effect) => Some(effect),
            _ => None,
        };
        let call = Arc::clone(&slot.call);
        let attempt = self.count_attempt(&call.name, &finished.outcome);
        let execution = ToolExecution {
            call,
            outcome: Arc::clone(&finished.outcome),
            entry: entry.seq,
            completed_at: entry.at,
            took: finished.took,
            attempt,
            effect,
            is_changed: false,
        };
        let index = finished.index;
        self.in_step(|step| {
            step.calls.change(index, |slot| slot.status = CallStatus::Done(Arc::new(execution)));
        });
        self.in_execution(|execution| {
            let waits = |pending: &Pending| pending.index == index;
            if execution.pending.iter().any(waits) {
                remove_pending(execution, waits);
            }
        });
        self.settle_turn();
    }

    /// Appends the results to the transcript once the last call of the turn is answered.
    fn settle_turn(&mut self) {
        let Some(step) = self.step().filter(|step| step.is_answered()).cloned() else { return };
        for execution in step.tool_executions() {
            let message = Arc::new(Message::tool_result(execution.result()));
            self.context.transcript.push(execution.entry, message);
        }
    }

    fn count_attempt(&mut self, tool: &Arc<str>, outcome: &ToolOutcome) -> u32 {
        let Some(execution) = &mut self.execution else { return 1 };
        let before = execution.retries.get(tool).copied().unwrap_or(0);
        let failed = matches!(
            outcome,
            ToolOutcome::Retry(_)
                | ToolOutcome::Failed(
                    FailureKind::InvalidArguments | FailureKind::RetriesExhausted,
                    _
                )
        );
        match (failed, before) {
            _ if !failed && !outcome.is_ok() => {}
            (true, _) => {
                let retries = Arc::make_mut(&mut Arc::make_mut(execution).retries);
                retries.insert(Arc::clone(tool), before.saturating_add(1));
            }
            (false, 0) => {}
            (false, _) => {
                Arc::make_mut(&mut Arc::make_mut(execution).retries).remove(tool);
            }
        }
        before.saturating_add(1)
    }

    pub(super) fn change_outcome(&mut self, changed: &event::ToolChanged) {
        let mut result = None;
        self.in_step(|step| {
            step.calls.change(changed.index, |slot| {
                if let CallStatus::Done(execution) = &mut slot.status {
                    let execution = Arc::make_mut(execution);
                    execution.outcome = Arc::clone(&changed.outcome);
                    execution.is_changed = true;
                    result = Some(execution.result());
                }
            });
        });
        let settled = self.step().filter(|step| step.is_answered()).and_then(|step| {
            let response = step.response.as_ref()?;
            let place = self.context.transcript.position(&response.message, step.input_cut)?;
            Some((place + 1, step.calls.len()))
        });
        let (Some(result), Some((place, count))) = (result, settled) else { return };
        let transcript = &mut self.context.transcript;
        if transcript.replace_result(place + changed.index as usize, result) {
            return;
        }
        // The results are not next to their calls. Later messages stay after them.
        let since = transcript.rewind(place);
        self.settle_turn();
        let transcript = &mut self.context.transcript;
        since.into_iter().skip(count).for_each(|(entry, message)| transcript.push(entry, message));
    }

    pub(super) fn pause(&mut self, paused: &event::Paused) {
        let pending = Arc::new(paused.pending.clone());
        self.in_execution(|execution| {
            execution.status = match pending.is_empty() {
                true => ExecutionStatus::InProgress,
                false => ExecutionStatus::AwaitingApproval,
            };
            execution.pending = pending;
        });
    }

    pub(super) fn answer(&mut self, entry: &Entry, answer: &Answer) {
        let waiting = self.execution.as_ref().and_then(|execution| {
            execution.pending.iter().find(|pending| pending.id == answer.id).cloned()
        });
        let Some(pending) = waiting else { return };
        self.in_execution(|execution| remove_pending(execution, |other| other.id == pending.id));
        let outcome = match &answer.verdict {
            Verdict::RunAgain => {
                return self.in_step(|step| {
                    step.calls.change(pending.index, |slot| slot.status = CallStatus::Ready);
                });
            }
            Verdict::Tell => ToolOutcome::Interrupted,
            Verdict::Supply(value) => ToolOutcome::value(value.clone()),
        };
        let finished = event::ToolFinished {
            index: pending.index,
            outcome: Arc::new(outcome),
            took: Micros::ZERO,
            metadata: Metadata::default(),
            used: crate::budget::Amounts::default(),
        };
        self.finish_call(entry, &finished);
    }
}

/// Removes answered calls; the execution waits until the last is removed.
fn remove_pending(execution: &mut ExecutionState, answered: impl Fn(&Pending) -> bool) {
    Arc::make_mut(&mut execution.pending).retain(|pending| !answered(pending));
    if execution.pending.is_empty() {
        execution.status = ExecutionStatus::InProgress;
    }
}

/// The calls of a response, all of them open.
pub(super) fn slots(response: &Response) -> Calls {
    let slot = |call: &Arc<_>| CallSlot {
        call: Arc::clone(call),
        arguments: None,
        child: None,
        status: CallStatus::Open,
    };
    // Room for no more than these, for they are kept with the session.
    let mut slots = Vec::with_capacity(response.message.tool_calls().count());
    slots.extend(response.message.tool_calls().map(slot));
    slots.into_iter().collect()
}

//! How events change the calls of the current step.

use std::sync::Arc;

use crate::approval::Approval;
use crate::entry::Entry;
use crate::event;
use crate::inbox::{Answer, Verdict};
use crate::inference::Response;
use crate::message::Message;
use crate::pending::{Pending, PendingReason};
use crate::state::{CallSlot, CallStatus, Calls, ExecutionState, ExecutionStatus, Inner};
use crate::time::Micros;
use crate::tool::{FailureKind, Metadata, Supplied, ToolExecution, ToolOutcome};

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
                slot.began = true;
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
            ran_elsewhere: false,
            is_changed: false,
        };
        let index = finished.index;
        let was_pending = self.execution.as_ref().is_some_and(|execution| {
            execution.pending.iter().any(|pending| pending.index == index)
        });
        self.in_step(|step| {
            step.calls.change(index, |slot| slot.status = CallStatus::Done(Arc::new(execution)));
        });
        self.in_execution(|execution| {
            let waits = |pending: &Pending| pending.index == index;
            if execution.pending.iter().any(waits) {
                remove_pending(execution, waits);
            }
        });
        if was_pending {
            Arc::make_mut(&mut self.transient).passed = false;
        }
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
        let is_over = |execution: &ExecutionState| execution.status.is_terminal();
        if self.execution.as_deref().is_none_or(is_over) {
            return;
        }
        let pending = Arc::new(paused.pending.clone());
        // The arguments that hooks changed are those that it waits with.
        self.in_step(|step| {
            for pending in pending.iter().filter(|pending| !pending.reason.holds_turn()) {
                step.calls.change(pending.index, |slot| {
                    let changed = pending.arguments != slot.call.arguments;
                    slot.arguments = changed.then(|| Arc::clone(&pending.arguments));
                });
            }
        });
        self.in_execution(|execution| {
            if paused.adds {
                let all = Arc::make_mut(&mut execution.pending);
                all.retain(|one| !pending.iter().any(|new| new.index == one.index));
                all.extend(pending.iter().cloned());
                all.sort_by_key(|pending| pending.index);
            } else {
                execution.pending = pending;
            }
            execution.status = waiting(&execution.pending);
        });
        Arc::make_mut(&mut self.transient).passed = paused.passed;
    }

    /// A call that waited is to run, with other arguments if it was approved with them.
    fn make_ready(&mut self, index: u32, approval: Option<&Approval>) {
        self.in_step(|step| {
            step.calls.change(index, |slot| {
                slot.status = CallStatus::Ready;
                slot.approved |= approval.is_some();
                if let Some(arguments) = approval.and_then(|approval| approval.arguments.as_ref()) {
                    slot.arguments = Some(Arc::clone(arguments));
                }
            });
        });
    }

    /// A call whose body asked for input is to run with it.
    fn supply(&mut self, index: u32, supplied: Supplied) {
        self.in_step(|step| {
            step.calls.change(index, |slot| {
                slot.status = CallStatus::Ready;
                slot.supplied.push(supplied);
            });
        });
    }

    pub(super) fn answer(&mut self, entry: &Entry, answer: &Answer) {
        let waiting = self.execution.as_ref().and_then(|execution| {
            execution.pending.iter().find(|pending| pending.id == answer.id).cloned()
        });
        let Some(pending) = waiting else { return };
        self.in_execution(|execution| remove_pending(execution, |other| other.id == pending.id));
        // Calls that were held back by it may run now.
        Arc::make_mut(&mut self.transient).passed = false;
        let outcome = match &answer.verdict {
            Verdict::RunAgain => return self.make_ready(pending.index, None),
            Verdict::Approve(approval) => return self.make_ready(pending.index, Some(approval)),
            Verdict::Tell => ToolOutcome::Interrupted,
            Verdict::Supply(value) => match pending.input.as_deref() {
                Some(request) => {
                    let (request, value) = (request.clone(), value.clone());
                    return self.supply(pending.index, Supplied { request, value });
                }
                None => ToolOutcome::value(value.clone()),
            },
            Verdict::Deny(reason) => {
                let by = answer.by.clone().unwrap_or_else(|| "a person".to_owned());
                ToolOutcome::Denied { by, reason: reason.clone() }
            }
        };
        let finished = event::ToolFinished {
            index: pending.index,
            outcome: Arc::new(outcome),
            took: Micros::ZERO,
            metadata: Metadata::default(),
            used: crate::budget::Amounts::default(),
        };
        self.finish_call(entry, &finished);
        if pending.reason == PendingReason::External && finished.outcome.is_ok() {
            self.in_step(|step| {
                step.calls.change(pending.index, |slot| {
                    if let CallStatus::Done(execution) = &mut slot.status {
                        Arc::make_mut(execution).ran_elsewhere = true;
                    }
                });
            });
        }
    }
}

/// Removes answered calls; the execution waits until the last is removed.
fn remove_pending(execution: &mut ExecutionState, answered: impl Fn(&Pending) -> bool) {
    Arc::make_mut(&mut execution.pending).retain(|pending| !answered(pending));
    execution.status = waiting(&execution.pending);
}

/// The status of an execution some of whose calls wait.
fn waiting(pending: &[Pending]) -> ExecutionStatus {
    match pending {
        // The run itself asks the model.
        all if all.iter().all(|pending| pending.prompt().is_some()) => ExecutionStatus::InProgress,
        some if some.iter().any(|pending| pending.reason.needs_decision()) => {
            ExecutionStatus::AwaitingApproval
        }
        _ => ExecutionStatus::AwaitingInput,
    }
}

/// The calls of a response, all of them open.
pub(super) fn slots(response: &Response) -> Calls {
    let slot = |call: &Arc<_>| CallSlot {
        call: Arc::clone(call),
        arguments: None,
        child: None,
        began: false,
        approved: false,
        supplied: Vec::new(),
        status: CallStatus::Open,
    };
    let calls = || response.message.tool_calls();
    Calls::open(calls().count(), calls().map(slot))
}

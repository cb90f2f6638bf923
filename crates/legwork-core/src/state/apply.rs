//! How each event changes the conversation. Total: nothing here fails.

use std::sync::Arc;

use crate::entry::Entry;
use crate::event::{self, Event};
use crate::id::Seq;
use crate::inbox::{Answer, Verdict};
use crate::inference::{Incomplete, Response};
use crate::message::Message;
use crate::outcome::ContinuationOutcome;
use crate::state::{
    AgentStep, CallSlot, CallStatus, Calls, Context, ExecutionState, ExecutionStatus, Inner,
    Pending, ShownTools, StepResult,
};
use crate::time::{Micros, Timestamp};
use crate::tool::{FailureKind, ToolExecution, ToolOutcome};
use crate::vector::Vector;

impl Inner {
    pub(super) fn apply_to_conversation(&mut self, entry: &Entry) {
        match &entry.event {
            Event::ExecutionStarted(started) => self.begin_execution(entry, started),
            Event::ExecutionReopened(_) => self.reopen(),
            Event::InferenceStarted(started) => self.begin_inference(entry, started),
            Event::InferenceFailed(failed) => self.fail(failed.error.clone()),
            Event::Responded(responded) => self.respond(entry.seq, &responded.response),
            Event::ResponseChanged(changed) => self.change_response(&changed.response),
            Event::ToolStarted(started) => self.start_call(started),
            Event::ToolFinished(finished) => self.finish_call(entry, finished),
            Event::ToolChanged(changed) => self.change_outcome(changed),
            Event::Paused(paused) => self.pause(paused),
            Event::Answered(answered) => self.answer(entry, &answered.answer),
            Event::Failed(error) => self.fail(error.clone()),
            Event::StopRaised(signal) => {
                let signal = signal.clone();
                self.in_execution(|e| Arc::make_mut(&mut e.signals).push(signal));
            }
            Event::Worked(worked) => self.work(worked.took),
            Event::StepFinished(finished) => self.finish_step(entry.at, finished),
            Event::ExecutionFinished(finished) => self.finish(entry.at, finished),
            Event::StopPrevented(prevented) => self.go_on(&prevented.by),
            Event::Steered(message) => self.steer(entry.seq, message),
            Event::FollowedUp(message) => {
                self.context.transcript.push(entry.seq, Arc::clone(message));
                self.go_on("follow_up");
            }
            Event::MessageAdded(message) => {
                self.context.transcript.push(entry.seq, Arc::clone(message));
            }
            Event::MetadataSet(set) => set_metadata(&mut self.context, set),
            Event::HeadMoved(_) => {
                // `on_path` folds the conversation of the other path.
                self.context = Context::default();
                self.execution = None;
            }
            Event::SessionStarted(_)
            | Event::Defined(_)
            | Event::InferenceInterrupted(_)
            | Event::InboxTaken(_)
            | Event::FollowUpQueued(_)
            | Event::Labelled(_) => {}
            Event::Other(_) => {}
        }
    }

    fn in_execution(&mut self, change: impl FnOnce(&mut ExecutionState)) {
        if let Some(execution) = &mut self.execution {
            change(Arc::make_mut(execution));
        }
    }

    fn in_step(&mut self, change: impl FnOnce(&mut AgentStep)) {
        self.in_execution(|execution| {
            if let Some(step) = &mut execution.current {
                change(Arc::make_mut(step));
            }
        });
    }

    fn step(&self) -> Option<&Arc<AgentStep>> {
        self.execution.as_ref()?.current.as_ref()
    }

    fn begin_execution(&mut self, entry: &Entry, started: &event::ExecutionStarted) {
        self.execution = Some(Arc::new(ExecutionState::new(entry.seq, entry.at)));
        Arc::make_mut(&mut self.transient).clear();
        // Earlier steering messages are part of its input.
        self.context.steered = false;
        for message in &started.input {
            self.context.transcript.push(entry.seq, Arc::clone(message));
        }
    }

    fn reopen(&mut self) {
        self.in_execution(|execution| {
            execution.status = ExecutionStatus::InProgress;
            execution.completed_at = None;
            execution.outcome = None;
            execution.signals = Arc::default();
        });
    }

    fn go_on(&mut self, by: &str) {
        let outcome = Arc::new(ContinuationOutcome::go_on(by));
        self.in_execution(|execution| execution.outcome = Some(outcome));
    }

    /// A steering message prevents a stop, if the stop can be prevented.
    fn steer(&mut self, entry: Seq, message: &Arc<Message>) {
        self.context.transcript.push(entry, Arc::clone(message));
        self.context.steered = true;
        let stops = |outcome: &Arc<ContinuationOutcome>| {
            outcome.stop_reason().is_some_and(|reason| !reason.forbids())
        };
        let execution = self.execution.as_ref().filter(|e| !e.status.is_terminal());
        if execution.and_then(|execution| execution.outcome.as_ref()).is_some_and(stops) {
            self.go_on("steering");
        }
    }

    fn begin_inference(&mut self, entry: &Entry, started: &event::InferenceStarted) {
        self.context.steered = false;
        if let Some(shown) = &started.tools {
            self.context.tools_shown = Some(Arc::new(ShownTools::of(shown)));
        }
        let input_cut = self.context.transcript.messages().len();
        let tools = self.context.tools_shown.as_ref().and_then(|shown| shown.digest.clone());
        let mono = self.stamp.mono;
        let mut began = false;
        self.in_execution(|execution| {
            if execution.current.is_some() {
                return;
            }
            began = true;
            execution.current = Some(Arc::new(AgentStep {
                id: entry.seq,
                number: execution.next_number(),
                started_at: entry.at,
                input_cut,
                tools,
                response_entry: None,
                response: None,
                calls: Calls::default(),
                errors: Vector::new(),
                worked: Micros::ZERO,
            }));
        });
        if began {
            Arc::make_mut(&mut self.transient).segment = mono;
        }
    }

    fn fail(&mut self, error: crate::error::ErrorRecord) {
        let in_step = self.step().is_some();
        if in_step {
            return self.in_step(|step| step.errors.push(error));
        }
        self.in_execution(|execution| Arc::make_mut(&mut execution.errors).push(error));
    }

    fn respond(&mut self, seq: Seq, response: &Arc<Response>) {
        let whole = response.incomplete.is_none();
        self.in_step(|step| {
            step.response_entry = Some(seq);
            step.response = Some(Arc::clone(response));
            step.calls = if whole { slots(response) } else { Calls::default() };
        });
        Arc::make_mut(&mut self.transient).judged.clear();
        if whole && self.step().is_some() {
            self.context.transcript.push(seq, Arc::clone(&response.message));
        }
    }

    fn change_response(&mut self, response: &Arc<Response>) {
        let Some(step) = self.step() else { return };
        let untouched = step.calls.iter().all(|slot| slot.status == CallStatus::Open);
        let before = step.response.as_ref().filter(|r| r.incomplete.is_none());
        let transcript = &self.context.transcript;
        let place = before.and_then(|r| transcript.position(&r.message, step.input_cut));
        let Some(seq) = step.response_entry.filter(|_| untouched) else { return };
        let incomplete = step.response.as_ref().and_then(|before| before.incomplete.clone());
        let response = &kept_incomplete(response, incomplete);
        // Later messages stay after it.
        let since = place.map(|at| self.context.transcript.rewind(at)).unwrap_or_default();
        self.respond(seq, response);
        let transcript = &mut self.context.transcript;
        since.into_iter().skip(1).for_each(|(entry, message)| transcript.push(entry, message));
    }

    fn start_call(&mut self, started: &event::ToolStarted) {
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

    fn finish_call(&mut self, entry: &Entry, finished: &event::ToolFinished) {
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

    fn change_outcome(&mut self, changed: &event::ToolChanged) {
        let mut result = None;
        self.in_step(|step| {
            step.calls.change(changed.index, |slot| {
                if let CallStatus::Done(execution) = &mut slot.status {
                    let execution = Arc::make_mut(execution);
                    execution.outcome = Arc::clone(&changed.outcome);
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

    fn pause(&mut self, paused: &event::Paused) {
        let pending = Arc::new(paused.pending.clone());
        self.in_execution(|execution| {
            execution.status = match pending.is_empty() {
                true => ExecutionStatus::InProgress,
                false => ExecutionStatus::AwaitingApproval,
            };
            execution.pending = pending;
        });
    }

    fn answer(&mut self, entry: &Entry, answer: &Answer) {
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
            took: crate::time::Micros::ZERO,
            metadata: crate::tool::Metadata::default(),
            used: crate::budget::Amounts::default(),
        };
        self.finish_call(entry, &finished);
    }

    /// Adds charged time to the step, and counts anew from now on.
    fn work(&mut self, took: Micros) {
        self.in_step(|step| step.worked = step.worked.plus(took));
        Arc::make_mut(&mut self.transient).segment = self.stamp.mono;
    }

    fn finish_step(&mut self, at: Timestamp, finished: &event::StepFinished) {
        self.in_execution(|execution| {
            let Some(step) = execution.current.take() else { return };
            execution.outcome = Some(Arc::clone(&finished.outcome));
            let took = step.worked.plus(finished.took);
            execution.results.push(Arc::new(StepResult {
                step,
                outcome: Arc::clone(&finished.outcome),
                took,
                completed_at: at,
            }));
        });
        Arc::make_mut(&mut self.transient).clear();
    }

    fn finish(&mut self, at: Timestamp, finished: &event::ExecutionFinished) {
        self.in_execution(|execution| {
            execution.status = finished.status.clone();
            execution.outcome = Some(Arc::clone(&finished.outcome));
            execution.completed_at = Some(at);
        });
    }
}

/// Removes answered calls; the execution waits until the last is removed.
fn remove_pending(execution: &mut ExecutionState, answered: impl Fn(&Pending) -> bool) {
    Arc::make_mut(&mut execution.pending).retain(|pending| !answered(pending));
    if execution.pending.is_empty() {
        execution.status = ExecutionStatus::InProgress;
    }
}

/// The changed response, which stays incomplete if the original was.
fn kept_incomplete(response: &Arc<Response>, incomplete: Option<Incomplete>) -> Arc<Response> {
    match (&response.incomplete, incomplete) {
        (None, Some(incomplete)) => {
            Arc::new(Response { incomplete: Some(incomplete), ..(**response).clone() })
        }
        _ => Arc::clone(response),
    }
}

fn slots(response: &Response) -> Calls {
    let slot = |call: &Arc<_>| CallSlot {
        call: Arc::clone(call),
        arguments: None,
        child: None,
        status: CallStatus::Open,
    };
    response.message.tool_calls().map(slot).collect()
}

fn set_metadata(context: &mut Context, set: &event::MetadataSet) {
    let metadata = Arc::make_mut(&mut context.metadata);
    match &set.value {
        Some(value) => metadata.insert(set.key.clone(), value.clone()),
        None => metadata.remove(&set.key),
    };
}

//! How each event changes the conversation. Total: nothing here fails.

mod calls;

use std::sync::Arc;

use calls::slots;

use crate::budget::Amounts;
use crate::entry::Entry;
use crate::event::{self, Event};
use crate::id::Seq;
use crate::inference::{Incomplete, Response};
use crate::message::Message;
use crate::outcome::ContinuationOutcome;
use crate::state::{
    AgentStep, CallStatus, Calls, Context, ExecutionState, ExecutionStatus, Inner, ShownTools,
    StepResult,
};
use crate::time::{Micros, Timestamp};
use crate::vector::Vector;

impl Inner {
    pub(super) fn apply_to_conversation(&mut self, entry: &Entry) {
        self.apply_event(entry);
        // The end of a step charges the step that it ends; what is no step charges none.
        if !matches!(entry.event, Event::StepFinished(_) | Event::AuxiliaryFinished(_)) {
            self.charge_step(&entry.event.charged());
        }
    }

    fn charge_step(&mut self, charged: &Amounts) {
        if !charged.is_zero() {
            self.in_step(|step| step.used = step.used.plus(charged));
        }
    }

    fn apply_event(&mut self, entry: &Entry) {
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
            Event::OutputAccepted(accepted) => self.accept_output(accepted),
            Event::OutputRejected(_) => self.in_execution(|execution| {
                execution.rejected = execution.rejected.saturating_add(1);
            }),
            Event::Paused(paused) => self.pause(paused),
            Event::Answered(answered) => self.answer(entry, &answered.answer),
            Event::Failed(error) => self.fail(error.clone()),
            Event::StopRaised(signal) => {
                let signal = (**signal).clone();
                self.in_execution(|e| Arc::make_mut(&mut e.signals).push(signal));
            }
            Event::Worked(worked) => self.work(worked.took),
            Event::StepFinished(finished) => {
                self.charge_step(&entry.event.charged());
                self.finish_step(entry.at, finished);
            }
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
            Event::Compacted(compacted) => self.compact(entry.seq, compacted),
            Event::BranchSummarised(branch) => {
                self.context.transcript.push(entry.seq, Arc::clone(&branch.message));
            }
            Event::ResultSummarised(summarised) => {
                self.context.result_summaries.push(Arc::clone(summarised));
            }
            Event::ResultCompared(compared) => self.context.comparisons.push(*compared),
            Event::SessionStarted(_)
            | Event::Defined(_)
            | Event::AuxiliaryStarted(_)
            | Event::AuxiliaryFinished(_)
            | Event::InferenceInterrupted(_)
            | Event::InboxTaken(_)
            | Event::FollowUpQueued(_)
            | Event::Labelled(_)
            | Event::Titled(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::SettingsSet(_)
            | Event::UndoStarted(_)
            | Event::UndoFinished(_) => {}
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
            execution.rejected = 0;
        });
    }

    fn accept_output(&mut self, accepted: &event::OutputAccepted) {
        self.in_execution(|execution| {
            execution.output = Some(Arc::clone(&accepted.value));
            execution.rejected = 0;
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
            execution.output = None;
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
                used: Amounts::default(),
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
        self.measure(seq, response);
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

/// The changed response, which stays incomplete if the original was.
fn kept_incomplete(response: &Arc<Response>, incomplete: Option<Incomplete>) -> Arc<Response> {
    match (&response.incomplete, incomplete) {
        (None, Some(incomplete)) => {
            Arc::new(Response { incomplete: Some(incomplete), ..(**response).clone() })
        }
        _ => Arc::clone(response),
    }
}

fn set_metadata(context: &mut Context, set: &event::MetadataSet) {
    let metadata = Arc::make_mut(&mut context.metadata);
    match &set.value {
        Some(value) => metadata.insert(set.key.clone(), value.clone()),
        None => metadata.remove(&set.key),
    };
}

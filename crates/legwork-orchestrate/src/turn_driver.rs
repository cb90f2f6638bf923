//! Makes the turns of a conversation.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use legwork_account::SharedBudget;
use legwork_core::continuation::{evaluate, forbids_step};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::orchestrate::{ChatState, Conversation};
use legwork_core::{ContinuationOutcome, Criterion, StepResult, StopReason, StopSignal};
use legwork_port::{BoxFuture, Clock, EventKind, Observer as _, RunEvent, unwind};
use legwork_runtime::{Control, Error};
use legwork_session::Observers;

use crate::{Selector, Speaker, Spoken, TurnContext};

/// A function that is called at the end of a turn; may add votes and requests to stop.
pub(super) type StepEnd<S> = Arc<dyn Fn(S) -> BoxFuture<'static, Result<S, String>> + Send + Sync>;

/// Makes the turns of a conversation.
pub(super) struct TurnDriver<S> {
    pub(super) speakers: Vec<(Arc<str>, Arc<dyn Speaker>)>,
    pub(super) selector: Arc<dyn Selector<S>>,
    /// The description of the conversation for a speaker.
    pub(super) preface: fn(&S, &str) -> String,
    pub(super) criteria: Vec<Arc<dyn Criterion<S>>>,
    pub(super) observers: Vec<(String, StepEnd<S>)>,
    pub(super) observer: Observers,
    pub(super) clock: Arc<dyn Clock>,
}

/// The result of making a turn, with the state after it.
pub(super) enum Turned<S> {
    /// The turn ended and is recorded.
    Recorded(S),
    /// There is no turn, or it is not over.
    Unfinished(S),
}

impl<S: Conversation> TurnDriver<S> {
    /// Makes a turn: selects a speaker, lets it speak, and evaluates the criteria.
    pub(super) async fn next(&self, state: S, control: &Control) -> Result<Turned<S>, Error> {
        let start = self.clock.now();
        let mut state = state.map_chat(|chat| chat.at(start));
        if control.cancel.is_cancelled() && state.stop_signals().is_empty() {
            state = raise(state, cancelled());
        }
        if state.chat().current_step().is_none() {
            if let Some(signal) = forbids_step(&self.criteria, &state) {
                return Ok(Turned::Unfinished(end(state, signal)));
            }
            state = match self.choose(state, control).await {
                Ok(state) => state,
                Err(turned) => return Ok(turned),
            };
        }
        let Some(spoken) = self.speak(&state, control).await? else {
            return Ok(cut(state, control));
        };
        state = state.map_chat(|chat| chat.at(self.clock.now()));
        if control.cancel.is_cancelled() && state.stop_signals().is_empty() {
            state = raise(state, cancelled());
        }
        if let Some((status, agent)) = spoken.rests {
            return Ok(Turned::Unfinished(match state.stop_signal().cloned() {
                Some(signal) => end(state, signal),
                None => state.map_chat(|chat| chat.with_rest(status, agent)),
            }));
        }
        if let Some(signal) = spoken.limit.clone() {
            state = raise(state, signal);
        }
        let state = take(state, spoken);
        Ok(Turned::Recorded(self.end_step(state, start.mono, control).await))
    }

    /// Begins the turn of the selected speaker; if none can be selected, the conversation fails.
    async fn choose(&self, state: S, control: &Control) -> Result<S, Turned<S>> {
        let raised = pin!(control.raised());
        let shown = state.clone();
        let chosen = unwind::run(|| self.selector.select(shown));
        let choice = match select(pin!(chosen), raised).await {
            Either::Left((choice, _)) => {
                choice.unwrap_or_else(|panic| Err(format!("the selector panicked: {panic}")))
            }
            Either::Right(_) => {
                return Err(cut(state, control));
            }
        };
        let words = match choice {
            Ok(choice) if self.speaker(&choice.speaker).is_some() => {
                return Ok(
                    state.map_chat(|chat| chat.with_used(&choice.used).with_turn(choice.speaker))
                );
            }
            Ok(choice) => {
                let known: Vec<_> = self.speakers.iter().map(|(name, _)| &**name).collect();
                format!("no speaker is named `{}`: there are {}", choice.speaker, known.join(", "))
            }
            Err(words) => words,
        };
        let words = format!("the next speaker could not be selected: {words}");
        let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, words);
        let signal = StopSignal::error("selector", error.clone());
        Err(Turned::Unfinished(end(state.map_chat(|chat| chat.with_error(error)), signal)))
    }

    fn speaker(&self, name: &str) -> Option<&Arc<dyn Speaker>> {
        self.speakers.iter().find(|(known, _)| &**known == name).map(|(_, speaker)| speaker)
    }

    /// The result of the turn; none if the conversation is cancelled or interrupted first.
    async fn speak(&self, state: &S, control: &Control) -> Result<Option<Spoken>, Error> {
        let Some(turn) = state.chat().current_step() else { return Ok(Some(Spoken::nothing())) };
        if let Some(message) = &turn.message {
            return Ok(Some(Spoken::message((**message).clone())));
        }
        let name = Arc::clone(&turn.speaker);
        let Some(speaker) = self.speaker(&name) else {
            return Ok(Some(Spoken::failed(format!("no speaker is named `{name}`"))));
        };
        let cx = TurnContext {
            preface: (self.preface)(state, &name),
            state: state.chat().clone(),
            name,
            control: control.clone(),
            budget: SharedBudget::open(None, state.chat().ledger()),
        };
        let speaking = pin!(unwind::run(|| speaker.speak(&cx)));
        let ends_itself = unwind::call(|| speaker.ends_itself()).unwrap_or(false);
        let raised =
            pin!(async { if ends_itself { pending().await } else { control.raised().await } });
        let Either::Left((spoken, _)) = select(speaking, raised).await else { return Ok(None) };
        let spoken = spoken.unwrap_or_else(|panic| {
            Ok(Spoken::failed(format!("the speaker `{}` panicked: {panic}", cx.name)))
        });
        spoken.map(Some)
    }

    /// Evaluates the criteria, calls the functions for the end of a turn, and records the turn.
    ///
    /// If these voted or requested to stop, the criteria are evaluated again.
    async fn end_step(&self, state: S, start: legwork_core::Micros, control: &Control) -> S {
        let mut state = self.evaluate(state);
        let before = (state.votes().len(), state.stop_signals().len());
        for (name, observer) in &self.observers {
            state = observe(state, name, observer, control).await;
        }
        if (state.votes().len(), state.stop_signals().len()) != before {
            state = self.evaluate(state);
        }
        let now = self.clock.now();
        let decided = state.continuation_outcome().cloned();
        let (Some(outcome), Some(turn)) = (decided, state.chat().current_step().cloned()) else {
            return state;
        };
        self.emit(state.chat(), turn.number, &outcome);
        let (took, completed_at) = (now.mono.since(start), now.wall);
        state.record_step_result(StepResult { step: Arc::new(turn), outcome, took, completed_at })
    }

    /// Emits the decision to the observer.
    fn emit(&self, chat: &ChatState, turn: u32, outcome: &Arc<ContinuationOutcome>) {
        if !self.observer.listens() {
            return;
        }
        let (session, step) = (Some(chat.id().clone()), Some(turn));
        let kind = EventKind::ContinuationEvaluated { outcome: Arc::clone(outcome) };
        self.observer.observe(&RunEvent { session, step, ..RunEvent::new(kind) });
    }

    fn evaluate(&self, state: S) -> S {
        let outcome = Some(evaluate(&self.criteria, &state));
        state.map_chat(|chat| chat.with_provisional_outcome(outcome))
    }
}

/// Calls a function with the state; unless the result extends it, the state stays as it was and
/// the violation is recorded.
async fn observe<S: Conversation>(
    state: S,
    name: &str,
    observer: &StepEnd<S>,
    control: &Control,
) -> S {
    let (before, mark) = (state.clone(), state.chat().mark());
    let shown = pin!(unwind::run(|| observer(state)));
    // If the conversation is cancelled or interrupted meanwhile, its change is dropped.
    let Either::Left((shown, _)) = select(shown, pin!(control.raised())).await else {
        return before;
    };
    let shown = shown.unwrap_or_else(|panic| Err(format!("it panicked: {panic}")));
    let (kind, words) = match shown {
        Ok(after) if after.chat().extends(&mark) => return after,
        Ok(_) => (
            ErrorKind::Lineage,
            format!(
                "the observer `{name}` returned a state that does not extend the one it was given"
            ),
        ),
        Err(words) => (ErrorKind::Hook, format!("the observer `{name}` failed: {words}")),
    };
    let error = ErrorRecord::new(ErrorSource::Hook(name.to_owned()), kind, words);
    before.map_chat(|chat| chat.with_error(error))
}

fn take<S: Conversation>(state: S, spoken: Spoken) -> S {
    state.map_chat(|chat: ChatState| {
        chat.with_spoken(|turn| {
            turn.message = spoken.message.map(Arc::new);
            turn.used = spoken.used;
            turn.errors = spoken.errors;
            turn.execution = spoken.execution;
            turn.next = spoken.next;
            turn.concludes = spoken.concludes;
        })
    })
}

/// The state of a conversation that was cancelled or interrupted during a turn.
fn cut<S: Conversation>(state: S, control: &Control) -> Turned<S> {
    if !control.cancel.is_cancelled() {
        return Turned::Unfinished(state);
    }
    let signal = state.stop_signal().cloned();
    let state = if signal.is_none() { raise(state, cancelled()) } else { state };
    Turned::Unfinished(end(state, signal.unwrap_or_else(cancelled)))
}

fn cancelled() -> StopSignal {
    StopSignal::new(StopReason::UserRequested, "cancellation", "it was cancelled")
}

fn raise<S: Conversation>(state: S, signal: StopSignal) -> S {
    state.map_chat(|chat| chat.with_stop_signal(signal))
}

fn end<S: Conversation>(state: S, signal: StopSignal) -> S {
    state.map_chat(|chat| chat.with_outcome(ContinuationOutcome::stop(signal)))
}

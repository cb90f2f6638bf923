//! Validates input from outside: the only place that can refuse it.

use std::sync::Arc;

use crate::digest::Digest;
use crate::event::{self, Event};
use crate::id::{Seq, SessionId};
use crate::inbox::{Answer, Label, Posted, Verdict};
use crate::message::{Malformed, Message};
use crate::nesting;
use crate::state::{AgentState, ExecutionStatus, Owed, Pending, PendingReason};
use crate::time::Timestamp;
use crate::transcript::Transcript;

/// Input to a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// The messages of a new execution.
    Start(Vec<Message>),
    /// An answer to a pending call.
    Answer(Answer),
    /// A move of the head to an entry between steps.
    MoveHead(Seq),
    /// A label for an entry, or its removal.
    Label(Label),
    /// An inbox item to take up.
    Take(Posted),
}

/// Why a session refused an input; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An execution is under way.
    #[error("an execution is under way ({status}): resume it, or stop it first")]
    UnderWay {
        /// Its status.
        status: String,
    },
    /// The input has no messages.
    #[error("the input is empty: give at least one message")]
    EmptyInput,
    /// There is no execution that could go on.
    #[error("nothing is left to do ({status}): {}", new_task(session.as_ref()))]
    NothingToDo {
        /// The session; none for a conversation that is not one.
        session: Option<SessionId>,
        /// The status of the last execution.
        status: String,
    },
    /// The limit that stopped the execution was not raised.
    #[error("the limit still holds ({limit}): raise it, or give new input")]
    LimitHolds {
        /// The limit, in words.
        limit: String,
    },
    /// Too many answers in a row were incomplete.
    #[error(
        "the answer was incomplete {times} times in a row: allow the model a longer answer, or \
         give new input"
    )]
    StillIncomplete {
        /// How many in a row.
        times: usize,
    },
    /// No pending call has this id.
    #[error("no call with the id `{id}` waits for an answer, or ever did")]
    UnknownPending {
        /// The id that was given.
        id: String,
    },
    /// The call was answered before.
    #[error("the call `{id}` was answered before: each call is answered once")]
    AnsweredBefore {
        /// The id that was given.
        id: String,
    },
    /// The session has no such step.
    #[error("there is no step {step}: the session has {steps} on the path to its head")]
    UnknownStep {
        /// The number that was given.
        step: u64,
        /// How many steps there are.
        steps: u64,
    },
    /// The call no longer waits: its turn went on without an answer.
    #[error(
        "the call `{id}` does not wait any more: it was withdrawn, because the session was given \
         something else to do, or its head was moved"
    )]
    Withdrawn {
        /// The id that was given.
        id: String,
    },
    /// The call waited only until some time, which has passed.
    #[error("the call `{id}` could be answered until {at}")]
    Expired {
        /// The id that was given.
        id: String,
        /// Until when it could be answered.
        at: Timestamp,
    },
    /// What was answered is not what the call waits for now.
    #[error(
        "the call `{id}` does not wait for what was answered: its digest is {}, not {}; look at it \
         again", expected.as_str(), given.as_str()
    )]
    OtherCall {
        /// The id that was given.
        id: String,
        /// The digest of the call that waits.
        expected: Digest,
        /// The digest that was approved.
        given: Digest,
    },
    /// The verdict does not answer what the call waits for.
    #[error("`{verdict}` is no answer to the call `{id}`, which {waits}")]
    OtherAnswer {
        /// The id that was given.
        id: String,
        /// The name of the verdict.
        verdict: &'static str,
        /// What it waits for, in words.
        waits: &'static str,
    },
    /// The call waits for its subagent, which must be answered in its own session.
    #[error(
        "the call `{id}` waits for its subagent in session {child}: answer that session, or stop \
         this one"
    )]
    SubagentWaits {
        /// The id that was given.
        id: String,
        /// The subagent's session.
        child: SessionId,
    },
    /// There is no such entry.
    #[error("the session has no entry {entry}: its last is {last}")]
    UnknownEntry {
        /// The entry that was given.
        entry: Seq,
        /// The last one there is.
        last: Seq,
    },
    /// A journal cannot hold the item.
    #[error("the item is nested too deeply to be journaled: give the inner part as text")]
    TooDeep,
    /// The messages cannot be part of a conversation.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A change would make an incomplete response complete.
    #[error(
        "an incomplete response stays incomplete, because its calls may be cut off: keep \
         `incomplete` as it is, or let the model be asked again"
    )]
    MadeWhole,
    /// An execution runs, so the head cannot move.
    #[error("an execution is under way: move the head when it has ended, or between its runs")]
    HeadInUse,
    /// A step is under way, so the head cannot move.
    #[error(
        "a step is under way: the head can be moved only between steps, and where all calls of a \
         step wait for answers"
    )]
    StepUnderWay,
    /// The session is a subagent's, and its parent runs it.
    #[error(
        "the session was spawned by {parent}, which runs it: resume that session, or \
         start a new one"
    )]
    IsSubagent {
        /// The session that spawned it.
        parent: SessionId,
    },
    /// The session is its own parent, by way of others, which no run ever made.
    #[error("the session {session} is its own parent, by way of others: no such session was run")]
    ParentOfItself {
        /// The session.
        session: SessionId,
    },
    /// No execution is under way, so none can be stopped.
    #[error("there is nothing to stop ({status}): no execution is under way")]
    NothingToStop {
        /// The status of the last execution.
        status: String,
    },
    /// A run took the item up and refused it.
    #[error("{reason}")]
    RefusedBefore {
        /// Why.
        reason: String,
    },
    /// The session is a subagent's, and is only removed together with its parent.
    #[error(
        "the session belongs to {parent}, which spawned it: remove that session, which removes this \
         one too"
    )]
    BelongsTo {
        /// The session that spawned it.
        parent: SessionId,
    },
    /// The definition of the agent has changed, and the agent refuses sessions of another one.
    #[error(
        "the agent is not the one that session {session} was begun with: its {} changed; use that \
         agent, or let sessions be upgraded or pinned", changed.join(", ")
    )]
    DefinitionChanged {
        /// The session.
        session: SessionId,
        /// What of the definition changed.
        changed: Vec<&'static str>,
    },
    /// Settings that set nothing.
    #[error("nothing is set: name the model, the instructions or a limit")]
    NothingSet,
    /// The limits of a subagent's session are what its parent granted.
    #[error(
        "the limits of the session are what {parent} granted, which spawned it: set those of that \
         session"
    )]
    LimitsGranted {
        /// The session that spawned it.
        parent: SessionId,
    },
    /// The item was already taken up.
    #[error("the inbox item was already taken up")]
    AlreadyTaken,
}

impl Refusal {
    /// Whether it was refused because the session is a subagent's.
    pub fn is_of_subagent(&self) -> bool {
        matches!(self, Self::IsSubagent { .. })
    }

    /// Whether an answer to a call was refused.
    pub fn is_of_answer(&self) -> bool {
        matches!(
            self,
            Self::UnknownPending { .. }
                | Self::AnsweredBefore { .. }
                | Self::Withdrawn { .. }
                | Self::Expired { .. }
                | Self::OtherCall { .. }
                | Self::OtherAnswer { .. }
                | Self::SubagentWaits { .. }
        )
    }
}

/// What a call waits for, in words.
fn waits(reason: &PendingReason) -> &'static str {
    match reason {
        PendingReason::Doubt => {
            "may or may not have happened: run it again, tell the model, or supply its result"
        }
        PendingReason::Subagent => "waits for its subagent",
        PendingReason::Approval => "waits for approval: approve it, deny it, or supply its result",
        PendingReason::External => "waits for a result from outside: supply it, or deny it",
        PendingReason::Input => "waits for input: supply it, or deny the call",
        PendingReason::Model => {
            "asks the model: it goes on when the session runs, or deny the call"
        }
        PendingReason::Until(_) => {
            "waits for its time: let it run again, supply its result, or deny it"
        }
    }
}

fn new_task(session: Option<&SessionId>) -> String {
    match session {
        Some(session) => format!(
            "give session {session} a new task, as in `session.run(\"..\")`; its result is that of \
             `session.last_run()`"
        ),
        None => "give new input".to_owned(),
    }
}

impl AgentState {
    /// The events of an input, if the session accepts it.
    ///
    /// # Errors
    /// A [`Refusal`] that says why it does not.
    pub fn decide(&self, input: Input) -> Result<Vec<Event>, Refusal> {
        match input {
            Input::Start(messages) => self.decide_start(messages),
            Input::Answer(answer) => self.decide_answer(answer),
            Input::MoveHead(to) => self.decide_move(to),
            Input::Label(label) => self.decide_label(label),
            Input::Take(posted) => self.decide_take(posted),
        }
    }

    /// Answers calls that wait, without a store: the state that is given to a run, or kept.
    ///
    /// # Errors
    /// The first [`Refusal`]; nothing is changed then.
    pub fn with_deferred_results(
        self,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Result<Self, Refusal> {
        answers.into_iter().try_fold(self, |state, answer| {
            let events = state.decide(Input::Answer(answer))?;
            Ok(events.into_iter().fold(state, Self::with))
        })
    }

    /// Says something that the very next inference hears.
    ///
    /// # Errors
    /// When the message holds a call without its result, or a result without its call.
    pub fn with_steering_message(self, message: impl Into<Message>) -> Result<Self, Refusal> {
        let message = Arc::new(message.into());
        Transcript::check([&message])?;
        Ok(self.with(Event::Steered(message)))
    }

    /// Says something for when the agent would otherwise stop.
    ///
    /// # Errors
    /// As [`AgentState::with_steering_message`].
    pub fn with_follow_up_message(self, message: impl Into<Message>) -> Result<Self, Refusal> {
        let message = Arc::new(message.into());
        Transcript::check([&message])?;
        Ok(self.with(Event::FollowUpQueued(message)))
    }

    pub(crate) fn status_text(&self) -> String {
        self.status().map_or_else(|| "no execution yet".to_owned(), ToString::to_string)
    }

    fn decide_start(&self, messages: Vec<Message>) -> Result<Vec<Event>, Refusal> {
        if messages.is_empty() {
            return Err(Refusal::EmptyInput);
        }
        let input: Vec<_> = messages.into_iter().map(Arc::new).collect();
        Transcript::check(&input)?;
        if self.status().is_some_and(|status| !status.is_terminal()) {
            return Err(Refusal::UnderWay { status: self.status_text() });
        }
        Ok(vec![Event::ExecutionStarted(event::ExecutionStarted { input })])
    }

    pub(super) fn decide_answer(&self, answer: Answer) -> Result<Vec<Event>, Refusal> {
        let Some(pending) = self.pending().iter().find(|pending| pending.id == answer.id) else {
            return Err(self.not_pending(answer.id));
        };
        // An answer here would lose what the subagent used, and leave it waiting for ever.
        let slot = self.current_step().and_then(|step| step.calls.get(pending.index as usize));
        let child = slot.and_then(|slot| slot.child.clone());
        if let (PendingReason::Subagent, Some(child)) = (&pending.reason, child) {
            return Err(Refusal::SubagentWaits { id: answer.id, child });
        }
        if let Some(at) = pending.expires_at.filter(|_| pending.is_expired(self.now().wall)) {
            return Err(Refusal::Expired { id: answer.id, at });
        }
        if !answer.verdict.answers(&pending.reason) {
            let (verdict, waits) = (answer.verdict.name(), waits(&pending.reason));
            return Err(Refusal::OtherAnswer { id: answer.id, verdict, waits });
        }
        if matches!(&answer.verdict, Verdict::Supply(value) if !nesting::fits(value)) {
            return Err(Refusal::TooDeep);
        }
        let looked_at = match &answer.verdict {
            Verdict::Approve(approval) => Some(&approval.digest),
            _ => answer.digest.as_ref(),
        };
        if let Some(given) = looked_at.filter(|given| **given != pending.digest).cloned() {
            let expected = pending.digest.clone();
            return Err(Refusal::OtherCall { id: answer.id, expected, given });
        }
        Ok(vec![Event::Answered(event::Answered { answer }.into())])
    }

    /// Why a call of an id does not wait.
    fn not_pending(&self, id: String) -> Refusal {
        let now = self.now().wall;
        match self.facts().asked.get(&id) {
            None => Refusal::UnknownPending { id },
            Some(asked) if asked.answered => Refusal::AnsweredBefore { id },
            Some(asked) => match asked.expires_at.filter(|at| *at <= now) {
                Some(at) => Refusal::Expired { id, at },
                None => Refusal::Withdrawn { id },
            },
        }
    }

    pub(super) fn decide_move(&self, to: Seq) -> Result<Vec<Event>, Refusal> {
        if to != Seq::ZERO {
            self.must_exist(to)?;
        }
        // Its call in the parent may be answered already, so it must not run again.
        if let Some(link) = &self.facts().parent {
            return Err(Refusal::IsSubagent { parent: link.session.clone() });
        }
        if self.current_step().is_some() && !self.may_be_left() {
            return Err(Refusal::StepUnderWay);
        }
        Ok(vec![Event::HeadMoved(event::HeadMoved { to })])
    }

    /// Whether the head may move away from the step under way, and back to it: its calls wait
    /// for an answer, and none of them for a subagent, which would go on.
    pub fn may_be_left(&self) -> bool {
        let waits = |status: &ExecutionStatus| status.is_waiting();
        let of_subagent = |pending: &Pending| pending.reason == PendingReason::Subagent;
        self.status().is_some_and(waits)
            && self.owed() == Owed::Pause
            && !self.pending().iter().any(of_subagent)
    }

    pub(super) fn decide_label(&self, label: Label) -> Result<Vec<Event>, Refusal> {
        self.must_exist(label.entry)?;
        Ok(vec![Event::Labelled(label)])
    }

    fn must_exist(&self, entry: Seq) -> Result<(), Refusal> {
        let last = self.version();
        if entry == Seq::ZERO || entry > last {
            return Err(Refusal::UnknownEntry { entry, last });
        }
        Ok(())
    }
}

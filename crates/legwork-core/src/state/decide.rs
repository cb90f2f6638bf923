//! The one place that validates what comes from outside, and may say no.

use std::sync::Arc;

use crate::event::{self, Event};
use crate::id::{Seq, SessionId};
use crate::inbox::{Answer, Item, Label, Posted};
use crate::message::{Malformed, Message};
use crate::state::AgentState;
use crate::transcript::Transcript;

/// What somebody wants of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// New messages for a fresh execution.
    Start(Vec<Message>),
    /// To go on with a stopped execution, its limit raised since.
    Reopen,
    /// An answer to something that is pending.
    Answer(Answer),
    /// The head at an entry that stands between steps.
    MoveHead(Seq),
    /// A label for an entry.
    Label(Label),
    /// An inbox item to be taken up.
    Take(Posted),
}

/// Why a session says no; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An execution is under way.
    #[error("an execution is under way ({status}): resume it, or stop it first")]
    UnderWay {
        /// Where it stands.
        status: String,
    },
    /// The new input holds nothing.
    #[error("the input is empty: give at least one message")]
    EmptyInput,
    /// There is nothing to go on with.
    #[error("nothing is left to do ({status}): give new input")]
    NothingToDo {
        /// Where the execution stands.
        status: String,
    },
    /// The limit that stopped the execution is as it was.
    #[error("the limit still holds ({limit}): raise it, or give new input")]
    LimitHolds {
        /// The limit, in words.
        limit: String,
    },
    /// Nothing of that id is pending.
    #[error("nothing pending has the id `{id}`: see what is pending, it may be answered already")]
    UnknownPending {
        /// The id that was given.
        id: String,
    },
    /// There is no such entry.
    #[error("the session has no entry {entry}: its last is {last}")]
    UnknownEntry {
        /// The entry that was given.
        entry: Seq,
        /// The last one there is.
        last: Seq,
    },
    /// The item could not be a part of a journal.
    #[error("the item is nested too deeply to be journaled: give the inner part as text")]
    TooDeep,
    /// The messages cannot stand in a conversation.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A response that came incomplete would be made whole.
    #[error(
        "the response came incomplete and stays so, for its calls may be cut: change it as it is, \
         or let the model be asked again"
    )]
    MadeWhole,
    /// A step is under way, so the head cannot move.
    #[error("a step is under way: the head moves only between steps")]
    StepUnderWay,
    /// The session is a subagent's, and its parent runs it.
    #[error(
        "the session was spawned by {parent}, with what that granted it: resume that session, or \
         start a new one"
    )]
    IsSubagent {
        /// The session that spawned it.
        parent: SessionId,
    },
    /// The item was taken up before.
    #[error("the inbox item was taken up before")]
    AlreadyTaken,
}

impl AgentState {
    /// The events that an input amounts to.
    ///
    /// # Errors
    /// A [`Refusal`] that says why not; nothing changed.
    pub fn decide(&self, input: Input) -> Result<Vec<Event>, Refusal> {
        match input {
            Input::Start(messages) => self.decide_start(messages),
            Input::Reopen => self.decide_reopen(),
            Input::Answer(answer) => self.decide_answer(answer),
            Input::MoveHead(to) => self.decide_move(to),
            Input::Label(label) => {
                self.must_exist(label.entry)?;
                Ok(vec![Event::Labelled(label)])
            }
            Input::Take(posted) => self.decide_take(posted),
        }
    }

    fn status_text(&self) -> String {
        self.status().map_or_else(|| "no execution yet".to_owned(), ToString::to_string)
    }

    fn decide_start(&self, messages: Vec<Message>) -> Result<Vec<Event>, Refusal> {
        if messages.is_empty() {
            return Err(Refusal::EmptyInput);
        }
        if self.status().is_some_and(|status| !status.is_terminal()) {
            return Err(Refusal::UnderWay { status: self.status_text() });
        }
        let input: Vec<_> = messages.into_iter().map(Arc::new).collect();
        Transcript::check(&input)?;
        Ok(vec![Event::ExecutionStarted(event::ExecutionStarted { input })])
    }

    fn decide_reopen(&self) -> Result<Vec<Event>, Refusal> {
        let limited = self.execution().and_then(|execution| {
            let signal = execution.outcome.as_ref()?.signal.as_ref()?;
            execution.status.is_terminal().then(|| signal.limit.clone()).flatten()
        });
        let Some(limited) = limited else {
            return Err(Refusal::NothingToDo { status: self.status_text() });
        };
        let now = self.ledger().budget.limit(&limited.dimension);
        let holds = now.is_some_and(|limit| limit <= limited.limit).then_some(limited);
        if let Some(limit) = holds.or_else(|| self.ledger().forbids_step(self.now().wall)) {
            return Err(Refusal::LimitHolds { limit: limit.to_string() });
        }
        Ok(vec![Event::ExecutionReopened(event::ExecutionReopened {})])
    }

    fn decide_answer(&self, answer: Answer) -> Result<Vec<Event>, Refusal> {
        if !self.pending().iter().any(|pending| pending.id == answer.id) {
            return Err(Refusal::UnknownPending { id: answer.id });
        }
        Ok(vec![Event::Answered(event::Answered { answer })])
    }

    fn decide_move(&self, to: Seq) -> Result<Vec<Event>, Refusal> {
        if to != Seq::ZERO {
            self.must_exist(to)?;
        }
        if self.current_step().is_some() {
            return Err(Refusal::StepUnderWay);
        }
        Ok(vec![Event::HeadMoved(event::HeadMoved { to })])
    }

    fn must_exist(&self, entry: Seq) -> Result<(), Refusal> {
        let last = self.version();
        if entry == Seq::ZERO || entry > last {
            return Err(Refusal::UnknownEntry { entry, last });
        }
        Ok(())
    }

    fn decide_take(&self, posted: Posted) -> Result<Vec<Event>, Refusal> {
        if posted.cursor <= self.facts().inbox_cursor {
            return Err(Refusal::AlreadyTaken);
        }
        posted.item.check()?;
        let follow_up = match &posted.item {
            Item::MoveHead(to) => self.decide_move(*to)?,
            Item::Answer(answer) => {
                self.decide_answer(answer.clone())?;
                Vec::new()
            }
            Item::Label(label) => {
                self.must_exist(label.entry)?;
                Vec::new()
            }
            Item::Steer(_) | Item::FollowUp(_) | Item::Stop(_) => Vec::new(),
        };
        let Posted { cursor, key, item } = posted;
        let mut events =
            vec![Event::InboxTaken(event::InboxTaken { cursor, key, item, refused: None })];
        events.extend(follow_up);
        Ok(events)
    }
}

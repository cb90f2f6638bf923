//! The state of a conversation of several.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, Budget, Ledger};
use crate::chunked::Chunked;
use crate::continuation::{ContinuationOutcome, StopSignal, Vote};
use crate::error::ErrorRecord;
use crate::id::SessionId;
use crate::orchestrate::{Line, Progress, Turn};
use crate::state::lineage::Lineage;
use crate::state::{AgentState, ExecutionStatus, Mark, StepResult};
use crate::time::Stamp;

/// The state of a conversation of several: one pointer, cheap to clone, changed by named
/// transitions only.
///
/// It is a value: whoever keeps it after each step goes on exactly there.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatState(pub(super) Arc<Inner>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Inner {
    pub(super) id: SessionId,
    pub(super) participants: Vec<Arc<str>>,
    pub(super) transcript: Chunked<Arc<Line>>,
    pub(super) status: ExecutionStatus,
    pub(super) results: Chunked<Arc<StepResult<Turn>>>,
    pub(super) outcome: Option<Arc<ContinuationOutcome>>,
    pub(super) current: Option<Arc<Turn>>,
    /// The agent whose turn it is, as far as it came, if it is not done.
    pub(super) agent: Option<Box<AgentState>>,
    pub(super) signals: Vec<StopSignal>,
    pub(super) errors: Vec<ErrorRecord>,
    pub(super) ledger: Ledger,
    #[serde(skip)]
    pub(super) votes: Vec<Vote>,
    #[serde(skip)]
    pub(super) provisional: Option<Arc<ContinuationOutcome>>,
    #[serde(skip)]
    pub(super) stamp: Stamp,
    #[serde(skip)]
    pub(super) lineage: Lineage,
}

/// Two states are equal when what they record is equal; transient data does not count.
impl PartialEq for ChatState {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        let names = a.id == b.id && a.participants == b.participants;
        let said = a.transcript == b.transcript && a.results == b.results;
        let stands = a.status == b.status && a.outcome == b.outcome && a.current == b.current;
        let raised = a.signals == b.signals && a.errors == b.errors;
        names && said && stands && raised && a.agent == b.agent && a.ledger == b.ledger
    }
}

impl ChatState {
    /// A conversation before its first line. The sessions of agents in it are named after
    /// its id.
    pub fn new<N: Into<Arc<str>>>(
        id: SessionId,
        participants: impl IntoIterator<Item = N>,
        budget: Budget,
    ) -> Self {
        Self(Arc::new(Inner {
            id,
            participants: participants.into_iter().map(Into::into).collect(),
            transcript: Chunked::new(),
            status: ExecutionStatus::InProgress,
            results: Chunked::new(),
            outcome: None,
            current: None,
            agent: None,
            signals: Vec::new(),
            errors: Vec::new(),
            ledger: Ledger { budget, ..Ledger::default() },
            votes: Vec::new(),
            provisional: None,
            stamp: Stamp::default(),
            lineage: Lineage::default(),
        }))
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.0.id
    }

    /// Who takes part, in the order of turns.
    pub fn participants(&self) -> &[Arc<str>] {
        &self.0.participants
    }

    /// What was said, oldest first.
    pub fn transcript(&self) -> &Chunked<Arc<Line>> {
        &self.0.transcript
    }

    /// The text of the last line; empty if there is none.
    pub fn text(&self) -> String {
        self.0.transcript.last().map_or_else(String::new, |line| line.message.text())
    }

    /// What is used, and left: a turn is a step.
    pub fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    /// The time that the state was last told.
    pub fn now(&self) -> Stamp {
        self.0.stamp
    }

    /// The turn under way.
    pub fn current_step(&self) -> Option<&Turn> {
        self.0.current.as_deref()
    }

    /// The agent whose turn is under way, as far as it came.
    pub fn current_agent(&self) -> Option<&AgentState> {
        self.0.agent.as_deref()
    }

    /// Whom it waits for.
    pub fn waits_for(&self) -> Option<&str> {
        let turn = self.current_step().filter(|_| self.0.status.is_waiting())?;
        Some(&turn.speaker)
    }

    /// The turn of a speaker that ended last.
    pub fn last_turn_of(&self, speaker: &str) -> Option<&Turn> {
        let results = self.0.results.iter().rev();
        results.map(|result| &*result.step).find(|turn| &*turn.speaker == speaker)
    }

    /// How many turns of a speaker ended.
    pub fn turns_of(&self, speaker: &str) -> usize {
        self.0.results.iter().filter(|result| &*result.step.speaker == speaker).count()
    }

    /// All errors of turns with their speakers, oldest first.
    pub fn errors_by_speaker(&self) -> impl Iterator<Item = (&str, &ErrorRecord)> {
        let ended = self.0.results.iter().map(|result| &*result.step);
        let turns = ended.chain(self.current_step());
        turns.flat_map(|turn| turn.errors.iter().map(|error| (&*turn.speaker, error)))
    }

    /// A mark of this very state, to see later what extends it.
    pub fn mark(&self) -> Mark {
        self.0.lineage.mark()
    }

    /// Whether this state came from the marked one by changes alone.
    pub fn extends(&self, mark: &Mark) -> bool {
        self.0.lineage.extends(mark)
    }

    /// The private way to a change: every change has its place in the lineage.
    pub(super) fn change(&mut self) -> &mut Inner {
        let inner = Arc::make_mut(&mut self.0);
        inner.lineage.advance();
        inner
    }
}

impl Progress for ChatState {
    type Step = Turn;

    fn status(&self) -> Option<&ExecutionStatus> {
        Some(&self.0.status)
    }

    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult<Turn>>> {
        self.0.results.iter()
    }

    fn step_count(&self) -> usize {
        self.0.results.len()
    }

    fn ending_step(&self) -> Option<&Turn> {
        self.0.provisional.as_ref().and_then(|_| self.current_step())
    }

    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        self.0.provisional.as_ref().or(self.0.outcome.as_ref())
    }

    fn votes(&self) -> &[Vote] {
        &self.0.votes
    }

    fn stop_signals(&self) -> &[StopSignal] {
        &self.0.signals
    }

    fn used(&self) -> &Amounts {
        &self.0.ledger.spent
    }

    /// Errors outside of turns first; those of turns are their speakers'.
    fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        self.0.errors.iter().chain(self.errors_by_speaker().map(|(_, error)| error))
    }

    /// Ends the turn under way: what was said enters the transcript.
    fn record_step_result(mut self, result: StepResult<Turn>) -> Self {
        let inner = self.change();
        if inner.current.take().is_none() {
            return self;
        }
        if let Some(message) = &result.step.message {
            let speaker = Arc::clone(&result.step.speaker);
            inner.transcript.push(Arc::new(Line { speaker, message: Arc::clone(message) }));
        }
        let outcome = Arc::clone(&result.outcome);
        inner.results.push(Arc::new(result));
        inner.end(outcome);
        self
    }
}

//! The state of a conversation between several participants.

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

/// The state of a conversation between several participants.
///
/// It is one pointer, cheap to clone, and changes only by named transitions, each of which
/// returns a new value. A program that keeps it after a turn can go on from there.
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
    /// The state of the agent whose turn is not finished.
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
        let progress = a.status == b.status && a.outcome == b.outcome && a.current == b.current;
        let raised = a.signals == b.signals && a.errors == b.errors;
        names && said && progress && raised && a.agent == b.agent && a.ledger == b.ledger
    }
}

impl ChatState {
    /// A conversation before its first line.
    ///
    /// The ids of the sessions of its agents begin with its id.
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

    /// The id of the conversation.
    pub fn id(&self) -> &SessionId {
        &self.0.id
    }

    /// The names of the participants, in the order of turns.
    pub fn participants(&self) -> &[Arc<str>] {
        &self.0.participants
    }

    /// The lines, oldest first.
    pub fn transcript(&self) -> &Chunked<Arc<Line>> {
        &self.0.transcript
    }

    /// The text of the last line; empty if there is none.
    pub fn text(&self) -> String {
        self.0.transcript.last().map_or_else(String::new, |line| line.message.text())
    }

    /// The ledger, in which a turn counts as a step.
    pub fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    /// The time that was last passed to [`ChatState::at`].
    pub fn now(&self) -> Stamp {
        self.0.stamp
    }

    /// The current turn.
    pub fn current_step(&self) -> Option<&Turn> {
        self.0.current.as_deref()
    }

    /// The state of the agent whose turn is not finished.
    pub fn current_agent(&self) -> Option<&AgentState> {
        self.0.agent.as_deref()
    }

    /// The name of the participant that it waits for.
    pub fn waits_for(&self) -> Option<&str> {
        let turn = self.current_step().filter(|_| self.0.status.is_waiting())?;
        Some(&turn.speaker)
    }

    /// The last finished turn of a speaker.
    pub fn last_turn_of(&self, speaker: &str) -> Option<&Turn> {
        let results = self.0.results.iter().rev();
        results.map(|result| &*result.step).find(|turn| &*turn.speaker == speaker)
    }

    /// The number of finished turns of a speaker.
    pub fn turns_of(&self, speaker: &str) -> usize {
        self.0.results.iter().filter(|result| &*result.step.speaker == speaker).count()
    }

    /// The errors of all turns with their speakers, oldest first.
    pub fn errors_by_speaker(&self) -> impl Iterator<Item = (&str, &ErrorRecord)> {
        let ended = self.0.results.iter().map(|result| &*result.step);
        let turns = ended.chain(self.current_step());
        turns.flat_map(|turn| turn.errors.iter().map(|error| (&*turn.speaker, error)))
    }

    /// A mark of this state, for [`ChatState::extends`].
    pub fn mark(&self) -> Mark {
        self.0.lineage.mark()
    }

    /// Whether this state is the marked one, or was made from it by transitions.
    pub fn extends(&self, mark: &Mark) -> bool {
        self.0.lineage.extends(mark)
    }

    /// Mutable access for a transition, which is recorded in the lineage.
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

    /// Errors outside of turns first, then those of turns.
    fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        self.0.errors.iter().chain(self.errors_by_speaker().map(|(_, error)| error))
    }

    /// Ends the current turn and appends its message to the transcript.
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

//! One execution: from input to stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::error::ErrorRecord;
use crate::id::Seq;
use crate::outcome::{ContinuationOutcome, StopSignal};
use crate::pending::Pending;
use crate::state::{AgentStep, StepResult};
use crate::status::ExecutionStatus;
use crate::time::Timestamp;

/// One activation of an agent, from input to stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionState {
    /// Its id: the entry that began it.
    pub id: Seq,
    /// Where it stands.
    pub status: ExecutionStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// The steps that ended, oldest first.
    pub results: Chunked<Arc<StepResult>>,
    /// The latest outcome.
    pub outcome: Option<Arc<ContinuationOutcome>>,
    /// The step under way.
    pub current: Option<Arc<AgentStep>>,
    /// Requests to stop, in the order they came.
    pub signals: Arc<Vec<StopSignal>>,
    /// What waits for a person, in call order.
    pub pending: Arc<Vec<Pending>>,
    /// Failures in a row, by tool.
    pub retries: Arc<BTreeMap<Arc<str>, u32>>,
    /// Errors raised outside a step.
    pub errors: Arc<Vec<ErrorRecord>>,
}

impl ExecutionState {
    pub(super) fn new(id: Seq, started_at: Timestamp) -> Self {
        Self {
            id,
            status: ExecutionStatus::InProgress,
            started_at,
            completed_at: None,
            results: Chunked::new(),
            outcome: None,
            current: None,
            signals: Arc::default(),
            pending: Arc::default(),
            retries: Arc::default(),
            errors: Arc::default(),
        }
    }

    /// The number that the next step gets; the first is 1.
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.results.len()).unwrap_or(u32::MAX).saturating_add(1)
    }
}

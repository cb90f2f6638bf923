//! The state of an execution.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chunked::Chunked;
use crate::error::ErrorRecord;
use crate::id::Seq;
use crate::outcome::{ContinuationOutcome, StopSignal};
use crate::pending::Pending;
use crate::state::{AgentStep, StepResult};
use crate::status::ExecutionStatus;
use crate::time::Timestamp;

/// The state of an execution: one activation of an agent, from input to stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionState {
    /// Its id: the number of the entry that began it.
    pub id: Seq,
    /// Its status.
    pub status: ExecutionStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; none while it has not.
    pub completed_at: Option<Timestamp>,
    /// The finished steps, oldest first.
    pub results: Chunked<Arc<StepResult>>,
    /// The outcome recorded last.
    pub outcome: Option<Arc<ContinuationOutcome>>,
    /// The current step; none between steps.
    pub current: Option<Arc<AgentStep>>,
    /// The requests to stop, oldest first.
    pub signals: Arc<Vec<StopSignal>>,
    /// The calls that wait for an answer, in call order.
    pub pending: Arc<Vec<Pending>>,
    /// The number of retries in a row, by tool.
    pub retries: Arc<BTreeMap<Arc<str>, u32>>,
    /// The errors outside of steps.
    pub errors: Arc<Vec<ErrorRecord>>,
    /// The output accepted last; none once another inference begins.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::present::present"
    )]
    pub output: Option<Arc<Value>>,
    /// The number of answers rejected as output in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rejected: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
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
            output: None,
            rejected: 0,
        }
    }

    /// The number of the next step; the first is 1.
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.results.len()).unwrap_or(u32::MAX).saturating_add(1)
    }
}

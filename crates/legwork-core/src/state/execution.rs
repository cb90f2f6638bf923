//! One execution: from input to stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::continuation::{ContinuationOutcome, StopReason, StopSignal};
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::{EffectKey, Seq};
use crate::state::{AgentStep, CallSlot, StepResult};
use crate::string_enum::string_enum;
use crate::time::Timestamp;

string_enum! {
    /// Where an execution stands.
    ExecutionStatus {
        /// It runs, or its process died.
        InProgress = "in_progress",
        /// It waits for a person's answer.
        AwaitingApproval = "awaiting_approval",
        /// It waits for a result from outside, or a time.
        AwaitingInput = "awaiting_input",
        /// It is done.
        Completed = "completed",
        /// A limit or a request stopped it.
        Stopped = "stopped",
        /// It failed.
        Failed = "failed",
        /// A person ended it.
        Cancelled = "cancelled",
    }
}

impl ExecutionStatus {
    /// Whether the execution is over.
    pub fn is_terminal(&self) -> bool {
        !matches!(self, Self::InProgress | Self::AwaitingApproval | Self::AwaitingInput)
    }

    /// Whether it waits for somebody.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::AwaitingApproval | Self::AwaitingInput)
    }
}

impl From<&StopReason> for ExecutionStatus {
    fn from(reason: &StopReason) -> Self {
        match reason {
            StopReason::Completed | StopReason::FinishReason => Self::Completed,
            StopReason::Error | StopReason::RetryLimit => Self::Failed,
            StopReason::UserRequested => Self::Cancelled,
            _ => Self::Stopped,
        }
    }
}

/// Why something waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PendingReason {
    /// A call began and nobody knows whether it happened.
    Doubt,
    /// The subagent of the call waits for somebody, in its own session, or somebody else
    /// holds that.
    Subagent,
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The effect's key as text; an answer names it.
    pub id: String,
    /// The index of the call in its response.
    pub index: u32,
    /// The tool.
    pub tool: Arc<str>,
    /// The arguments it would run with.
    pub arguments: Arc<str>,
    /// The digest of the exact call.
    pub digest: Digest,
    /// Why it waits.
    pub reason: PendingReason,
    /// When it was asked.
    pub asked_at: Timestamp,
}

impl Pending {
    /// A call of a step that waits, with the digest of exactly this call.
    pub fn new(key: &EffectKey, slot: &CallSlot, reason: PendingReason, at: Timestamp) -> Self {
        let (id, tool) = (key.to_string(), Arc::clone(&slot.call.name));
        let arguments = Arc::clone(slot.arguments());
        let digest = Digest::of_bytes(format!("{id}\n{tool}\n{arguments}").as_bytes());
        Self { id, index: key.index, tool, arguments, digest, reason, asked_at: at }
    }
}

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

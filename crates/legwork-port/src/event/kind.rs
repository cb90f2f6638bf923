//! The kinds of events.

use std::sync::Arc;

use legwork_core::budget::{Amounts, Ledger};
use legwork_core::error::ErrorRecord;
use legwork_core::event::RequestSent;
use legwork_core::inbox::Answer;
use legwork_core::output::Stage;
use legwork_core::tool::Metadata;
use legwork_core::{
    ContinuationOutcome, Entry, ExecutionStatus, Micros, Seq, SessionId, StopReason, StopSignal,
    Timestamp, ToolCall, ToolOutcome, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExecutionEnd, ExecutionStart};
use crate::model::{Delta, Retry};

/// How a hook ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookEnd {
    /// It returned the state unchanged.
    Passed,
    /// It returned a changed state.
    Changed,
    /// It failed, panicked or timed out, for this reason; its change was dropped.
    Failed(String),
    /// Its change is not allowed for its trigger, for this reason, and was dropped.
    Refused(String),
}

/// Entries that were committed to the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Committed {
    /// The entries of one commit, in order.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub entries: Vec<Arc<Entry>>,
    /// What each of the entries charged to the budget, in the same order.
    ///
    /// Charges for calls that broke off are not included; see the ledger.
    pub charged: Vec<Amounts>,
    /// The ledger after the commit: limits, and what is used and reserved.
    pub ledger: Ledger,
}

/// The kind of a run event, with its data.
///
/// All kinds are live, except `committed` and those that say that they follow a commit. Live
/// events are emitted at once, are provisional and are not journaled. After a crash they may
/// happen again, differently; only what was committed counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// An execution began. Follows a commit.
    ExecutionStarted(Box<ExecutionStart>),
    /// An execution goes on that was in progress, or had ended.
    ExecutionResumed(Box<ExecutionStart>),
    /// The end of the journal was damaged, and is cut back to its last undamaged entry.
    JournalCut {
        /// What was found.
        damage: String,
    },
    /// A step begins.
    StepStarted,
    /// A request is sent to the model.
    ///
    /// Followed by `inference_finished`, unless the run is cancelled or interrupted before.
    InferenceStarted {
        /// The inference: the number of the entry that reserved it.
        id: Seq,
        /// When it was sent.
        at: Timestamp,
        /// The model as `provider:name`.
        model: String,
        /// What identifies the request; none if its driver has the answer itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<RequestSent>,
    },
    /// An attempt at the request failed and is retried after a wait.
    InferenceRetried {
        /// The attempt that failed; the first is 1.
        attempt: u32,
        /// The wait before the next attempt.
        wait: Micros,
        /// The time for which failed attempts are still retried, this wait included.
        left: Micros,
        /// The error, in short.
        error: String,
        /// Whether deltas of the failed attempt were emitted, which are void now.
        discarded: bool,
    },
    /// A piece of the answer's text.
    TextDelta {
        /// The text of the piece.
        text: String,
    },
    /// A piece of the model's thinking.
    ThinkingDelta {
        /// The text of the piece.
        text: String,
    },
    /// The model begins to write a tool call.
    ToolCallDelta {
        /// The index of the call in the answer; the first is 0.
        index: u32,
        /// The name of the tool.
        tool: String,
    },
    /// A piece of the arguments of a tool call.
    ToolArgumentsDelta {
        /// The index of the call in the answer; the first is 0.
        index: u32,
        /// The piece: a part of a JSON text.
        json: String,
    },
    /// The request to the model ended.
    InferenceFinished {
        /// The inference: the number of the entry that reserved it.
        id: Seq,
        /// When it ended.
        at: Timestamp,
        /// How long it took.
        took: Micros,
        /// The tokens that its answer used, if the provider reported them; attempts before it are
        /// settled with it, in `BudgetSettled`.
        usage: Option<Usage>,
        /// Why there is no answer; none if there is an answer.
        error: Option<ErrorRecord>,
    },
    /// Part of the budget was reserved for an inference.
    BudgetReserved {
        /// The inference: the number of the entry that reserved it.
        id: Seq,
        /// What is reserved.
        amounts: Amounts,
    },
    /// The reservation of an inference was released, and what it used was charged.
    BudgetSettled {
        /// The inference: the number of the entry that reserved it.
        id: Seq,
        /// What was charged.
        charged: Amounts,
    },
    /// A tool call begins to run.
    ToolStarted {
        /// The index of the call in its turn; the first is 0.
        index: u32,
        /// The call as the model made it.
        call: ToolCall,
    },
    /// A running tool call reports its progress.
    ToolProgress {
        /// The index of the call in its turn.
        index: u32,
        /// The progress, in words: the text, the field `message` of the value, or its JSON.
        message: String,
        /// The value that was reported; none if it is a text.
        ///
        /// [`progress_as`](Self::progress_as) gives it as a value of its type.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "legwork_core::present::present"
        )]
        value: Option<Value>,
        /// The name of its Rust type; none if it is a text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    /// A tool call has its outcome.
    ToolFinished {
        /// The index of the call in its turn.
        index: u32,
        /// The call as the model made it.
        call: ToolCall,
        /// The outcome, before hooks may change it.
        outcome: ToolOutcome,
        /// How long it ran; 0 if it did not run.
        took: Micros,
        /// Values of the tool for people and programs; the model never sees them.
        #[serde(default, skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// A tool call starts or resumes a subagent. Its own events follow.
    SubagentStarted {
        /// The index of the call in its turn.
        index: u32,
        /// The name of the subagent.
        agent: String,
        /// The subagent's session.
        child: SessionId,
    },
    /// A subagent ended, or waits for an answer.
    SubagentFinished {
        /// The index of the call in its turn.
        index: u32,
        /// The name of the subagent.
        agent: String,
        /// The subagent's session.
        child: SessionId,
        /// The status of its execution.
        status: ExecutionStatus,
        /// The number of steps of its session.
        steps: u64,
        /// The tool calls, tokens and money that it and its own subagents used.
        ///
        /// Steps and active time are not included: each agent counts its own.
        used: Amounts,
    },
    /// An answer of the model was accepted as the output of the execution. Follows a commit.
    OutputAccepted {
        /// The value.
        value: Arc<Value>,
    },
    /// An answer of the model was rejected as output. Follows a commit.
    OutputRejected {
        /// The stage that failed.
        stage: Stage,
        /// What is wrong, in words for the model.
        problem: String,
    },
    /// A pending call was answered. Follows a commit.
    Answered {
        /// The answer, with the id of the call.
        answer: Answer,
    },
    /// A hook ran.
    HookExecuted {
        /// The name of the hook.
        hook: String,
        /// The name of the lifecycle method of its trigger.
        trigger: String,
        /// How long it took.
        took: Micros,
        /// How it ended.
        end: HookEnd,
    },
    /// The criteria decided whether the execution goes on.
    ContinuationEvaluated {
        /// The decision, with all votes.
        outcome: Arc<ContinuationOutcome>,
    },
    /// A stop was requested.
    StopRaised {
        /// The request, with its source and reason.
        signal: StopSignal,
    },
    /// A step ended. Follows a commit.
    StepFinished {
        /// Whether another step follows.
        continues: bool,
        /// Why the execution stops; none if it does not.
        stop_reason: Option<StopReason>,
        /// The decision, as a sentence.
        explain: String,
        /// The active time since active time was last charged.
        took: Micros,
        /// What the step used, with the subagents that its calls ran: tokens, money, calls.
        ///
        /// What is charged later for a call that broke off is in the ledger alone.
        #[serde(default, skip_serializing_if = "Amounts::is_zero")]
        used: Amounts,
    },
    /// An error of the model, a tool, a hook or the driver was recorded. Follows a commit.
    Error {
        /// The error, as it is journaled.
        error: ErrorRecord,
        /// What to do about it, if the program that runs the agent knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// The execution failed.
    ExecutionFailed {
        /// The error that ended it.
        error: ErrorRecord,
    },
    /// The state changed.
    StateUpdated {
        /// The number of its last entry, committed or not.
        seq: Seq,
        /// The entry at which the session stands.
        head: Seq,
    },
    /// Entries were committed to the journal.
    Committed(Committed),
    /// A warning: something that people should know, and that stops nothing.
    Warning {
        /// What happened, and what to do.
        message: String,
    },
    /// A note, on which nothing has to be done.
    Note {
        /// The note.
        message: String,
    },
    /// An interrupt was requested: the execution stays in progress.
    Interrupting,
    /// The execution ended. The last event of a run.
    ExecutionFinished(Box<ExecutionEnd>),
    /// The execution waits for an answer. The last event of a run.
    ExecutionPaused(Box<ExecutionEnd>),
    /// The execution stays in progress. The last event of a run.
    ExecutionInterrupted(Box<ExecutionEnd>),
    /// The run cannot go on: the journal cannot be written, or the program failed.
    RunFailed {
        /// Why.
        message: String,
        /// What to do about it, if the program that runs the agent knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
}

impl EventKind {
    /// The name, which is the `type` in its JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ExecutionStarted(_) => "execution_started",
            Self::ExecutionResumed(_) => "execution_resumed",
            Self::JournalCut { .. } => "journal_cut",
            Self::StepStarted => "step_started",
            Self::InferenceStarted { .. } => "inference_started",
            Self::InferenceRetried { .. } => "inference_retried",
            Self::TextDelta { .. } => "text_delta",
            Self::ThinkingDelta { .. } => "thinking_delta",
            Self::ToolCallDelta { .. } => "tool_call_delta",
            Self::ToolArgumentsDelta { .. } => "tool_arguments_delta",
            Self::InferenceFinished { .. } => "inference_finished",
            Self::BudgetReserved { .. } => "budget_reserved",
            Self::BudgetSettled { .. } => "budget_settled",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolProgress { .. } => "tool_progress",
            Self::ToolFinished { .. } => "tool_finished",
            Self::SubagentStarted { .. } => "subagent_started",
            Self::SubagentFinished { .. } => "subagent_finished",
            Self::OutputAccepted { .. } => "output_accepted",
            Self::OutputRejected { .. } => "output_rejected",
            Self::Answered { .. } => "answered",
            Self::HookExecuted { .. } => "hook_executed",
            Self::ContinuationEvaluated { .. } => "continuation_evaluated",
            Self::StopRaised { .. } => "stop_raised",
            Self::StepFinished { .. } => "step_finished",
            Self::Error { .. } => "error",
            Self::ExecutionFailed { .. } => "execution_failed",
            Self::StateUpdated { .. } => "state_updated",
            Self::Committed(_) => "committed",
            Self::Warning { .. } => "warning",
            Self::Note { .. } => "note",
            Self::Interrupting => "interrupting",
            Self::ExecutionFinished(_) => "execution_finished",
            Self::ExecutionPaused(_) => "execution_paused",
            Self::ExecutionInterrupted(_) => "execution_interrupted",
            Self::RunFailed { .. } => "run_failed",
        }
    }

    /// Whether it is a piece of an answer (text, thinking, tool call or arguments).
    pub fn is_delta(&self) -> bool {
        matches!(
            self,
            Self::TextDelta { .. }
                | Self::ThinkingDelta { .. }
                | Self::ToolCallDelta { .. }
                | Self::ToolArgumentsDelta { .. }
        )
    }
}

impl From<Delta<'_>> for EventKind {
    fn from(delta: Delta<'_>) -> Self {
        let call = |index| u32::try_from(index).unwrap_or(u32::MAX);
        match delta {
            Delta::Text(text) => Self::TextDelta { text: text.to_owned() },
            Delta::Thinking(text) => Self::ThinkingDelta { text: text.to_owned() },
            Delta::ToolCall { index, name } => {
                Self::ToolCallDelta { index: call(index), tool: name.to_owned() }
            }
            Delta::Arguments { index, json } => {
                Self::ToolArgumentsDelta { index: call(index), json: json.to_owned() }
            }
        }
    }
}

impl From<Retry<'_>> for EventKind {
    fn from(retry: Retry<'_>) -> Self {
        Self::InferenceRetried {
            attempt: retry.attempt,
            wait: retry.wait.into(),
            left: retry.left.into(),
            error: retry.error.to_owned(),
            discarded: retry.discarded,
        }
    }
}

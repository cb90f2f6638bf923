//! Events: facts that happened, in a closed, versioned list.

mod body;
mod charged;
mod context;
mod definition;
mod macros;
mod masked;

use serde_json::value::RawValue;

pub use body::{
    Answered, ExecutionFinished, ExecutionReopened, ExecutionStarted, ForkedFrom, HeadMoved,
    InboxTaken, InferenceFailed, InferenceInterrupted, InferenceStarted, OutputAccepted,
    OutputRejected, ParentLink, Paused, RefusedItem, Responded, ResponseChanged, Resumed,
    SessionStarted, StepFinished, StopPrevented, Suspended, Titled, ToolChanged, ToolFinished,
    ToolStarted, ToolsShown, UndoFinished, UndoOutcome, UndoStarted, Unknown, Worked,
};

pub use context::{
    AuxiliaryFinished, AuxiliaryStarted, BranchSummarised, Compacted, CompactionCause, Purpose,
    RequestSent, ResultCompared, ResultKey, ResultSummarised,
};
pub use definition::{Defined, Definition, DefinitionPolicy};

use crate::error::ErrorRecord;
use crate::inbox::Label;
use crate::message::Message;
pub use crate::settings::MetadataSet;
use crate::settings::SessionSettings;
use std::sync::Arc;

use crate::outcome::StopSignal;
use macros::events;

/// What an event is a fact about, and so over which entries it is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The session: folded over all entries, in the order of their numbers.
    Session,
    /// The conversation: folded over the path from the root to the head.
    Conversation,
    /// Both: part of it is a session fact, part a conversation fact.
    Both,
}

events! {
    /// The session began.
    SessionStarted(SessionStarted) = "session_started", Session;
    /// The definition of the agent was recorded, or changed.
    Defined(Defined) = "defined", Session;
    /// An execution began with new input.
    ExecutionStarted(ExecutionStarted) = "execution_started", Both;
    /// An execution that ended goes on: a limit was raised, or a failed step is made again.
    ExecutionReopened(ExecutionReopened) = "execution_reopened", Conversation;
    /// A request is about to be sent to the model; begins a step if there is none.
    InferenceStarted(InferenceStarted) = "inference_started", Both;
    /// The request to the model failed.
    InferenceFailed(Box<InferenceFailed>) = "inference_failed", Both;
    /// The run ended before the model answered: an estimate is charged, the rest released.
    InferenceInterrupted(InferenceInterrupted) = "inference_interrupted", Both;
    /// The model responded.
    Responded(Responded) = "responded", Both;
    /// A hook changed the response.
    ResponseChanged(ResponseChanged) = "response_changed", Conversation;
    /// A tool call is about to be run.
    ToolStarted(ToolStarted) = "tool_started", Both;
    /// A tool call has its outcome.
    ToolFinished(ToolFinished) = "tool_finished", Both;
    /// A hook changed the outcome of a tool call.
    ToolChanged(ToolChanged) = "tool_changed", Conversation;
    /// An answer of the model was accepted as the output of the execution.
    OutputAccepted(OutputAccepted) = "output_accepted", Conversation;
    /// An answer of the model was rejected as output.
    OutputRejected(OutputRejected) = "output_rejected", Conversation;
    /// The execution waits for answers.
    Paused(Paused) = "paused", Conversation;
    /// A pending call was answered.
    Answered(Box<Answered>) = "answered", Both;
    /// An error occurred.
    Failed(ErrorRecord) = "failed", Conversation;
    /// A stop was requested.
    StopRaised(Box<StopSignal>) = "stop_raised", Conversation;
    /// A step ended, with the outcome that was decided.
    StepFinished(StepFinished) = "step_finished", Both;
    /// Active time of the current step was charged.
    Worked(Worked) = "worked", Both;
    /// The execution ended.
    ExecutionFinished(ExecutionFinished) = "execution_finished", Conversation;
    /// A stop that was decided is not carried out.
    StopPrevented(StopPrevented) = "stop_prevented", Conversation;
    /// A message for the next inference; prevents a stop that can be prevented.
    Steered(Arc<Message>) = "steered", Conversation;
    /// A message was queued until the agent would otherwise stop.
    FollowUpQueued(Arc<Message>) = "follow_up_queued", Session;
    /// A queued message goes to the model in place of a stop.
    FollowedUp(Arc<Message>) = "followed_up", Both;
    /// A hook or program added a message.
    MessageAdded(Arc<Message>) = "message_added", Conversation;
    /// A metadata value of the conversation was set or removed.
    MetadataSet(MetadataSet) = "metadata_set", Conversation;
    /// An inbox item was taken up; its effect is the next event.
    InboxTaken(Box<InboxTaken>) = "inbox_taken", Session;
    /// The head of the session was moved.
    HeadMoved(HeadMoved) = "head_moved", Session;
    /// A label of an entry was set or removed.
    Labelled(Label) = "labelled", Session;
    /// The title of the session was set or removed.
    Titled(Titled) = "titled", Session;
    /// The session was suspended: no run works in it until it is resumed or given a task.
    Suspended(Suspended) = "suspended", Session;
    /// A suspended session goes on.
    Resumed(Resumed) = "resumed", Session;
    /// A person set settings of the session.
    SettingsSet(Box<SessionSettings>) = "settings_set", Session;
    /// An inference that is no step is about to be made.
    AuxiliaryStarted(AuxiliaryStarted) = "auxiliary_started", Session;
    /// An inference that is no step ended.
    AuxiliaryFinished(Box<AuxiliaryFinished>) = "auxiliary_finished", Session;
    /// From now on a summary is read in place of the beginning of the conversation.
    Compacted(Arc<Compacted>) = "compacted", Conversation;
    /// The path that was left is summarised at the beginning of the new one.
    BranchSummarised(BranchSummarised) = "branch_summarised", Conversation;
    /// From now on a summary may be read in place of a result of a tool call.
    ResultSummarised(Arc<ResultSummarised>) = "result_summarised", Conversation;
    /// A result of a tool call was compared with earlier ones.
    ResultCompared(ResultCompared) = "result_compared", Conversation;
    /// A call that ran is about to be taken back.
    UndoStarted(UndoStarted) = "undo_started", Session;
    /// A call was taken back, or that was refused.
    UndoFinished(UndoFinished) = "undo_finished", Session;
}

/// The body of an event does not fit its type.
#[derive(Debug, thiserror::Error)]
#[error("the body of a `{kind}` event does not fit: {source}")]
pub struct Error {
    /// The type of the event.
    pub kind: String,
    /// Why it does not fit.
    pub source: serde_json::Error,
}

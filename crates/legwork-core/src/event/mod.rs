//! Facts that happened: a closed, versioned list.

mod body;
mod charged;
mod macros;
mod masked;

use serde_json::value::RawValue;

pub use body::{
    Answered, Defined, Definition, ExecutionFinished, ExecutionReopened, ExecutionStarted,
    HeadMoved, InboxTaken, InferenceFailed, InferenceInterrupted, InferenceStarted, MetadataSet,
    ParentLink, Paused, RefusedItem, Responded, ResponseChanged, SessionStarted, StepFinished,
    StopPrevented, ToolChanged, ToolFinished, ToolStarted, ToolsShown, Unknown, Worked,
};

use crate::error::ErrorRecord;
use crate::inbox::Label;
use crate::message::Message;
use std::sync::Arc;

use crate::outcome::StopSignal;
use macros::events;

/// What an event is a fact about, and so what it folds over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The session: folds over all entries in sequence order.
    Session,
    /// The conversation: folds over the path from the root to the head.
    Conversation,
    /// Both: part of it is a session fact, part a conversation fact.
    Both,
}

events! {
    /// The session began.
    SessionStarted(SessionStarted) = "session_started", Session;
    /// What the agent is was recorded, first or anew.
    Defined(Defined) = "defined", Session;
    /// An execution began with new input.
    ExecutionStarted(ExecutionStarted) = "execution_started", Both;
    /// A stopped execution goes on, for a limit was raised.
    ExecutionReopened(ExecutionReopened) = "execution_reopened", Conversation;
    /// A call to the model is about to be made; begins a step if none is under way.
    InferenceStarted(InferenceStarted) = "inference_started", Both;
    /// The call to the model failed.
    InferenceFailed(InferenceFailed) = "inference_failed", Both;
    /// A call to the model was left before it was answered: what was reserved is settled.
    InferenceInterrupted(InferenceInterrupted) = "inference_interrupted", Session;
    /// The model's raw response is complete.
    Responded(Responded) = "responded", Both;
    /// A hook changed the response.
    ResponseChanged(ResponseChanged) = "response_changed", Conversation;
    /// The intent of a tool call: it is about to be run.
    ToolStarted(ToolStarted) = "tool_started", Both;
    /// A tool call was answered.
    ToolFinished(ToolFinished) = "tool_finished", Both;
    /// A hook changed the answer of a tool call.
    ToolChanged(ToolChanged) = "tool_changed", Conversation;
    /// The execution waits for somebody.
    Paused(Paused) = "paused", Conversation;
    /// Somebody answered what was pending.
    Answered(Answered) = "answered", Both;
    /// Something went wrong.
    Failed(ErrorRecord) = "failed", Conversation;
    /// Somebody asked to stop.
    StopRaised(StopSignal) = "stop_raised", Conversation;
    /// A step ended, with the outcome decided after it.
    StepFinished(StepFinished) = "step_finished", Both;
    /// Active time on a step that is not over was charged.
    Worked(Worked) = "worked", Both;
    /// The execution ended.
    ExecutionFinished(ExecutionFinished) = "execution_finished", Conversation;
    /// The stop that was decided is not carried out.
    StopPrevented(StopPrevented) = "stop_prevented", Conversation;
    /// A message for the very next inference; a stop that may be prevented is.
    Steered(Arc<Message>) = "steered", Conversation;
    /// A message waits until the agent would otherwise stop.
    FollowUpQueued(Arc<Message>) = "follow_up_queued", Session;
    /// A queued follow-up goes to the model instead of stopping.
    FollowedUp(Arc<Message>) = "followed_up", Both;
    /// A message was added by a hook or program.
    MessageAdded(Arc<Message>) = "message_added", Conversation;
    /// Metadata of the conversation was set or removed.
    MetadataSet(MetadataSet) = "metadata_set", Conversation;
    /// An item of the inbox was taken up; the next event is what it causes.
    InboxTaken(InboxTaken) = "inbox_taken", Session;
    /// The session stands at another entry now.
    HeadMoved(HeadMoved) = "head_moved", Session;
    /// An entry was labelled.
    Labelled(Label) = "labelled", Session;
}

/// A body that is not what its type says.
#[derive(Debug, thiserror::Error)]
#[error("the body of a `{kind}` event does not fit: {source}")]
pub struct Error {
    /// The event's type.
    pub kind: String,
    /// What did not fit.
    pub source: serde_json::Error,
}

//! The inbox: items that others post to a session, which its next run takes up.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::{Approval, Remember};
use crate::digest::Digest;
use crate::id::Seq;
use crate::message::{Malformed, Message};
use crate::pending::{Pending, PendingReason};
use crate::settings::{MetadataSet, SessionSettings};
use crate::transcript::Transcript;

/// The number of an inbox item in its session; the first is 1.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Cursor(pub u64);

/// An item of the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Item {
    /// A message for the next inference.
    Steer(Arc<Message>),
    /// A message for the point at which the agent would otherwise stop.
    FollowUp(Arc<Message>),
    /// A request to stop the execution, with a reason in words.
    Stop(String),
    /// An answer to a pending call.
    Answer(Answer),
    /// A label for an entry.
    Label(Label),
    /// A request to move the head to an entry.
    MoveHead(Seq),
    /// A title for the session; none removes it.
    Title(Option<String>),
    /// A request to suspend the session, with a reason in words.
    Suspend(String),
    /// Settings of the session.
    Set(SessionSettings),
    /// A metadata value of the conversation, or its removal.
    SetMetadata(MetadataSet),
    /// A task: a follow-up message, with which a suspended session goes on.
    Task(Arc<Message>),
}

/// How many of the follow-up messages that wait are delivered where the agent would stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FollowUps {
    /// The first: the next is delivered where the agent would stop again.
    #[default]
    OneAtATime,
    /// All, in their order.
    Together,
}

impl Item {
    /// Checks that a message in it is complete by itself: it has no tool call and no result.
    ///
    /// # Errors
    /// The first part that fails the check.
    pub fn check(&self) -> Result<(), Malformed> {
        match self {
            Self::Steer(message) | Self::FollowUp(message) | Self::Task(message) => {
                Transcript::check([message])
            }
            _ => Ok(()),
        }
    }
}

/// A label of an entry, or its removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    /// The number of the entry.
    pub entry: Seq,
    /// The label; none removes it.
    pub text: Option<String>,
}

/// An answer to a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The [`Pending::id`](crate::state::Pending::id) of the call.
    pub id: String,
    /// What to do with the call.
    pub verdict: Verdict,
    /// The [`Pending::digest`](crate::state::Pending::digest) of the request for input that it
    /// answers: a call may ask several times under one id. None for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Who answered; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Answer {
    /// An answer to the call of an id.
    pub fn new(id: impl Into<String>, verdict: Verdict) -> Self {
        Self { id: id.into(), verdict, digest: None, by: None }
    }

    /// Approves a call as it is.
    pub fn approve(pending: &Pending) -> Self {
        let digest = pending.digest.clone();
        let approval = Approval { digest, arguments: None, remember: None };
        Self::new(&pending.id, Verdict::Approve(approval))
    }

    /// Approves a call as it is, and later ones that are like it in this session.
    pub fn approve_and_remember(pending: &Pending, remember: Remember) -> Self {
        let digest = pending.digest.clone();
        let approval = Approval { digest, arguments: None, remember: Some(remember) };
        Self::new(&pending.id, Verdict::Approve(approval))
    }

    /// Approves a call with other arguments, which must fit the schema of its tool.
    pub fn approve_with(pending: &Pending, arguments: &Value) -> Self {
        let (digest, arguments) = (pending.digest.clone(), Some(arguments.to_string().into()));
        let approval = Approval { digest, arguments, remember: None };
        Self::new(&pending.id, Verdict::Approve(approval))
    }

    /// Denies a call; the model reads why.
    pub fn deny(pending: &Pending, message: impl Into<String>) -> Self {
        Self::to(pending, Verdict::Deny(message.into()))
    }

    /// Gives the result of a call, which does not run; or the input that its body asked for, with
    /// which it runs again.
    pub fn supply(pending: &Pending, value: Value) -> Self {
        Self::to(pending, Verdict::Supply(value))
    }

    /// An answer to a call as it waits now, if its body asks for input.
    fn to(pending: &Pending, verdict: Verdict) -> Self {
        let digest = pending.input.is_some().then(|| pending.digest.clone());
        Self { digest, ..Self::new(&pending.id, verdict) }
    }

    /// The same with who answered.
    #[must_use]
    pub fn by(self, who: impl Into<String>) -> Self {
        Self { by: Some(who.into()), ..self }
    }
}

/// A person's decision about a pending call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Run it again, although it may have happened.
    RunAgain,
    /// Report to the model that it was interrupted.
    Tell,
    /// Use this value as its result; of a call whose body asked for input, as that.
    Supply(Value),
    /// Run it: a person looked at it and approved.
    Approve(Approval),
    /// Do not run it, for this reason, which the model reads.
    Deny(String),
}

impl Verdict {
    /// Whether it is an answer to a call that waits for this reason.
    pub fn answers(&self, reason: &PendingReason) -> bool {
        match (self, reason) {
            (_, PendingReason::Subagent) | (Self::Supply(_), PendingReason::Model) => false,
            (Self::Supply(_), _) => true,
            (Self::Tell, reason) => *reason == PendingReason::Doubt,
            (Self::RunAgain, reason) => {
                matches!(reason, PendingReason::Doubt | PendingReason::Until(_))
            }
            (Self::Approve(_), reason) => *reason == PendingReason::Approval,
            (Self::Deny(_), reason) => *reason != PendingReason::Doubt,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunAgain => "run_again",
            Self::Tell => "tell",
            Self::Supply(_) => "supply",
            Self::Approve(_) => "approve",
            Self::Deny(_) => "deny",
        }
    }
}

/// An item with its number and key, as a store returns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posted {
    /// Its number in the session's inbox.
    pub cursor: Cursor,
    /// The sender's key; a second item with the same key is not stored.
    pub key: String,
    /// The item as it was posted.
    pub item: Item,
}

//! Calls that wait for an answer.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval;
use crate::digest::Digest;
use crate::id::{EffectKey, Seq};
use crate::metadata::Metadata;
use crate::time::Timestamp;
use crate::tool::{Deferral, InputRequest, Prompt, ToolCall, ToolOutcome};

/// Why a call waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PendingReason {
    /// It is in doubt: it began, and may or may not have happened.
    Doubt,
    /// Its subagent waits for an answer, or another process holds the claim of its session.
    Subagent,
    /// A person has to approve it before it runs.
    Approval,
    /// Its result comes from outside.
    External,
    /// It runs again at a point in time.
    Until(Timestamp),
    /// Its body asked a person for input, with which it runs again.
    Input,
    /// Its body asked the model, and runs again with the answer, which a run of the session obtains.
    Model,
}

impl PendingReason {
    /// Whether the other calls of the turn wait with it, whatever they are: what comes after it
    /// may build on its effect.
    pub fn holds_turn(&self) -> bool {
        matches!(self, Self::Doubt | Self::Subagent)
    }

    /// Whether a person decides about it.
    pub fn needs_decision(&self) -> bool {
        matches!(self, Self::Doubt | Self::Subagent | Self::Approval)
    }
}

impl fmt::Display for PendingReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doubt => f.write_str("in doubt: it may or may not have happened"),
            Self::Subagent => f.write_str("waits for its subagent"),
            Self::Approval => f.write_str("needs approval"),
            Self::External => f.write_str("waits for its result"),
            Self::Until(time) => write!(f, "runs again at {time}"),
            Self::Input => f.write_str("needs input"),
            Self::Model => f.write_str("asks the model"),
        }
    }
}

/// What a call waits for that was judged and may not run yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Waits {
    /// A person's approval.
    Approval(approval::Request),
    /// A result from outside, or a point in time.
    Deferred(Deferral),
    /// Input of a person or of the model.
    Input(InputRequest),
}

impl Waits {
    /// What a call with this outcome waits for.
    ///
    /// # Errors
    /// The outcome itself, if it answers the call.
    pub fn of(outcome: ToolOutcome) -> Result<Self, ToolOutcome> {
        match outcome {
            ToolOutcome::Deferred(deferral) => Ok(Self::Deferred(deferral)),
            ToolOutcome::NeedsApproval(request) => Ok(Self::Approval(*request)),
            ToolOutcome::NeedsInput(request) => Ok(Self::Input(*request)),
            answer => Err(answer),
        }
    }
}

impl From<Deferral> for PendingReason {
    fn from(deferral: Deferral) -> Self {
        match deferral {
            Deferral::External => Self::External,
            Deferral::Until(time) => Self::Until(time),
            Deferral::Session(_) => Self::Subagent,
        }
    }
}

/// A call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pending {
    /// The key of its effect as text; an answer refers to it.
    pub id: String,
    /// The index of the call in its response.
    pub index: u32,
    /// The name of the tool.
    pub tool: Arc<str>,
    /// The arguments it would run with.
    pub arguments: Arc<str>,
    /// The digest of `id`, the id of the call, `what`, and the number of the last entry before it
    /// waited; an approval names it. A call that waits again has another one.
    pub digest: Digest,
    /// What the call is, wherever it is made: the digest of the tool, its spec and the arguments
    /// in their canonical form.
    ///
    /// None in journals of format version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<Digest>,
    /// The digest of the spec of the tool, as it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Digest>,
    /// Whether the policy of the tool asks for approval, and not a hook or its body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_policy: bool,
    /// Why it waits.
    pub reason: PendingReason,
    /// Why it needs approval, what its body asks, or what else it waits for, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// Values that help a person decide; the model never sees them.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What its body asks for, if it asks a person or the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<InputRequest>>,
    /// When it began to wait.
    pub asked_at: Timestamp,
    /// When it can no longer be answered; none = never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Pending {
    /// A call that waits, with the arguments that it would run with and the digest of its spec;
    /// `after` is the last entry before it waits.
    pub fn new(
        key: &EffectKey,
        call: &ToolCall,
        arguments: &Arc<str>,
        spec: Option<&Digest>,
        reason: PendingReason,
        after: Seq,
        at: Timestamp,
    ) -> Self {
        let (id, tool, arguments) =
            (key.to_string(), Arc::clone(&call.name), Arc::clone(arguments));
        let what = approval::what(&tool, &arguments, spec);
        let wait = format!("{id}\n{}\n{}\n{after}", call.id, what.as_str());
        Self {
            id,
            index: key.index,
            tool,
            arguments,
            digest: Digest::of_bytes(wait.as_bytes()),
            what: Some(what),
            spec: spec.cloned(),
            of_policy: false,
            reason,
            explanation: None,
            metadata: Metadata::default(),
            input: None,
            asked_at: at,
            expires_at: None,
        }
    }

    /// The same with what a request for approval says.
    #[must_use]
    pub fn with_request(self, request: approval::Request) -> Self {
        let approval::Request { reason, metadata, expires_in, of_policy } = request;
        let expires_at = expires_in.map(|time| self.asked_at.after(time));
        Self { explanation: Some(reason), metadata, expires_at, of_policy, ..self }
    }

    /// The same with what its body asks for.
    #[must_use]
    pub fn with_input(self, request: InputRequest) -> Self {
        let expires_at = request.expires_in.map(|time| self.asked_at.after(time));
        let explanation = Some(request.message.clone());
        Self { explanation, input: Some(Box::new(request)), expires_at, ..self }
    }

    /// What its body asks the model; none if it waits for something else.
    pub fn prompt(&self) -> Option<&Prompt> {
        let asks = self.input.as_ref().filter(|_| self.reason == PendingReason::Model);
        asks.and_then(|request| request.prompt())
    }

    /// Whether it can no longer be answered at a time.
    pub fn is_expired(&self, at: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= at)
    }
}

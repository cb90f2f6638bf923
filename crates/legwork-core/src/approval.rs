//! Approvals: what a call needs one for, and what a person said.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::{self, Digest};
use crate::metadata::Metadata;
use crate::time::Micros;

/// A request for a person's approval of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Request {
    /// Why the call needs approval, for the person.
    pub reason: String,
    /// Values that help the person decide, such as a diff; the model never sees them.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// How long it can be answered; none = for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<Micros>,
    /// Whether the policy of the tool asks, and not a hook or the body of the tool: only an
    /// approval of such a request covers later calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_policy: bool,
}

impl Request {
    /// A request with a reason, which never expires.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }

    /// The same with a value that helps the person decide.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: serde_json::Value) -> Self {
        self.metadata.insert(name, value);
        self
    }

    /// Both in one: with this reason, the values of both, and the time that ends first.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (name, value) in other.metadata.iter() {
            if self.metadata.get(name).is_none() {
                self.metadata.insert(name, value.clone());
            }
        }
        let times = self.expires_in.into_iter().chain(other.expires_in);
        Self { expires_in: times.min(), of_policy: self.of_policy && other.of_policy, ..self }
    }

    /// The same, asked by the policy of a tool.
    #[must_use]
    pub fn of_policy(self) -> Self {
        Self { of_policy: true, ..self }
    }

    /// The same with a time after which the call cannot be answered any more.
    #[must_use]
    pub fn expires_in(self, time: impl Into<Micros>) -> Self {
        Self { expires_in: Some(time.into()), ..self }
    }
}

/// An approval of exactly one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approval {
    /// The [`Pending::digest`](crate::state::Pending::digest) of the call that was looked at.
    pub digest: Digest,
    /// The arguments to run it with, if they are to be other ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arc<str>>,
    /// Which later calls of the session it holds for, too; none = for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
}

/// Which later calls of the session an approval holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Remember {
    /// All calls of the same tool, whatever their arguments.
    Tool,
    /// All calls that a rule admits, such as `bash(git log:*)`, as the program reads it.
    Rule(String),
}

/// An approval that was given in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The tool.
    pub tool: Arc<str>,
    /// What was approved: the digest of the tool, its spec and the arguments.
    pub what: Digest,
    /// The digest of the spec of the tool.
    pub spec: Option<Digest>,
    /// Whether the policy of the tool asked for it.
    pub of_policy: bool,
    /// Why it was asked about: policies of one tool are told apart by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Which later calls it holds for, too.
    pub remember: Option<Remember>,
}

/// What a call is, wherever it is made: the digest of the tool's name, its spec and the arguments
/// in their canonical form.
pub fn what(tool: &str, arguments: &str, spec: Option<&Digest>) -> Digest {
    let canonical = serde_json::from_str(arguments).map(|value| digest::canonical(&value));
    let arguments = canonical.unwrap_or_else(|_| arguments.to_owned());
    let spec = spec.map_or("", Digest::as_str);
    Digest::of_bytes(format!("{tool}\n{spec}\n{arguments}").as_bytes())
}

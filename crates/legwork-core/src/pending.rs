//! Calls that wait for a person.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::id::EffectKey;
use crate::time::Timestamp;

/// Why something waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// A call that waits, by its tool and the arguments it would run with, with the digest of
    /// exactly this call.
    pub fn new(
        key: &EffectKey,
        (tool, arguments): (&Arc<str>, &Arc<str>),
        reason: PendingReason,
        at: Timestamp,
    ) -> Self {
        let (id, tool, arguments) = (key.to_string(), Arc::clone(tool), Arc::clone(arguments));
        let digest = Digest::of_bytes(format!("{id}\n{tool}\n{arguments}").as_bytes());
        Self { id, index: key.index, tool, arguments, digest, reason, asked_at: at }
    }
}

//! Calls that wait for an answer.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::id::EffectKey;
use crate::time::Timestamp;

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
}

/// A call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The digest of `id`, `tool` and `arguments`.
    pub digest: Digest,
    /// Why it waits.
    pub reason: PendingReason,
    /// When it began to wait.
    pub asked_at: Timestamp,
}

impl Pending {
    /// A call that waits, with its tool and the arguments it would run with.
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

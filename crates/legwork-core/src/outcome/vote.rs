//! The votes of criteria and hooks.

use serde::{Deserialize, Serialize};

use crate::outcome::StopSignal;

/// A vote on whether the execution goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Stop, whatever the other votes are.
    Forbid(StopSignal),
    /// Go on, unless a vote forbids it.
    Request,
    /// Stop, unless a vote requests to go on.
    Stop(StopSignal),
    /// Go on, unless a vote is for stopping.
    Allow,
}

/// A decision with the name of the criterion or hook that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Vote {
    /// The name of the criterion or hook.
    pub by: String,
    /// What it votes for.
    pub decision: Decision,
}

//! What criteria say.

use serde::{Deserialize, Serialize};

use crate::outcome::StopSignal;

/// What a criterion wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Stop, whatever others say.
    Forbid(StopSignal),
    /// Go on, unless one forbids.
    Request,
    /// Stop, unless one asks to go on.
    Stop(StopSignal),
    /// Go on, if nobody wants to stop.
    Allow,
}

/// A decision with the name of who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Vote {
    /// The criterion or hook.
    pub by: String,
    /// What it wants.
    pub decision: Decision,
}

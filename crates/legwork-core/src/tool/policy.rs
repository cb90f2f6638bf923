//! How the calls of a turn depend on each other.

use serde::{Deserialize, Serialize};

/// What a blocked call does to the rest of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnBlock {
    /// The other calls run.
    #[default]
    Continue,
    /// The calls after it do not run.
    Stop,
}

/// What becomes of the other calls of a turn in which a call gives the output of the execution.
///
/// Calls that wait for approval or a deferred result are never dropped: the execution pauses for
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndStrategy {
    /// The calls that give an output run first; once one succeeded, no other call runs.
    Early,
    /// Once one succeeded, no other call that gives an output runs; the rest does.
    #[default]
    Graceful,
    /// All calls run; of several outputs the first by call order is the output.
    Exhaustive,
}

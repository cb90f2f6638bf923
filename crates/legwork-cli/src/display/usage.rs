//! What an execution used, in the units in which people read it.

use legwork::core::budget::Amounts;
use serde::Serialize;

/// What an execution used.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Usage {
    pub(crate) steps: u64,
    pub(crate) tool_calls: u64,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// What the models with a known price cost; none where that is nothing.
    pub(crate) cost_usd: Option<f64>,
    pub(crate) active_time_ms: u64,
    /// Whether some of the tokens are estimates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) estimated: bool,
    /// Whether some of the tokens have no known price, so that the cost is without them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unpriced: bool,
}

impl Usage {
    pub(crate) fn of_amounts(used: &Amounts) -> Self {
        let cost = used.cost.0;
        Self {
            steps: used.steps,
            tool_calls: used.tool_calls,
            input: used.input,
            output: used.output,
            // Exact: what is written is the shortest text of the same number.
            cost_usd: (cost > 0).then(|| cost as f64 / 1e6),
            active_time_ms: used.active_time.0 / 1000,
            estimated: used.estimated,
            unpriced: used.unpriced,
        }
    }
}

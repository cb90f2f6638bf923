//! Limits, at the moment when something begins that counts against them.

use legwork_core::event::Event;
use legwork_core::{AgentState, Entry};

use super::{Checked, hold};

const RESERVED: &str = "nothing is reserved beyond a limit (S5.2)";
const CALLS: &str = "no call begins beyond the limit on calls (S5.5)";

/// Holds the ledger against its limits where an entry begins something; the state is that
/// after the entry.
pub(super) fn of_entry(state: &AgentState, entry: &Entry) -> Checked {
    let (budget, ledger) = (&state.ledger().budget, state.ledger());
    let at = entry.seq;
    match &entry.event {
        Event::InferenceStarted(_) => {
            let used = ledger.used_and_reserved();
            let checks = [
                (budget.input_tokens, used.input, "input tokens"),
                (budget.output_tokens, used.output, "output tokens"),
                (budget.total_tokens, used.total_tokens(), "tokens"),
                (budget.cost.map(|cost| cost.0), used.cost.0, "micro-dollars"),
            ];
            for (limit, used, what) in checks {
                let within = limit.is_none_or(|limit| used <= limit);
                hold!(RESERVED, within, "entry {at} makes it {used} {what} of {limit:?}");
            }
        }
        Event::ToolStarted(_) => {
            let (limit, used) = (budget.tool_calls, ledger.spent.tool_calls);
            let within = limit.is_none_or(|limit| used <= limit);
            hold!(CALLS, within, "entry {at} makes it {used} calls of {limit:?}");
        }
        _ => {}
    }
    Ok(())
}

//! The last line: what was spent.

use std::time::Duration;

use super::Usage;
use super::marks::Marks;
use super::text::{count, grouped, money, time};

/// What was spent, in a line.
pub(crate) fn spent(usage: &Usage, marks: Marks) -> String {
    let mut parts = vec![count(usage.steps, "step")];
    if usage.tool_calls > 0 {
        parts.push(count(usage.tool_calls, "tool call"));
    }
    parts.push(format!("{} tokens in, {} out", grouped(usage.input), grouped(usage.output)));
    parts.push(time(Duration::from_millis(usage.active_ms)));
    parts.extend(usage.cost_usd.map(money));
    parts.join(&format!(" {} ", marks.dot))
}

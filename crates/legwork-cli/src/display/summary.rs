//! The last line: what was spent.

use std::time::Duration;

use super::Usage;
use super::marks::Marks;
use super::text::{count, grouped, money, time, wrapped};

/// A space where no line is broken.
const WHOLE: &str = "\u{a0}";

/// What was spent, in a line.
pub(crate) fn spent(usage: &Usage, marks: Marks) -> String {
    parts(usage).join(&format!(" {} ", marks.dot))
}

/// What one step used.
pub(crate) fn spent_in_step(usage: &Usage, marks: Marks) -> String {
    let time = time(Duration::from_millis(usage.active_time_ms));
    let parts: Vec<_> = [tokens(usage), time].into_iter().chain(cost(usage)).collect();
    parts.join(&format!(" {} ", marks.dot))
}

/// The same behind a name, in lines of so many columns, none of its parts broken.
pub(super) fn spent_within(of: &str, usage: &Usage, marks: Marks, most: usize) -> String {
    let mut parts = parts(usage);
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, of);
    }
    joined(&parts, marks, most, 2)
}

/// Parts in lines of so many columns, none of them broken; what follows the first line is
/// set in.
pub(super) fn joined(parts: &[String], marks: Marks, most: usize, indent: usize) -> String {
    let whole: Vec<_> = parts.iter().map(|part| part.replace(' ', WHOLE)).collect();
    let line = whole.join(&format!("{WHOLE}{} ", marks.dot));
    wrapped(&line, most, indent).replace(WHOLE, " ")
}

fn parts(usage: &Usage) -> Vec<String> {
    let mut parts = vec![count(usage.steps, "step")];
    if usage.tool_calls > 0 {
        parts.push(count(usage.tool_calls, "tool call"));
    }
    parts.push(tokens(usage));
    parts.push(time(Duration::from_millis(usage.active_time_ms)));
    parts.extend(cost(usage));
    parts
}

/// Tokens in and out; where some are estimates, so is the sum.
pub(super) fn tokens(usage: &Usage) -> String {
    let about = if usage.estimated { "about " } else { "" };
    format!("{about}{} tokens in, {} out", grouped(usage.input), grouped(usage.output))
}

/// The known cost; where some has no known price, it is at least that.
pub(super) fn cost(usage: &Usage) -> Option<String> {
    let least = if usage.unpriced { "at least " } else { "" };
    usage.cost_usd.map(|cost| format!("{least}{}", money(cost)))
}

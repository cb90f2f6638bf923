//! The limits of an agent, as fields of its file.

use std::time::Duration;

use legwork_core::Budget;
use legwork_core::budget::MicroUsd;
use legwork_core::time::Micros;
use serde_json::Value;

use crate::canonical::Ordered;
use crate::fields::{Findings, Item, Table};
use crate::syntax::node::Data;

/// The maximum of `usd`: up to here an `f64` tells each millionth from the next.
pub(crate) const MAX_USD: f64 = 1e9;
/// The maximum of a count: up to here JSON readers of all languages agree on numbers.
pub(crate) const MAX_COUNT: u64 = (1 << 53) - 1;

/// The fields of limits.
pub(crate) const FIELDS: [&str; 7] =
    ["usd", "steps", "tool_calls", "input_tokens", "output_tokens", "tokens", "time"];

/// The limits of an agent; none = not limited by its definition.
///
/// These are the limits of a [`Budget`] without its deadline: a definition is written once and
/// used for months, a point in time belongs to one execution.
///
/// ```
/// use legwork_core::Budget;
/// use legwork_definitions::Limits;
///
/// let limits = Limits::from(&Budget::usd(0.50));
/// assert_eq!(limits.over(&Budget::guards().steps(3)), Budget::usd(0.50));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// Money; US dollars in files, to the millionth.
    pub usd: Option<MicroUsd>,
    /// Steps.
    pub steps: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// Input tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Active time; text such as `5m` in files, to the microsecond.
    pub time: Option<Micros>,
}

impl Limits {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These limits as a budget; what is missing is unlimited.
    pub fn to_budget(&self) -> Budget {
        self.over(&Budget::unlimited())
    }

    /// These limits, and those of a budget where one is missing here.
    pub fn over(&self, base: &Budget) -> Budget {
        Budget {
            steps: self.steps.or(base.steps),
            tool_calls: self.tool_calls.or(base.tool_calls),
            input_tokens: self.input_tokens.or(base.input_tokens),
            output_tokens: self.output_tokens.or(base.output_tokens),
            total_tokens: self.tokens.or(base.total_tokens),
            cost: self.usd.or(base.cost),
            active_time: self.time.or(base.active_time),
            deadline: base.deadline,
            output_floor: base.output_floor,
        }
    }

    /// Reads them from their table.
    pub(crate) fn read(mut table: Table, findings: &mut Findings) -> Self {
        let mut count = |key: &str| table.take(key).and_then(|item| counted(&item, findings));
        let (steps, tool_calls) = (count("steps"), count("tool_calls"));
        let (input_tokens, output_tokens) = (count("input_tokens"), count("output_tokens"));
        let tokens = count("tokens");
        let usd = table.take("usd").and_then(|item| dollars(&item, findings));
        let time = table.take("time").and_then(|item| duration(&item, findings));
        table.refuse_rest(&FIELDS, findings);
        Self { usd, steps, tool_calls, input_tokens, output_tokens, tokens, time }
    }

    /// Their fields, in the order in which they are written.
    pub(crate) fn ordered(&self) -> Ordered<'static> {
        let dollars = |usd: MicroUsd| match (usd.0 / 1_000_000, usd.0 % 1_000_000) {
            (whole, 0) => Value::from(whole),
            _ => Value::from(usd.0 as f64 / 1e6),
        };
        let duration = |time| humantime::format_duration(Duration::from(time)).to_string();
        let fields = [
            ("usd", self.usd.map(dollars)),
            ("steps", self.steps.map(Value::from)),
            ("tool_calls", self.tool_calls.map(Value::from)),
            ("input_tokens", self.input_tokens.map(Value::from)),
            ("output_tokens", self.output_tokens.map(Value::from)),
            ("tokens", self.tokens.map(Value::from)),
            ("time", self.time.map(|time| Value::from(duration(time)))),
        ];
        let mut ordered = Ordered::default();
        for (key, value) in fields {
            ordered.add_value(key, value);
        }
        ordered
    }
}

impl From<&Budget> for Limits {
    /// The limits of a budget, without its deadline.
    fn from(budget: &Budget) -> Self {
        Self {
            usd: budget.cost,
            steps: budget.steps,
            tool_calls: budget.tool_calls,
            input_tokens: budget.input_tokens,
            output_tokens: budget.output_tokens,
            tokens: budget.total_tokens,
            time: budget.active_time,
        }
    }
}

/// A count; a whole number, in whichever way it is written.
fn counted(item: &Item, findings: &mut Findings) -> Option<u64> {
    let read = match &item.node.data {
        Data::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        _ => None,
    };
    let count = read.filter(|count| *count <= MAX_COUNT);
    if count.is_none() {
        let expected = format!("a whole number from 0 to {MAX_COUNT}");
        findings.add(item.unlike(&expected, "write such a number, or leave it out for no limit"));
    }
    count
}

fn whole(number: f64) -> Option<u64> {
    // Beyond this `as` would round or saturate.
    let exact = (0.0..=MAX_COUNT as f64).contains(&number) && number.fract() == 0.0;
    exact.then_some(number as u64)
}

/// US dollars, to the millionth.
fn dollars(item: &Item, findings: &mut Findings) -> Option<MicroUsd> {
    let mend = "write US dollars as a number, such as 0.5";
    let Data::Number(number) = &item.node.data else {
        findings.add(item.unlike("a number", mend));
        return None;
    };
    let number = number.as_f64().filter(|number| (0.0..=MAX_USD).contains(number));
    let Some(number) = number else {
        findings.add(item.unlike("a number from 0 to 1000000000", mend));
        return None;
    };
    let millionths = (number * 1e6).round() as u64;
    // Both are the double nearest to a decimal of at most six places, or this one is none.
    if millionths as f64 / 1e6 != number {
        findings.add(item.unlike("at most six decimal places", "round it to a millionth"));
        return None;
    }
    Some(MicroUsd(millionths))
}

/// A length of time, to the microsecond.
fn duration(item: &Item, findings: &mut Findings) -> Option<Micros> {
    let mend = "write it as text, such as `90s`, `5m` or `1h 30m`";
    let read = match &item.node.data {
        Data::Text(text) if text.chars().all(is_of_duration) => {
            humantime::parse_duration(text).ok()
        }
        _ => None,
    };
    let Some(time) = read else {
        findings.add(item.unlike("a length of time", mend));
        return None;
    };
    let micros = u64::try_from(time.as_micros()).ok();
    let micros = micros.filter(|_| time.subsec_nanos().is_multiple_of(1_000));
    if micros.is_none() {
        findings.add(item.unlike("whole microseconds", mend));
    }
    micros.map(Micros)
}

/// Whether a character may be in a length of time; a JSON Schema says the same.
fn is_of_duration(c: char) -> bool {
    c.is_ascii_alphanumeric() || [' ', '.'].contains(&c)
}

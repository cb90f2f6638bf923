//! A tool that changes nothing: numbers as Roman numerals.

use std::future::ready;
use std::sync::Arc;

use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde_json::{Value, json};

const DIGITS: [(u64, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// A number as a Roman numeral.
pub fn numeral(mut number: u64) -> String {
    let mut text = String::new();
    for (value, digits) in DIGITS {
        while number >= value {
            text.push_str(digits);
            number -= value;
        }
    }
    text
}

/// Writes a number as a Roman numeral.
#[derive(Debug)]
pub struct Roman(Arc<ToolSpec>);

impl Roman {
    /// The tool, named `roman`.
    pub fn new() -> Self {
        let about = "Writes a number as a Roman numeral.";
        let spec = ToolSpec::new("roman", about, parameters()).effect(EffectClass::ReadOnly);
        Self(Arc::new(spec))
    }
}

impl Default for Roman {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Roman {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(ready(
            number(call)
                .map_or_else(ToolOutcome::failed, |number| ToolOutcome::text(numeral(number))),
        ))
    }
}

/// The schema of what has a Roman numeral.
pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 1, "maximum": 3999}},
        "required": ["number"],
        "additionalProperties": false
    })
}

/// The number of a call. The agent held it against the schema; a test by hand may not.
pub(crate) fn number(call: &ToolCall) -> Result<u64, String> {
    let arguments = call.parse().map_err(|error| format!("the arguments are no JSON: {error}"))?;
    let number = arguments.get("number").and_then(Value::as_u64);
    number
        .filter(|number| (1..=3999).contains(number))
        .ok_or_else(|| format!("`number` is a whole number from 1 to 3999, not {arguments}"))
}

//! Answers of a shape, as the product asks for them: nothing here is written by hand.
//!
//! The requests are those that an extraction and an agent send to a model in the place of the
//! wire's own, under its name and with its profile.

use legwork_core::Response;
use legwork_core::inference::{ModelSettings, ThinkingLevel};
use legwork_output::{Extract as _, Mode};
use serde_json::{Value, json};

use super::Case;
use super::answers::Said;
use super::conversation::QUESTION;
use super::wire::Wire;

mod asked;
mod by_agent;
mod shapes;

use asked::{Asked, wait_for};
use shapes::{Shape, shapes, sum};

/// Each way to ask, by its name in a case; none = as the model's profile decides.
const MODES: [(&str, Option<Mode>); 6] = [
    ("tool", Some(Mode::ToolCall)),
    ("native", Some(Mode::NativeSchema)),
    ("object", Some(Mode::JsonObject)),
    ("fenced", Some(Mode::Fenced)),
    ("prompted", Some(Mode::Prompted)),
    ("chosen", None),
];

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let mut cases = in_each_mode(wire)?;
    for (shape, output) in shapes()? {
        for (mode, asked) in MODES {
            let name = format!("structured_{shape}_{mode}");
            cases.extend(extracted(wire, &[name], &output, asked, None, vec![])?);
        }
    }
    for (mode, asked) in MODES {
        let (thinking, answers) = (Some(ThinkingLevel::Low), vec![rejected(wire, 1, asked)?]);
        let names = ["", "_repaired"].map(|end| format!("structured_thinking_{mode}{end}"));
        cases.extend(extracted(wire, &names, &sum()?, asked, thinking, answers)?);
        let names = ["", "_repaired"].map(|end| format!("structured_described_{mode}{end}"));
        let (output, answers) = (shapes::described()?, vec![rejected(wire, 1, asked)?]);
        cases.extend(extracted(wire, &names, &output, asked, None, answers)?);
        cases.extend(by_agent::cases(wire, mode, asked)?);
    }
    Ok(cases)
}

/// The sum of two numbers, in each mode that a person can choose.
pub(super) fn in_each_mode(wire: &Wire) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for (mode, asked) in MODES {
        let names = [format!("structured_{mode}")];
        cases.extend(extracted(wire, &names, &sum()?, asked, None, vec![])?);
    }
    Ok(cases)
}

/// The requests of an extraction, one for each name, or why there is none.
fn extracted(
    wire: &Wire,
    names: &[String],
    output: &Shape,
    mode: Option<Mode>,
    thinking: Option<ThinkingLevel>,
    answers: Vec<Response>,
) -> Result<Vec<Case>, String> {
    let model = Asked::new(wire, answers);
    let settings = ModelSettings { thinking, ..ModelSettings::default() };
    let extraction = model.extract::<Value>(QUESTION).output(output.clone()).settings(settings);
    let extraction = match mode {
        Some(mode) => extraction.mode(mode),
        None => extraction,
    };
    // It fails where the answers end; its requests are what counts.
    let error = wait_for(extraction.answer())?.err().map(|error| error.to_string());
    Ok(model.cases(names, error))
}

/// An answer that does not fit, given in the way that was asked for.
fn rejected(wire: &Wire, turn: u32, mode: Option<Mode>) -> Result<Response, String> {
    let bad = json!({"sum": "many"});
    let text = format!("```json\n{bad}\n```");
    let given = match mode {
        Some(Mode::ToolCall) | None => Said::Call("answer", bad),
        Some(_) => Said::Text(&text),
    };
    wire.response(turn, &[Said::Thought("Add them."), given])
}

//! What a model decided: to use a tool, or to answer.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::driver::react::find::{bare, objects};

/// Characters of a problem that are shown to the model; more would only repeat the model's own text.
const PROBLEM: usize = 600;

/// What a model decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) thought: Option<String>,
    pub(super) what: What,
}

/// The two things it can decide on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// To use a tool, with arguments as JSON text: an object.
    Act { tool: String, arguments: String },
    /// To answer with this text.
    Answer(String),
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerIs {
    /// Text.
    Text,
    /// JSON of whatever shape was asked for.
    Json,
}

/// A decision as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thought: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    action: Option<Action<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    answer: Option<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action<'a> {
    tool: String,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
}

impl Decision {
    /// Reads the one decision in a text, lenient about what surrounds it and strict about
    /// what is in it.
    ///
    /// # Errors
    /// What is wrong with it, as a clause for the model.
    pub(super) fn read(text: &str, tools: &[&str], answer: AnswerIs) -> Result<Self, String> {
        let found = objects(text);
        let decisions: Vec<_> = found.objects.iter().filter(|object| decides(object)).collect();
        let object = match (decisions.as_slice(), found.objects.first(), found.broken) {
            ([one], _, _) => one,
            ([_, _, ..], _, _) => {
                return Err(format!("it holds {} decisions; make one at a time", decisions.len()));
            }
            ([], _, Some(broken)) => return Err(short(&format!("its JSON is broken: {broken}"))),
            ([], Some(first), None) => first,
            ([], None, None) => return Err("it holds no JSON object".to_owned()),
        };
        Self::read_object(object, tools, answer).map_err(|problem| short(&problem))
    }

    /// Reads a text that is a decision and nothing else; none if it is anything else.
    pub(super) fn read_bare(text: &str, tools: &[&str], answer: AnswerIs) -> Option<Self> {
        Self::read_object(bare(text), tools, answer).ok()
    }

    fn read_object(object: &str, tools: &[&str], answer: AnswerIs) -> Result<Self, String> {
        let Written { thought, action, answer: given } =
            serde_json::from_str(object).map_err(|error| format!("it is no decision: {error}"))?;
        let what = match (action, given) {
            (Some(action), None) => act(action, tools)?,
            (None, Some(given)) => What::Answer(text_of(given, answer)?),
            (Some(_), Some(_)) => {
                return Err("it has both `action` and `answer`; give one of them".to_owned());
            }
            (None, None) => {
                return Err("it has neither `action` nor `answer`; give one of them".to_owned());
            }
        };
        Ok(Self { thought, what })
    }
}

/// Whether an object has a field that only decisions have.
fn decides(object: &str) -> bool {
    let fields = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(object);
    fields.is_ok_and(|fields| fields.contains_key("action") || fields.contains_key("answer"))
}

fn act(action: Action<'_>, tools: &[&str]) -> Result<What, String> {
    let Action { tool, arguments } = action;
    if !tools.contains(&tool.as_str()) {
        let names = match tools {
            [] => "there are no tools; answer".to_owned(),
            _ => format!("the tools are: {}", tools.join(", ")),
        };
        return Err(format!("there is no tool `{}`; {names}", cut(&tool, 80)));
    }
    let arguments = arguments.map_or("{}", RawValue::get);
    if !arguments.starts_with('{') {
        return Err(format!("the arguments of `{tool}` are no JSON object"));
    }
    Ok(What::Act { tool, arguments: arguments.to_owned() })
}

fn text_of(given: &RawValue, answer: AnswerIs) -> Result<String, String> {
    match answer {
        AnswerIs::Json => Ok(given.get().to_owned()),
        AnswerIs::Text => serde_json::from_str(given.get())
            .map_err(|_| "its `answer` is no text; write it as one JSON string".to_owned()),
    }
}

/// A decision to use a tool as it is written; arguments that are no JSON are quoted.
pub(super) fn written_action(thought: Option<String>, tool: &str, arguments: &str) -> String {
    let blank = arguments.trim().is_empty();
    let quoted = serde_json::value::to_raw_value(arguments).ok();
    let arguments = serde_json::from_str(if blank { "{}" } else { arguments }).ok();
    let action = Some(Action { tool: tool.to_owned(), arguments: arguments.or(quoted.as_deref()) });
    write(&Written { thought, action, answer: None })
}

/// A decision to answer as it is written.
pub(super) fn written_answer(thought: Option<String>, answer: &str) -> String {
    let answer = serde_json::value::to_raw_value(answer).ok();
    write(&Written { thought, action: None, answer: answer.as_deref() })
}

/// Text and JSON always serialise.
fn write(written: &Written<'_>) -> String {
    serde_json::to_string(written).unwrap_or_default()
}

fn short(problem: &str) -> String {
    cut(problem, PROBLEM)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

//! What a model reads of decisions and tools, as text and as a schema.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::tool::ToolSpecs;
use legwork_core::{Digest, ToolSpec};
use serde_json::{Value, json};

/// How many prompts are kept: one for each set of tools and system prompt in use.
const KEPT: usize = 8;

/// Bytes that the schemas of all tools may have together to be part of that of a decision.
const SMALL: u64 = 8 * 1024;

/// The system prompt and the schema of a decision, made once for what they are made of.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    pub(super) instructions: Arc<str>,
    pub(super) schema: Arc<Value>,
}

/// What a prompt is made of.
#[derive(Debug, Clone, PartialEq)]
struct Source {
    instructions: Arc<str>,
    tools: Option<Digest>,
    answer: Option<Arc<Value>>,
}

/// Prompts that were made lately.
#[derive(Debug, Default)]
pub(super) struct Prompts(Mutex<Vec<(Source, Prompt)>>);

impl Prompts {
    /// The prompt for a system prompt, tools, and the schema of the answer, if it has one.
    pub(super) fn get(
        &self,
        instructions: &Arc<str>,
        tools: &ToolSpecs,
        answer: Option<&Arc<Value>>,
    ) -> Prompt {
        let source = Source {
            instructions: Arc::clone(instructions),
            tools: tools.digest().cloned(),
            answer: answer.cloned(),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prompt)) = kept.iter().find(|(known, _)| *known == source) {
            return prompt.clone();
        }
        let answer = answer.map(|answer| nested(answer).cloned().unwrap_or(json!({})));
        let prompt = Prompt {
            instructions: written(instructions, tools, answer.as_ref()).into(),
            schema: Arc::new(schema(tools, answer.unwrap_or(json!({"type": "string"})))),
        };
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((source, prompt.clone()));
        prompt
    }
}

fn written(instructions: &str, tools: &ToolSpecs, answer: Option<&Value>) -> String {
    let mut text = String::new();
    if !instructions.is_empty() {
        text.push_str(instructions);
        text.push_str("\n\n");
    }
    text.push_str(
        "You work in steps. In each step you write exactly one JSON object and nothing else.\n",
    );
    if !tools.is_empty() {
        text.push_str(
            "To use a tool:\n{\"thought\": \"why\", \"action\": {\"tool\": \"its name\", \
             \"arguments\": {...}}}\nIts result comes back to you in the next message.\n",
        );
    }
    text.push_str("When you are done:\n{\"thought\": \"why\", \"answer\": ");
    text.push_str(if answer.is_some() { "...}\n" } else { "\"what the user reads\"}\n" });
    text.push_str("Put your own words in the place of these.\n");
    if let Some(answer) = answer {
        let _infallible = writeln!(text, "The answer fits this JSON Schema: {answer}");
    }
    if !tools.is_empty() {
        text.push_str("\nThe tools, each with the JSON Schema of its arguments:\n");
    }
    for spec in tools.iter() {
        let parameters = compact(&spec.parameters);
        let _infallible =
            writeln!(text, "- `{}`: {}\n  {parameters}", spec.name, spec.description.trim());
    }
    text
}

/// The schema without what says nothing about arguments.
fn compact(parameters: &Value) -> Value {
    let mut parameters = parameters.clone();
    if let Some(fields) = parameters.as_object_mut() {
        fields.remove("$schema");
        fields.remove("title");
    }
    parameters
}

/// The schema of a decision.
///
/// Servers that build a grammar of it have what is required written first and the rest in
/// the order of the names: so only what shall come first is required by name, the rest by
/// the number of fields.
fn schema(tools: &ToolSpecs, answer: Value) -> Value {
    let thought = json!({"type": "string"});
    let mut shapes = Vec::new();
    if !tools.is_empty() {
        shapes.push(pair(("thought", thought.clone()), ("action", action(tools))));
    }
    shapes.push(pair(("thought", thought), ("answer", answer)));
    match <[Value; 1]>::try_from(shapes) {
        Ok([mut only]) => {
            if let Some(fields) = only.as_object_mut() {
                fields.insert("title".to_owned(), "decision".into());
            }
            only
        }
        Err(shapes) => json!({"title": "decision", "oneOf": shapes}),
    }
}

fn action(tools: &ToolSpecs) -> Value {
    let schemas: Option<Vec<_>> = tools.iter().map(|spec| of_tool(spec)).collect();
    if let Some(schemas) = schemas.filter(|_| tools.weight() <= SMALL) {
        return json!({"oneOf": schemas});
    }
    let names: Vec<_> = tools.iter().map(|spec| &*spec.name).collect();
    let name = json!({"type": "string", "enum": names});
    pair(("tool", name), ("arguments", json!({"type": "object"})))
}

fn of_tool(spec: &ToolSpec) -> Option<Value> {
    let arguments = compact(nested(&spec.parameters)?);
    Some(pair(("tool", json!({"type": "string", "enum": [&*spec.name]})), ("arguments", arguments)))
}

/// An object of two fields, the first of which comes first.
fn pair((first, one): (&str, Value), (second, other): (&str, Value)) -> Value {
    json!({
        "type": "object",
        "properties": {first: one, second: other},
        "required": [first],
        "minProperties": 2,
        "additionalProperties": false,
    })
}

/// A schema that means the same inside another: references start at the root, and servers
/// that build grammars refuse most patterns.
fn nested(schema: &Value) -> Option<&Value> {
    fn stands_alone(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields
                .iter()
                .all(|(key, value)| key != "$ref" && key != "pattern" && stands_alone(value)),
            Value::Array(items) => items.iter().all(stands_alone),
            _ => true,
        }
    }
    stands_alone(schema).then_some(schema)
}

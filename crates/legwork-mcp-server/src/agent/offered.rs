//! The tools that are there for every agent.

use legwork_core::{EffectClass, ToolSpec};
use serde_json::{Value, json};

pub(super) const RUN: &str = "run_agent";
pub(super) const LIST: &str = "list_sessions";
pub(super) const SHOW: &str = "show_session";
pub(super) const STEER: &str = "steer_session";
pub(super) const STOP: &str = "stop_session";
pub(super) const ANSWER: &str = "answer_question";

/// Whether a tool is one of those.
pub(super) fn is_own(name: &str) -> bool {
    [RUN, LIST, SHOW, STEER, STOP, ANSWER].contains(&name)
}

/// The tools, for an agent of this name that is good for this.
pub(super) fn own((name, description): &(String, Option<String>)) -> Vec<ToolSpec> {
    let what = description.as_deref().map(str::trim).unwrap_or_default();
    let what = if what.is_empty() { String::new() } else { format!(" {name}: {what}") };
    vec![
        spec(
            RUN,
            &format!(
                "Gives the agent {name} a task, and returns its answer and the id of its session. \
                 It knows nothing of this conversation, so say all that it needs.{what}"
            ),
            &json!({
                "task": text("What is to be done, in full; without it the session goes on"),
                "session": text("The session to go on with; a new one by default"),
            }),
            &[],
            EffectClass::default(),
        ),
        spec(
            LIST,
            &format!("Lists the sessions of {name}, the newest first: id, status and title."),
            &json!({"limit": {"type": "integer", "minimum": 1, "maximum": 100,
                "description": "How many; 20 by default"}}),
            &[],
            EffectClass::ReadOnly,
        ),
        spec(
            SHOW,
            "Shows a session: how it stands, what it waits for, its last answer and its use.",
            &json!({"session": text("The id of the session")}),
            &["session"],
            EffectClass::ReadOnly,
        ),
        spec(
            STEER,
            "Says something to a session at work; the agent reads it before its next step.",
            &json!({"session": text("The id of the session"), "message": text("What to say")}),
            &["session", "message"],
            EffectClass::default(),
        ),
        spec(
            STOP,
            "Stops a session at work before its next step.",
            &json!({"session": text("The id of the session"), "reason": text("Why")}),
            &["session"],
            EffectClass::Idempotent,
        ),
        spec(
            ANSWER,
            "Answers the question that a session waits for, and returns what comes of it. Calls \
             that wait for approval are not answered here: a person approves them.",
            &json!({"session": text("The id of the session"), "answer": text("The answer")}),
            &["session", "answer"],
            EffectClass::default(),
        ),
    ]
}

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn spec(
    name: &str,
    description: &str,
    properties: &Value,
    required: &[&str],
    effect: EffectClass,
) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let mut spec = ToolSpec::new(name, description, parameters);
    spec.effect = effect;
    spec
}

//! The tool that asks.

use std::sync::{Arc, LazyLock};

use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde_json::json;

use super::question::{CHOICES, Question};

/// The name of the tool.
pub const TOOL: &str = "ask_user";

const DESCRIPTION: &str = "Asks the user a question, and returns the answer.\n\
    Nobody may be there: the answer can take hours. So ask only what you can neither find out nor \
    sensibly decide yourself. Ask one thing, say what you need to know and why, and offer choices \
    where there are some.";

static SPEC: LazyLock<Arc<ToolSpec>> = LazyLock::new(|| {
    let parameters = json!({
        "type": "object",
        "properties": {
            "question": {
                "type": "string",
                "description": "The question, with what the user has to know to answer it."
            },
            "choices": {
                "type": "array",
                "description": format!("Answers to choose from, at most {CHOICES}, a line each."),
                "items": { "type": "string" }
            },
            "free_text": {
                "type": "boolean",
                "description": "Whether the user may answer in other words than the choices. \
                    Default: true."
            }
        },
        "required": ["question"],
        "additionalProperties": false
    });
    // It changes nothing: cut off by a crash, it asks again.
    Arc::new(ToolSpec::new(TOOL, DESCRIPTION, parameters).effect(EffectClass::ReadOnly))
});

/// The tool `ask_user`, and the capability that gives an agent this tool.
///
/// Its calls wait for a result from outside: see the capability for how they are answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&SPEC)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match cx.arguments::<Question>(call) {
            Err(unfit) => unfit,
            Ok(question) => match question.problem() {
                Some(problem) => ToolOutcome::Retry(problem),
                None => ToolOutcome::deferred(),
            },
        };
        Box::pin(std::future::ready(outcome))
    }
}

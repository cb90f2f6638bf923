//! The conversation as a model reads it that knows decisions and no tool calls.

use std::sync::Arc;

use legwork_core::message::{Form, ProviderData, Thinking, ToolResult};
use legwork_core::{Message, Part, Role};
use serde_json::Value;

use crate::driver::react::decision::{written_action, written_answer};

/// The form that messages keep beside them.
const FORM: Form = Form("react");

/// Who thought what stands in a decision, as opposed to what a provider calls thinking.
const PROVIDER: &str = "react";

/// The thought of a decision as a part of the transcript.
pub(super) fn thought(text: String) -> Part {
    let provider = ProviderData::new(PROVIDER, Value::Null);
    Part::Thinking(Thinking { text, id: None, provider: Some(provider) })
}

/// A message as the model reads it, made once.
pub(super) fn rendered(message: &Arc<Message>) -> Arc<Message> {
    message.rendered(FORM, render)
}

fn render(message: &Message) -> Option<Message> {
    if message.role == Role::Assistant {
        return decided(message);
    }
    let results: Vec<_> = message.parts.iter().filter_map(as_result).map(result_text).collect();
    (!results.is_empty()).then(|| Message::user(results.join("\n\n")))
}

fn as_result(part: &Part) -> Option<&ToolResult> {
    match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    }
}

fn result_text(result: &ToolResult) -> String {
    let failed = if result.is_error { " (it did not succeed)" } else { "" };
    format!("Result of `{}`{failed}: {}", result.name, result.text())
}

/// A message of the model with its decision as text; none if it decided nothing.
fn decided(message: &Message) -> Option<Message> {
    let thought = message.parts.iter().find_map(as_thought).map(str::to_owned);
    let calls: Vec<_> = message.tool_calls().collect();
    if thought.is_none() && calls.is_empty() {
        return None;
    }
    let text = message.text();
    let decision = match calls.split_first() {
        None => written_answer(thought, &text),
        Some((first, others)) => {
            let said = Some(text).filter(|text| !text.trim().is_empty());
            let first = written_action(thought.or(said), &first.name, &first.arguments);
            let others =
                others.iter().map(|call| written_action(None, &call.name, &call.arguments));
            std::iter::once(first).chain(others).collect::<Vec<_>>().join("\n")
        }
    };
    let others = message.parts.iter().filter(|part| stays(part)).cloned();
    Some(Message::assistant(others.chain([Part::text(decision)]).collect()))
}

fn as_thought(part: &Part) -> Option<&str> {
    match part {
        Part::Thinking(Thinking { text, provider: Some(provider), .. })
            if &*provider.provider == PROVIDER =>
        {
            Some(text)
        }
        _ => None,
    }
}

/// Whether a part is none that the decision is written from.
fn stays(part: &Part) -> bool {
    !matches!(part, Part::Text(_) | Part::ToolCall(_)) && as_thought(part).is_none()
}

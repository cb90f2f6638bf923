//! The parts of an answer, joined.

use std::sync::Arc;

use legwork_core::message::Text;
use legwork_core::{FinishReason, Part, Response};

/// Whether an answer of text alone was cut by its length limit.
pub(super) fn is_cut(response: &Response) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text(_) | Part::Thinking(_));
    let parts = &response.message.parts;
    response.finish == FinishReason::Length
        && response.incomplete.is_none()
        && parts.iter().all(is_text)
        && parts.iter().any(|part| part.as_text().is_some())
}

/// Two parts as one answer, which ends as the second does.
///
/// What the model thought before the second part is left out: it would split the text.
pub(super) fn joined(first: Response, second: Response) -> Response {
    let message = Arc::unwrap_or_clone(first.message);
    let mut parts = message.parts.clone();
    for part in &second.message.parts {
        match (part, parts.last_mut()) {
            (Part::Text(more), Some(Part::Text(text))) => append(text, more),
            (Part::Thinking(_), _) => {}
            (part, _) => parts.push(part.clone()),
        }
    }
    let usage = first.usage.zip(second.usage).map(|(first, second)| first.plus(&second));
    Response {
        message: Arc::new(message.with_parts(parts)),
        usage,
        came: first.came + second.came,
        charged_attempts: first.charged_attempts + second.charged_attempts,
        discarded: first.discarded.into_iter().chain(second.discarded).collect(),
        ..second
    }
}

fn append(text: &mut Text, more: &Text) {
    text.text.push_str(&more.text);
}

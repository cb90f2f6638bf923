//! What a model is told about an answer that cannot be taken.

use std::sync::Arc;

use legwork_core::message::ToolResult;
use legwork_core::{Message, ModelRequest, Part, Response, Role};

use crate::Output;
use crate::extraction::request::Plan;
use crate::extraction::{Mode, Problem};

/// The request for a corrected answer.
///
/// Only the last answer is shown, and what is wrong with it: earlier ones would cost tokens and
/// mislead. An incomplete answer is not shown, because it is not the model's whole word.
pub(super) fn corrected<T>(
    output: &Output<T>,
    plan: &Plan,
    response: &Response,
    problem: &Problem,
) -> ModelRequest {
    let request = plan.request();
    let error = match problem {
        Problem::Output(error) => error,
        Problem::Incomplete(_) | Problem::Refused(_) => {
            return request.with_message(Message::user(
                "Your last answer broke off before its end. Give a shorter one.",
            ));
        }
    };
    let mut text = output.prompt().of_repair(error);
    if plan.mode == Mode::ToolCall {
        text = format!("{text} Call `{}` with it.", output.name());
    }
    let calls: Vec<_> = response.message.tool_calls().cloned().collect();
    let is_silent = calls.is_empty() && response.text().trim().is_empty();
    let request = match is_silent {
        true => request,
        false => request.with_message((*response.message).clone()),
    };
    if calls.is_empty() {
        return request.with_message(Message::user(text));
    }
    let results = calls.iter().map(|call| {
        let result = ToolResult::new(call.id.clone(), Arc::clone(&call.name), text.clone());
        Part::ToolResult(ToolResult { is_error: true, ..result })
    });
    results.fold(request, |request, result| {
        request.with_message(Message::new(Role::Tool, vec![result]))
    })
}

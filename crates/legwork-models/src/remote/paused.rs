//! Answers that their provider paused, continued within the inference.
//!
//! Anthropic pauses a long turn of tools that it runs itself (`pause_turn`) and goes on with it when
//! the answer so far is sent back.

use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_core::message::Author;
use legwork_core::{FinishReason, Message, ModelRequest, Response};
use legwork_port::model::{self, Deltas, Kind};
use serde_json::json;

use super::HttpModel;
use crate::answer::Streaming;
use crate::resaying::Resaying;
use crate::retry::persist;

/// How often an answer is continued at most.
const MOST: u32 = 16;

/// Asks, and goes on as long as the answer is paused, and as limits allow it.
///
/// If a further part fails, or may not be asked for, what came before it is returned as an answer
/// that broke off, with the reason among its fields.
pub(super) async fn whole(
    model: &HttpModel,
    request: ModelRequest,
    asked: Streaming,
    deltas: Option<&mut dyn Deltas>,
) -> Result<Response, model::Error> {
    let mut relay = Resaying::new(deltas);
    let (mut before, mut left) = (None, MOST);
    let mut next = request.clone();
    loop {
        let (goes_on, whole) = match (part(model, &next, asked, &mut relay).await, before) {
            (Ok(response), before) => (is_paused(&response), joined(before, response)),
            (Err(error), Some(before)) => return Ok(broken_off(before, &error)),
            (Err(error), None) => return Err(error),
        };
        if !goes_on {
            return Ok(whole);
        }
        if left == 0 || !relay.may_continue_after(&whole) {
            let message = match left {
                0 => format!("the provider paused its answer more than {MOST} times"),
                _ => "the provider paused its answer, and the limits allow no further part".into(),
            };
            return Ok(broken_off(whole, &model::Error::new(Kind::Malformed, message)));
        }
        left -= 1;
        let said = Message::clone(&whole.message).by(Author::Model(model.name.as_str().into()));
        next = request.clone().with_message(said);
        before = Some(whole);
    }
}

async fn part(
    model: &HttpModel,
    request: &ModelRequest,
    asked: Streaming,
    relay: &mut Resaying<'_>,
) -> Result<Response, model::Error> {
    let attempt = model.attempt(model.body(request, asked)?, asked);
    persist(&attempt, &model.retry, &*model.clock, Some(relay)).await
}

fn is_paused(response: &Response) -> bool {
    let paused = matches!(&response.finish, FinishReason::Other(reason) if reason == "pause_turn");
    paused && response.incomplete.is_none() && response.message.tool_calls().next().is_none()
}

/// What came, as an answer that broke off for this reason.
fn broken_off(mut response: Response, error: &model::Error) -> Response {
    response.charged_attempts += error.charged_attempts;
    response.incomplete = Some(Incomplete::Cut);
    let reason = json!({"status": error.status, "code": error.code, "message": error.message});
    response.raw.insert("error".to_owned(), reason);
    response
}

/// Two parts as one answer, which ends as the second does.
fn joined(first: Option<Response>, second: Response) -> Response {
    let Some(first) = first else { return second };
    let parts = first.message.parts.iter().chain(&second.message.parts).cloned().collect();
    let message = Message::clone(&first.message).with_parts(parts);
    let usage = first.usage.zip(second.usage).map(|(first, second)| first.plus(&second));
    Response {
        message: Arc::new(message),
        usage,
        came: first.came + second.came,
        charged_attempts: first.charged_attempts + second.charged_attempts,
        discarded: first.discarded.into_iter().chain(second.discarded).collect(),
        ..second
    }
}

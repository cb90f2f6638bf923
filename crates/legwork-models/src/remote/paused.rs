//! Answers that their provider paused, continued within the inference.
//!
//! Anthropic pauses a long turn of tools that it runs itself (`pause_turn`) and goes on with it when
//! the answer so far is sent back.

use std::sync::Arc;

use legwork_core::message::Author;
use legwork_core::{FinishReason, Message, ModelRequest, Response};
use legwork_port::model::{self, Deltas};

use super::{Asking, HttpModel};
use crate::answer::Streaming;
use crate::resaying::Resaying;
use crate::retry::persist;

/// How often an answer is continued at most; then it is returned as it is.
const MOST: u32 = 16;

/// Asks, and goes on as long as the answer is paused.
///
/// If a further part fails, what came before it is returned, paused as it was.
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
        let asking = Asking { model, body: model.body(&next, asked)?, asked };
        let asked = persist(&asking, &model.retry, &*model.clock, Some(&mut relay)).await;
        let (goes_on, whole) = match (asked, before) {
            (Ok(response), before) => (is_paused(&response), joined(before, response)),
            (Err(error), Some(before)) => return Ok(failed(before, &error)),
            (Err(error), None) => return Err(error),
        };
        if !goes_on || left == 0 {
            return Ok(whole);
        }
        left -= 1;
        relay.said(&whole);
        let said = Message::clone(&whole.message).by(Author::Model(model.name.as_str().into()));
        next = request.clone().with_message(said);
        before = Some(whole);
    }
}

fn is_paused(response: &Response) -> bool {
    let paused = matches!(&response.finish, FinishReason::Other(reason) if reason == "pause_turn");
    paused && response.incomplete.is_none() && response.message.tool_calls().next().is_none()
}

fn failed(before: Response, error: &model::Error) -> Response {
    let charged_attempts = before.charged_attempts + error.charged_attempts;
    Response { charged_attempts, ..before }
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
        ..second
    }
}

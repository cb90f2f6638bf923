//! Requests that are no inferences, answered with a little JSON.

use http_body_util::BodyExt as _;
use hyper::body::Frame;
use legwork_port::Clock;
use legwork_port::model::Error;
use serde_json::Value;

use super::answered::Answered;
use super::failure::Tried;
use crate::answer::error;
use crate::answer::{ApiError, Unreadable, decode};
use crate::bounds::{Bounds, Passed};
use crate::http::{Body, Broken, Client, Outgoing};

/// Sends a request and reads the JSON that it is answered with.
pub(super) async fn ask(
    clock: &dyn Clock,
    client: &Client,
    request: Box<Outgoing>,
    tried: Tried<'_>,
    bounds: Bounds,
) -> Result<Value, Error> {
    let answer = client.send(clock, request).await.map_err(|broken| tried.not_answered(&broken))?;
    let (head, body) = answer.into_parts();
    let answered = Answered::new(head.status, &head.headers, clock);
    let status = answered.status;
    let most = if status.is_success() { bounds.answer_bytes } else { error::BODY };
    let (body, broken) = beginning(body, most + 1).await;
    if let Some(broken) = broken.filter(|_| status.is_success()) {
        return Err(tried.not_answered(&broken));
    }
    if !status.is_success() {
        let api = ApiError::from_body(status.as_u16(), &body);
        return Err(tried.unreadable(Unreadable::Api(api), answered));
    }
    if body.len() > most {
        return Err(tried.too_large(Passed::AnswerBytes(most)));
    }
    decode::value(&body, &bounds).map_err(|passed| tried.too_large(passed))
}

/// A body up to so many bytes, the rest is not read; and what ended it early.
async fn beginning(mut body: Body, most: usize) -> (Vec<u8>, Option<Broken>) {
    let mut all = Vec::new();
    while all.len() < most
        && let Some(frame) = body.frame().await
    {
        match frame.map(Frame::into_data) {
            Ok(Ok(bytes)) => all.extend(bytes.iter().take(most - all.len())),
            Ok(Err(_)) => {}
            Err(broken) => return (all, Some(broken)),
        }
    }
    (all, None)
}

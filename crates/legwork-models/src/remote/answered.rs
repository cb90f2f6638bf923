//! What the head of an answer says that is of use to people and to retries.

use std::time::{Duration, SystemTime};

use http::header::{HeaderMap, RETRY_AFTER};
use http::{HeaderName, StatusCode};
use legwork_port::Clock;

use crate::bounds::NAME_BYTES;
use crate::retry;

/// Under which names providers send the id of a request: Anthropic, AWS, OpenAI and most others.
///
/// The last is a name that gateways use, too, so the others come first.
const REQUEST_ID: [HeaderName; 3] = [
    HeaderName::from_static("request-id"),
    HeaderName::from_static("x-amzn-requestid"),
    HeaderName::from_static("x-request-id"),
];

/// The head of an answer.
#[derive(Clone, Copy)]
pub(super) struct Answered<'a> {
    pub(super) status: StatusCode,
    /// How long the server asks to wait.
    pub(super) retry_after: Option<Duration>,
    pub(super) request_id: Option<&'a str>,
}

impl<'a> Answered<'a> {
    pub(super) fn new(status: StatusCode, headers: &'a HeaderMap, clock: &dyn Clock) -> Self {
        Self { status, retry_after: retry_after(headers, clock), request_id: request_id(headers) }
    }
}

/// The id under which the provider finds the request when it is asked about it.
pub(super) fn request_id(headers: &HeaderMap) -> Option<&str> {
    let place = |name: &HeaderName| REQUEST_ID.iter().position(|known| known == name);
    let ids = headers.iter().filter_map(|(name, value)| Some((place(name)?, value.to_str().ok()?)));
    let texts = ids.map(|(place, id)| (place, id.trim()));
    let texts = texts.filter(|(_, id)| !id.is_empty() && id.len() <= NAME_BYTES);
    texts.min_by_key(|(place, _)| *place).map(|(_, id)| id)
}

fn retry_after(headers: &HeaderMap, clock: &dyn Clock) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let precise = text("retry-after-ms").and_then(retry::retry_after_ms);
    precise.or_else(|| {
        let wall = Duration::from_millis(clock.now().wall.0);
        retry::retry_after(text(RETRY_AFTER.as_str())?, SystemTime::UNIX_EPOCH + wall)
    })
}

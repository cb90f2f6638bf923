//! The bodies that the server sends.

mod bedrock;
mod chat;
mod gemini;
mod messages;
mod responses;

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use serde_json::{Value, json};

use super::request::Facts;
use crate::api::Api;

/// An answer: one body, or a stream with one HTTP chunk per token.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The whole answer at once; taken when sent.
    Whole(Option<Bytes>),
    /// Events.
    Stream {
        /// The type of the content.
        content_type: &'static str,
        /// Chunks before the text.
        opening: std::vec::IntoIter<Bytes>,
        /// The chunk of one token, and how many times it still has to be sent.
        token: (Bytes, usize),
        /// Chunks after the text.
        closing: std::vec::IntoIter<Bytes>,
    },
}

impl Reply {
    /// The answer to the turn that the request is at.
    pub(crate) fn play(facts: &Facts) -> Self {
        if facts.streamed {
            return Self::stream(facts);
        }
        let whole = match facts.api {
            Api::Chat => chat::whole(facts),
            Api::Responses => responses::whole(facts),
            Api::Messages => messages::whole(facts),
            Api::Gemini => gemini::whole(facts),
            Api::Bedrock => bedrock::whole(facts),
        };
        Self::Whole(Some(Bytes::from(whole.to_string())))
    }

    /// An error body.
    pub(crate) fn error(message: &str) -> Self {
        let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
        Self::Whole(Some(Bytes::from(body.to_string())))
    }

    /// The content type that goes with the body.
    pub(crate) const fn content_type(&self) -> &'static str {
        match self {
            Self::Whole(_) => "application/json",
            Self::Stream { content_type, .. } => content_type,
        }
    }

    /// The streamed form of an answer.
    fn stream(facts: &Facts) -> Self {
        let Events { opening, token, closing } = match facts.api {
            Api::Chat => chat::events(facts),
            Api::Responses => responses::events(facts),
            Api::Messages => messages::events(facts),
            Api::Gemini => gemini::events(facts),
            Api::Bedrock => bedrock::events(facts),
        };
        let tokens = if facts.asks() { 0 } else { facts.script.tokens };
        Self::Stream {
            content_type: match facts.api {
                Api::Bedrock => bedrock::FRAMES,
                _ => "text/event-stream",
            },
            opening: opening.into_iter(),
            token: (token, tokens),
            closing: closing.into_iter(),
        }
    }

    /// The next chunk, or none when all are sent.
    fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::Whole(body) => body.take(),
            Self::Stream { opening, token: (token, left), closing, .. } => {
                opening.next().or_else(|| match left.checked_sub(1) {
                    Some(fewer) => {
                        *left = fewer;
                        Some(token.clone())
                    }
                    None => closing.next(),
                })
            }
        }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.get_mut().next().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => SizeHint::with_exact(body.as_ref().map_or(0, |b| b.len() as u64)),
            Self::Stream { .. } => SizeHint::default(),
        }
    }
}

/// The events of a streamed answer.
struct Events {
    /// Before the text.
    opening: Vec<Bytes>,
    /// One token of the text.
    token: Bytes,
    /// After the text.
    closing: Vec<Bytes>,
}

/// A server-sent event with this data.
fn event(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

/// A server-sent event that is named by the type in its data, as some APIs have it.
fn named_event(data: &Value) -> Bytes {
    let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

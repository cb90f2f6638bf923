//! The bodies that the server sends.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use serde_json::{Value, json};

use super::request::Facts;
use crate::script::TOKEN;

/// An answer: one body, or a stream with one HTTP chunk per token.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The whole answer at once; taken when sent.
    Whole(Option<Bytes>),
    /// Server-sent events.
    Stream {
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
        Self::Whole(Some(Bytes::from(whole(facts).to_string())))
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
            Self::Stream { .. } => "text/event-stream",
        }
    }

    /// The streamed form of an answer.
    fn stream(facts: &Facts) -> Self {
        let mut opening = vec![delta(facts, json!({"role": "assistant", "content": ""}), None)];
        let (finish, tokens) = match facts.script.asks(facts.turn) {
            true => ("tool_calls", 0),
            false => ("stop", facts.script.tokens),
        };
        if facts.script.asks(facts.turn) {
            opening.extend((0..facts.script.calls).flat_map(|index| call_deltas(facts, index)));
        }
        let usage = json!({
            "id": "scripted", "object": "chat.completion.chunk", "created": 0,
            "model": facts.script.to_string(), "choices": [], "usage": usage(facts),
        });
        let closing = vec![
            delta(facts, json!({}), Some(finish)),
            event(&usage),
            Bytes::from_static(b"data: [DONE]\n\n"),
        ];
        Self::Stream {
            opening: opening.into_iter(),
            token: (delta(facts, json!({"content": TOKEN}), None), tokens),
            closing: closing.into_iter(),
        }
    }

    /// The next chunk, or none when all are sent.
    fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::Whole(body) => body.take(),
            Self::Stream { opening, token: (token, left), closing } => {
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

/// The unstreamed form of an answer.
fn whole(facts: &Facts) -> Value {
    let (message, finish) = if facts.script.asks(facts.turn) {
        let calls: Vec<_> = (0..facts.script.calls)
            .map(|index| {
                json!({
                    "id": call_id(facts, index), "type": "function",
                    "function": {"name": "add", "arguments": arguments(facts, index)},
                })
            })
            .collect();
        let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
        (message, "tool_calls")
    } else {
        let text = TOKEN.repeat(facts.script.tokens);
        (json!({"role": "assistant", "content": text}), "stop")
    };
    json!({
        "id": "scripted", "object": "chat.completion", "created": 0,
        "model": facts.script.to_string(),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage(facts),
    })
}

/// A call in two pieces: its opening, and its arguments.
fn call_deltas(facts: &Facts, index: usize) -> [Bytes; 2] {
    let opening = json!({"tool_calls": [{
        "index": index, "id": call_id(facts, index), "type": "function",
        "function": {"name": "add", "arguments": ""},
    }]});
    let arguments = json!({"tool_calls": [{
        "index": index, "function": {"arguments": arguments(facts, index)},
    }]});
    [delta(facts, opening, None), delta(facts, arguments, None)]
}

/// One event of a stream that carries `delta`.
fn delta(facts: &Facts, delta: Value, finish: Option<&str>) -> Bytes {
    event(&json!({
        "id": "scripted", "object": "chat.completion.chunk", "created": 0,
        "model": facts.script.to_string(),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }))
}

/// A server-sent event with this data.
fn event(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

/// The id of a call: unique in its conversation.
fn call_id(facts: &Facts, index: usize) -> String {
    format!("call_{}_{index}", facts.turn)
}

/// The arguments of a call, as in the API: JSON in a string.
fn arguments(facts: &Facts, index: usize) -> String {
    format!(r#"{{"a":{},"b":{index}}}"#, facts.turn)
}

/// Usage: about four bytes per input token, the script's output tokens.
fn usage(facts: &Facts) -> Value {
    let input = facts.size / 4;
    let output = match facts.script.asks(facts.turn) {
        true => facts.script.calls * 12,
        false => facts.script.tokens,
    };
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
    })
}

//! Answers as Chat Completions, streamed and whole.

use bytes::Bytes;
use legwork_core::Usage;
use legwork_core::inference::Incomplete;
use serde_json::{Value, json};

use super::answer::Reply;
use super::body::Piece;
use crate::asked::Asked;
use crate::script::{Answer, Call, halved, pieces};

/// An answer in one JSON body.
pub(super) fn unstreamed(answer: &Answer, asked: &Asked) -> Reply {
    let breaks = answer.incomplete == Some(Incomplete::LengthInCall);
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let is_last = index + 1 == answer.calls.len();
        let arguments = if breaks && is_last { halved(&call.arguments) } else { &call.arguments };
        let function = json!({"name": call.name, "arguments": arguments});
        json!({"id": call.id(asked.turn(), index), "type": "function", "function": function})
    });
    let mut message = json!({"role": "assistant", "content": content(answer)});
    if !answer.calls.is_empty() {
        set(&mut message, "tool_calls", calls.collect());
    }
    if !answer.thinking.is_empty() {
        set(&mut message, "reasoning_content", Value::from(&*answer.thinking));
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": answer.finish()});
    let mut body = json!({
        "id": format!("chatcmpl-{}", asked.turn()), "object": "chat.completion",
        "created": 1_700_000_000, "model": asked.model, "choices": [choice],
    });
    if let Some(used) = &answer.usage {
        set(&mut body, "usage", usage(used));
    }
    let body = body.to_string();
    let mut pieces: Vec<_> = answer.halt.iter().cloned().map(Piece::Wait).collect();
    match &answer.incomplete {
        Some(Incomplete::Cut) => pieces.extend([bytes(halved(&body)), Piece::Break]),
        Some(Incomplete::NoEnd) => pieces.push(bytes(halved(&body))),
        _ => pieces.push(bytes(&body)),
    }
    Reply::pieces(200, "application/json", pieces)
}

fn content(answer: &Answer) -> Value {
    match &*answer.text {
        "" if !answer.calls.is_empty() => Value::Null,
        text => Value::from(text),
    }
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value);
    }
}

fn bytes(text: &str) -> Piece {
    Piece::Bytes(Bytes::copy_from_slice(text.as_bytes()))
}

fn usage(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

/// An answer as an event stream.
pub(super) fn streamed(answer: &Answer, asked: &Asked, with_usage: bool) -> Reply {
    let mut stream = Stream { asked, pieces: Vec::new(), answer, halted: false };
    stream.delta(json!({"role": "assistant", "content": ""}));
    for piece in pieces(&answer.thinking) {
        stream.said(json!({"reasoning_content": piece}));
    }
    let text_breaks = answer.breaks_off() && answer.calls.is_empty();
    for piece in pieces(if text_breaks { halved(&answer.text) } else { &answer.text }) {
        stream.said(json!({"content": piece}));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        stream.call(index, call);
    }
    stream.end(with_usage);
    Reply::pieces(200, "text/event-stream", stream.pieces)
}

/// An event stream being made.
struct Stream<'a> {
    asked: &'a Asked,
    answer: &'a Answer,
    pieces: Vec<Piece>,
    halted: bool,
}

impl Stream<'_> {
    fn call(&mut self, index: usize, call: &Call) {
        let function = json!({"name": call.name, "arguments": ""});
        let id = call.id(self.asked.turn(), index);
        let head = json!({"index": index, "id": id, "type": "function", "function": function});
        self.delta(json!({"tool_calls": [head]}));
        let breaks = self.answer.breaks_off() && index + 1 == self.answer.calls.len();
        let arguments = if breaks { halved(&call.arguments) } else { &call.arguments };
        for piece in pieces(arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            self.said(json!({"tool_calls": [more]}));
        }
    }

    fn end(&mut self, with_usage: bool) {
        self.halt();
        match &self.answer.incomplete {
            Some(Incomplete::Cut) => {
                // Break inside an event, as connections do.
                self.pieces.extend([bytes("data: {\"id\":\"chatcm"), Piece::Break]);
                return;
            }
            Some(Incomplete::NoEnd) => return,
            _ => {}
        }
        let last = json!({"index": 0, "delta": {}, "finish_reason": self.answer.finish()});
        self.event(json!([last]), None);
        if let Some(used) = self.answer.usage.filter(|_| with_usage) {
            self.event(json!([]), Some(usage(&used)));
        }
        self.pieces.push(bytes("data: [DONE]\n\n"));
    }

    /// A delta with something in it: the answer may halt after the first.
    fn said(&mut self, delta: Value) {
        self.delta(delta);
        self.halt();
    }

    fn halt(&mut self) {
        if let Some(gate) = self.answer.halt.as_ref().filter(|_| !self.halted) {
            self.pieces.push(Piece::Wait(gate.clone()));
        }
        self.halted = true;
    }

    fn delta(&mut self, delta: Value) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
        self.event(json!([choice]), None);
    }

    fn event(&mut self, choices: Value, usage: Option<Value>) {
        let mut event = json!({
            "id": format!("chatcmpl-{}", self.asked.turn()), "object": "chat.completion.chunk",
            "created": 1_700_000_000, "model": self.asked.model, "choices": choices,
        });
        if let Some(usage) = usage {
            set(&mut event, "usage", usage);
        }
        self.pieces.push(bytes(&format!("data: {event}\n\n")));
    }
}

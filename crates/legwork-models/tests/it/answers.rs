//! Reading answers without a server, and what came of them in short.

use std::ops::ControlFlow;

use legwork_core::{Part, Response};
use legwork_models::Api;
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_port::model::Retry;
use legwork_port::{Delta, Deltas};
use serde_json::{Value, json};

/// What a watcher saw, put together.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<(String, String)>,
}

impl Seen {
    pub(crate) fn take(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        match delta {
            Delta::Text(text) => self.text.push_str(text),
            Delta::Thinking(text) => self.thinking.push_str(text),
            Delta::ToolCall { index, name } => {
                assert_eq!(index, self.calls.len(), "calls begin in order");
                self.calls.push((name.to_owned(), String::new()));
            }
            Delta::Arguments { index, json } => self.calls[index].1.push_str(json),
            _ => panic!("an unknown delta"),
        }
        ControlFlow::Continue(())
    }
}

/// Notes pieces of text, and where an attempt is repeated: `<anew>` if the pieces are void.
#[derive(Default)]
pub(crate) struct Noted(pub(crate) String);

impl Deltas for Noted {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) = delta {
            self.0.push_str(text);
        }
        ControlFlow::Continue(())
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        self.0.push_str(if retry.discarded { "<anew>" } else { "<again>" });
        ControlFlow::Continue(())
    }
}

/// Reads a stream that comes in pieces and ends as it should.
pub(crate) fn stream<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Result<Response, Unreadable>, Seen) {
    read(200, "text/event-stream", pieces, Ended::Whole)
}

/// Reads an answer that comes in pieces.
pub(crate) fn read<'a>(
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> (Result<Response, Unreadable>, Seen) {
    read_as(Api::ChatCompletions, status, content_type, pieces, ended)
}

/// Reads an answer of an API, from the provider `test`.
pub(crate) fn read_as<'a>(
    api: Api,
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> (Result<Response, Unreadable>, Seen) {
    read_from("test", api, status, content_type, pieces, ended)
}

/// Reads an answer of an API, from the provider `openai`.
#[cfg(feature = "responses")]
pub(crate) fn read_of<'a>(
    api: Api,
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> (Result<Response, Unreadable>, Seen) {
    read_from("openai", api, status, content_type, pieces, ended)
}

fn read_from<'a>(
    provider: &str,
    api: Api,
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> (Result<Response, Unreadable>, Seen) {
    let reply = Reply::new(api, status, Some(content_type), Streaming::Yes);
    let mut reply = reply.from_provider(provider);
    let mut seen = Seen::default();
    for piece in pieces {
        reply.push(piece, &mut |delta: Delta<'_>| seen.take(delta));
    }
    (reply.finish(ended), seen)
}

/// Reads one body, whole.
pub(crate) fn body(body: &Value) -> Result<Response, Unreadable> {
    read(200, "application/json", [body.to_string().as_bytes()], Ended::Whole).0
}

/// The chunks of a stream as its bytes; no `[DONE]`.
pub(crate) fn events(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

/// A chunk with a delta.
pub(crate) fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

/// A chunk with a finish reason.
pub(crate) fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// An answer in short, to compare.
pub(crate) fn summary(result: &Result<Response, Unreadable>) -> Value {
    match result {
        Ok(response) if let Some(error) = response.raw.get("error") => {
            json!({"error": {
                "status": error["status"], "code": error["code"], "message": error["message"]}})
        }
        Ok(response) => of_response(response),
        Err(Unreadable::Api(e)) => {
            json!({"error": {"status": e.status, "code": e.code, "message": e.message}})
        }
        Err(other) => json!({"unreadable": other.to_string()}),
    }
}

fn of_response(response: &Response) -> Value {
    let parts = &response.message.parts;
    let all = |pick: fn(&Part) -> Option<&str>| parts.iter().filter_map(pick).collect::<String>();
    json!({
        "text": all(|p| match p { Part::Text(text) => Some(&text.text), _ => None }),
        "thinking": all(|p| match p { Part::Thinking(t) => Some(&t.text), _ => None }),
        "refusal": all(|p| match p { Part::Refusal(text) => Some(&text.text), _ => None }),
        "calls": calls(response),
        "finish": response.finish.as_str(),
        "usage": [response.usage.map(|u| u.input), response.usage.map(|u| u.output)],
    })
}

/// The calls as id, name and arguments.
pub(crate) fn calls(response: &Response) -> Vec<[String; 3]> {
    let call = |c: &legwork_core::ToolCall| {
        [c.id.to_string(), c.name.to_string(), c.arguments.to_string()]
    };
    response.message.tool_calls().map(|c| call(c)).collect()
}

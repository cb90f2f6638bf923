//! What goes wrong between a server and a client, over real HTTP, on each wire.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Response};
use legwork_models::retry::Policy;
use legwork_models::{Api, Bounds, Builder};
use legwork_port::model::{Error, Kind};
use legwork_port::{Delta, Model};
use serde_json::{Value, json};

use crate::clock::Turned;
use crate::server::{Act, END, Server, answer, chunk, open_stream};
use crate::traffic::question;

/// What a server of a wire says.
struct Sample {
    api: Api,
    /// The events before the text.
    opening: Vec<Value>,
    /// The events of the text `Hé`, and of the text `llo`.
    text: [Value; 2],
    /// The events after the text; without them the answer has no end.
    closing: Vec<Value>,
    /// An error inside a stream, of a server that is overloaded.
    error: Value,
    /// A whole body that says `Héllo`, without usage.
    body: Value,
    /// A whole body with a call that has neither id nor name, and arguments that are an object.
    odd_call: Value,
}

fn samples() -> Vec<Sample> {
    let all: Vec<_> = Api::ALL.iter().filter_map(|api| sample(*api)).collect();
    assert!(!all.is_empty(), "a wire is compiled in");
    all
}

fn sample(api: Api) -> Option<Sample> {
    let (opening, text, closing, error, body, odd_call) = match api.name() {
        "chat" => {
            let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
            let whole = |message: Value| json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
            (
                vec![chunk(json!({"role": "assistant"}))],
                ["Hé", "llo"].map(|text| chunk(json!({"content": text}))),
                vec![json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})],
                json!({"error": {"message": "busy", "type": "overloaded_error"}}),
                whole(json!({"role": "assistant", "content": "Héllo"})),
                whole(json!({"role": "assistant", "content": null,
                    "tool_calls": [{"type": "function", "function": {"arguments": {"a": 1}}}]})),
            )
        }
        "responses" => {
            let delta = |text: &str| {
                json!({"type": "response.output_text.delta", "output_index": 0,
                    "content_index": 0, "item_id": "m1", "delta": text})
            };
            let whole = |output: Value| json!({"object": "response", "status": "completed", "output": [output]});
            let message = json!({"type": "message", "id": "m1", "role": "assistant",
                "content": [{"type": "output_text", "text": "Héllo", "annotations": []}]});
            (
                vec![
                    json!({"type": "response.created", "response": {"status": "in_progress"}}),
                    json!({"type": "response.output_item.added", "output_index": 0,
                        "item": {"type": "message", "id": "m1", "role": "assistant",
                            "content": []}}),
                ],
                [delta("Hé"), delta("llo")],
                vec![
                    json!({"type": "response.output_item.done", "output_index": 0,
                        "item": message}),
                    json!({"type": "response.completed", "response": whole(message.clone())}),
                ],
                json!({"type": "error", "error": {"code": "overloaded_error", "message": "busy"}}),
                whole(message),
                whole(json!({"type": "function_call", "arguments": {"a": 1}})),
            )
        }
        "messages" => {
            let delta = |text: &str| {
                json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": text}})
            };
            let whole = |block: Value| {
                json!({"type": "message", "role": "assistant", "content": [block],
                    "stop_reason": "end_turn"})
            };
            (
                vec![
                    json!({"type": "message_start", "message":
                        {"type": "message", "role": "assistant", "content": []}}),
                    json!({"type": "content_block_start", "index": 0,
                        "content_block": {"type": "text", "text": ""}}),
                ],
                [delta("Hé"), delta("llo")],
                vec![
                    json!({"type": "content_block_stop", "index": 0}),
                    json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                    json!({"type": "message_stop"}),
                ],
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
                whole(json!({"type": "text", "text": "Héllo"})),
                whole(json!({"type": "tool_use", "input": {"a": 1}})),
            )
        }
        "gemini" => {
            let part = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
            let whole = |part: Value| {
                json!({"candidates": [{"content": {"role": "model", "parts": [part]},
                    "finishReason": "STOP"}]})
            };
            (
                vec![],
                ["Hé", "llo"].map(|text| part(json!({"text": text}))),
                vec![json!({"candidates": [{"finishReason": "STOP"}]})],
                json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}),
                whole(json!({"text": "Héllo"})),
                whole(json!({"functionCall": {"args": {"a": 1}}})),
            )
        }
        // Its streams are no server-sent events.
        _ => return None,
    };
    Some(Sample { api, opening, text, closing, error, body, odd_call })
}

impl Sample {
    fn events(events: &[&[Value]]) -> String {
        let all = events.iter().flat_map(|events| events.iter());
        all.map(|event| match event["type"].as_str() {
            // As Anthropic and OpenAI do.
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        })
        .collect()
    }

    fn whole(&self) -> String {
        Self::events(&[&self.opening, &self.text, &self.closing])
    }

    /// The events up to the first text, with that.
    fn begun(&self) -> String {
        Self::events(&[&self.opening, &self.text[..1]])
    }

    fn body(&self) -> Act {
        Act::Close(answer("200 OK", "application/json", "", &self.body.to_string()))
    }

    fn at(&self, server: &Server, clock: &Arc<Turned>) -> Builder {
        let clock: Arc<Turned> = Arc::clone(clock);
        Builder::new(self.api, &server.base_url, "m").api_key("sk-secret-of-mine").clock(clock)
    }

    /// What comes of a stream that is asked for once.
    async fn once(&self, act: Act) -> Result<Response, Error> {
        self.once_within(Bounds::default(), act).await
    }

    async fn once_within(&self, bounds: Bounds, act: Act) -> Result<Response, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let model = self.at(&server, &clock).bounds(bounds).retry(Policy::never());
        let mut show = |_: Delta<'_>| ControlFlow::Continue(());
        model.build().unwrap().infer(question("Hi?"), Some(&mut show)).await
    }

    /// What comes of a body that is asked for once.
    async fn once_whole(&self, act: Act) -> Result<Response, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let model = self.at(&server, &clock).retry(Policy::never()).build().unwrap();
        model.infer(question("Hi?"), None).await
    }
}

#[tokio::test]
async fn s11_3_a_drop_after_any_byte_is_a_failure_or_incomplete() {
    for sample in samples() {
        let whole = sample.whole();
        let bytes = whole.as_bytes();
        let end = bytes.len() - Sample::events(&[&sample.closing]).len();
        for at in (0..bytes.len()).step_by(3) {
            // The server may have ended a piece inside a character.
            let head = open_stream("").into_bytes();
            let piece = [format!("{at:x}\r\n").as_bytes(), &bytes[..at], b"\r\n"].concat();
            let all = if at == 0 { vec![head] } else { vec![head, piece] };
            let drops = Arc::new(tokio::sync::Semaphore::new(2));
            let came = sample.once(Act::Pieces(all, drops)).await;
            match came {
                Ok(response) if response.incomplete.is_none() => {
                    assert!(at > end, "{} was whole at {at} of {}", sample.api, bytes.len());
                    assert_eq!(response.text(), "Héllo", "{}", sample.api);
                }
                Ok(response) => {
                    let said = response.text();
                    assert!("Héllo".starts_with(&said), "{}: {said:?} at {at}", sample.api);
                }
                Err(error) => {
                    assert!(error.is_retryable(), "{} at {at}: {error}", sample.api);
                    assert_eq!(error.charged_attempts, 1, "{} at {at}", sample.api);
                }
            }
        }
    }
}

#[tokio::test]
async fn s11_3_a_garbage_event_ends_an_answer_and_what_came_is_kept() {
    for sample in samples() {
        let begun = sample.begun() + "data: {\"type\": nonsense\n\n";
        let rest = Sample::events(&[&sample.text[1..], &sample.closing]);
        let came = sample.once(Act::Close(open_stream(&(begun + &rest)) + END)).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{}", sample.api);
        let error =
            sample.once(Act::Close(open_stream("data: {oops\n\n") + END)).await.unwrap_err();
        assert_eq!(error.kind, Kind::Malformed, "{}: {error}", sample.api);
    }
}

#[tokio::test]
async fn s11_3_a_stream_without_its_end_is_incomplete() {
    for sample in samples() {
        let said = Sample::events(&[&sample.opening, &sample.text]);
        let came = sample.once(Act::Close(open_stream(&said) + END)).await.unwrap();
        assert_eq!(came.text(), "Héllo", "{}", sample.api);
        assert_eq!(came.incomplete, Some(Incomplete::NoEnd), "{}", sample.api);
    }
}

#[tokio::test]
async fn s11_3_an_error_in_mid_stream_keeps_what_came_and_is_repeated() {
    for sample in samples() {
        let failed = open_stream(
            &(sample.begun() + &Sample::events(&[std::slice::from_ref(&sample.error)])),
        );
        let came = sample.once(Act::Close(failed.clone() + END)).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{}", sample.api);
        assert_eq!(came.raw["error"]["message"], "busy", "{}", sample.api);
        let acts = [failed + END, open_stream(&sample.whole()) + END].map(Act::Close);
        let (server, clock) = (Server::start(acts).await, Turned::new());
        let model = sample.at(&server, &clock).build().unwrap();
        let mut show = |_: Delta<'_>| ControlFlow::Continue(());
        let came = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
        assert_eq!((came.text().as_str(), came.charged_attempts), ("Héllo", 1), "{}", sample.api);
    }
}

#[tokio::test]
async fn s11_5_a_full_server_is_asked_again_when_it_says() {
    // A number of seconds, and the date that is as far away from the clock of the test.
    let waits = ["retry-after: 7\r\n", "retry-after: Sun, 18 Oct 2015 07:28:07 GMT\r\n"];
    for sample in samples() {
        for (status, header) in [("429 Busy", waits[0]), ("429 Busy", waits[1]), ("529 Oh", "")] {
            let error = json!({"error": {"message": "busy"}}).to_string();
            let full = Act::Close(answer(status, "application/json", header, &error));
            let (server, clock) = (Server::start([full, sample.body()]).await, Turned::new());
            let model = sample.at(&server, &clock).build().unwrap();
            let came = model.infer(question("Hi?"), None).await.unwrap();
            assert_eq!((came.text().as_str(), came.charged_attempts), ("Héllo", 0));
            let least = if header.is_empty() { Duration::ZERO } else { Duration::from_secs(7) };
            let waited = clock.waits().into_iter().max().unwrap();
            assert!(waited >= least, "{} {status} {header}: {waited:?}", sample.api);
        }
    }
}

#[tokio::test]
async fn s13_10_silence_before_and_inside_an_answer_is_cut() {
    for sample in samples() {
        let (server, clock) = (Server::start([Act::Stall(String::new())]).await, Turned::new());
        let model = sample.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let asked = model.infer(question("Hi?"), None);
        let (came, ()) = tokio::join!(asked, clock.pass(Duration::from_secs(300)));
        assert_eq!(came.unwrap_err().kind, Kind::Timeout, "{}", sample.api);

        let begun = open_stream(&sample.begun());
        let (server, clock) = (Server::start([Act::Stall(begun)]).await, Turned::new());
        let model = sample.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let mut show = |_: Delta<'_>| {
            let clock = clock.clone();
            tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
            ControlFlow::Continue(())
        };
        let came = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{}", sample.api);
    }
}

#[tokio::test]
async fn s13_10_an_endless_answer_and_an_endless_line_meet_their_bounds() {
    let bounds = Bounds { answer_bytes: 64 << 10, event_bytes: 64 << 10, ..Bounds::default() };
    for sample in samples() {
        let again = chunk(&Sample::events(&[&sample.text[1..]]));
        let flood = Act::Flood(open_stream(&sample.begun()), again);
        let came = sample.once_within(bounds, flood).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{}", sample.api);
        assert!(came.text().len() <= 64 << 10, "{}", sample.api);

        let line = Act::Flood(open_stream(&sample.begun()) + &chunk("data: "), chunk("xxxxxxxx"));
        let came = sample.once_within(bounds, line).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{}", sample.api);
        assert_eq!(came.text(), "Hé", "{}", sample.api);
    }
}

#[cfg(feature = "compression")]
#[tokio::test]
async fn a_compressed_stream_is_read_on_each_wire() {
    for sample in samples() {
        let body = crate::compressed::gzipped(&[
            &sample.begun(),
            &Sample::events(&[&sample.text[1..], &sample.closing]),
        ]);
        let came =
            sample.once(crate::compressed::sent("200 OK", "text/event-stream", "gzip", &body));
        let came = came.await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{}", sample.api);
    }
}

#[tokio::test]
async fn half_a_character_at_the_end_of_a_piece_is_joined() {
    for sample in samples() {
        let whole = sample.whole();
        let (first, second) = whole.as_bytes().split_at(whole.find('é').unwrap() + 1);
        let piece =
            |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        let mut last = piece(second);
        last.extend_from_slice(END.as_bytes());
        let pieces = vec![open_stream("").into_bytes(), piece(first), last];
        let drops = Arc::new(tokio::sync::Semaphore::new(3));
        let came = sample.once(Act::Pieces(pieces, drops)).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{}", sample.api);
    }
}

#[tokio::test]
async fn odd_calls_and_missing_usage_are_read() {
    for sample in samples() {
        let odd = answer("200 OK", "application/json", "", &sample.odd_call.to_string());
        let came = sample.once_whole(Act::Close(odd)).await.unwrap();
        let calls: Vec<_> = came.message.tool_calls().collect();
        let [call] = calls.as_slice() else { panic!("{}: {came:?}", sample.api) };
        assert_eq!((&*call.name, call.parse().unwrap()), ("", json!({"a": 1})), "{}", sample.api);
        assert!(!call.id.as_str().is_empty(), "{}", sample.api);
        let came = sample.once_whole(sample.body()).await.unwrap();
        assert_eq!((came.text().as_str(), came.usage), ("Héllo", None), "{}", sample.api);
        assert_eq!(came.finish, FinishReason::Stop, "{}", sample.api);
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    for sample in samples() {
        let body = sample.error.to_string();
        let error = Act::Close(answer("200 OK", "application/json", "", &body));
        let error = sample.once_whole(error).await.unwrap_err();
        assert_eq!(error.kind, Kind::Server, "{}: {error}", sample.api);
        assert!(error.message.contains("busy"), "{}: {error}", sample.api);
    }
}

#[tokio::test]
async fn the_key_does_not_follow_a_redirect() {
    for sample in samples() {
        let other = Server::start([sample.body()]).await;
        let to = format!("location: {}\r\n", other.base_url);
        let moved = answer("307 Moved", "text/html", &to, "moved");
        let error = sample.once_whole(Act::Close(moved)).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(307)), "{}", sample.api);
        assert!(other.requests().is_empty(), "{}", sample.api);
        assert!(!error.message.contains("sk-secret"), "{}", sample.api);
    }
}

//! Streams of answers that are made in the background, whose connections are lost.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::Response;
use legwork_core::inference::Incomplete;
use legwork_models::http::Timeouts;
use legwork_port::{Delta, Model};
use serde_json::{Value, json};

use super::{
    CANCELLED, CREATED, FOUND, busy, created, json_of, lines, made, model, numbered, refused,
    underway,
};
use crate::answers::{Noted, Seen, events};
use crate::clock::{Lapse, Turned};
use crate::responses::{completed, delta, item, said};
use crate::server::{Act, END, Server, answer, chunk, open_stream};
use crate::traffic::question;

/// A stream that is cut behind these events; the last one is not whole.
fn cut(said: &[Value]) -> Act {
    Act::Close(open_stream(&(events(said) + "data: {\"type\": \"response.outp")))
}

fn text(sequence: u64, piece: &str) -> Value {
    numbered(sequence, delta("output_text", 0, piece))
}

fn resumed(after: u64) -> String {
    let query = format!("stream=true&starting_after={after}");
    format!("GET /v1/responses/r1?{query}&include%5B%5D=reasoning.encrypted_content HTTP/1.1")
}

#[tokio::test]
async fn s11_5_a_stream_whose_connection_is_lost_goes_on_where_it_was() {
    let end = numbered(6, completed(json!([said("msg_1", "Hello there.")])));
    let done = numbered(5, item("done", 0, said("msg_1", "Hello there.")));
    let rest = open_stream(&events(&[text(4, "there."), done, end]));
    let acts = [
        cut(&[created(), text(1, "Hel")]),
        busy(),
        cut(&[text(2, "lo"), text(3, " ")]),
        Act::Keep(format!("{rest}{END}")),
    ];
    let server = Server::start(acts).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let mut noted = Noted::default();
    let response = model.infer(question("Hi?"), Some(&mut noted)).await.unwrap();
    assert_eq!((noted.0.as_str(), response.text().as_str()), ("Hello there.", "Hello there."));
    assert_eq!((response.usage.unwrap().total(), response.charged_attempts), (5, 0));
    assert_eq!(response.incomplete, None);
    assert_eq!(lines(&server), [CREATED.to_owned(), resumed(1), resumed(1), resumed(3)]);
}

#[tokio::test]
async fn s11_5_a_stream_that_cannot_be_resumed_is_asked_for_and_its_rest_is_shown() {
    let refused = answer("400 Bad Request", "application/json", "", r#"{"error": "no stream"}"#);
    let whole = Act::Keep(answer("200 OK", "application/json", "", "{}"));
    let nothing = Act::Keep(format!("{}{END}", open_stream(": nothing\n\n")));
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "add",
        "arguments": "{}", "status": "completed"});
    let output = json!([said("msg_1", "Hello there."), call]);
    for unable in [Act::Keep(refused), whole, nothing] {
        let acts = [cut(&[created(), text(1, "Hello ")]), unable];
        let polls = [underway("in_progress"), completed(output.clone())["response"].clone()];
        let server = Server::start(acts.into_iter().chain(polls.iter().map(json_of))).await;
        let model = model(&server, &Turned::new()).build().unwrap();
        let mut seen = Seen::default();
        let mut show = |delta: Delta<'_>| seen.take(delta);
        let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
        assert_eq!(
            (response.text().as_str(), seen.text.as_str()),
            ("Hello there.", "Hello there.")
        );
        assert_eq!(seen.calls, [("add".to_owned(), "{}".to_owned())]);
        assert_eq!((response.message.parts.len(), response.usage.unwrap().total()), (2, 5));
        assert_eq!(response.charged_attempts, 0);
        assert_eq!(lines(&server)[1..], [resumed(1), FOUND.to_owned(), FOUND.to_owned()]);
    }
}

#[tokio::test]
async fn what_came_of_a_stream_is_kept_if_the_server_refuses_more() {
    let cancelled = json_of(&underway("cancelled"));
    let acts = [cut(&[created(), text(1, "Hello ")]), busy(), refused(), refused(), cancelled];
    let server = Server::start(acts).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let mut noted = Noted::default();
    let response = model.infer(question("Hi?"), Some(&mut noted)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello ", Some(Incomplete::Cut)));
    assert_eq!(noted.0, "Hello ");
    server.requested(5).await;
    let expected = [resumed(1), resumed(1), FOUND.to_owned(), CANCELLED.to_owned()];
    assert_eq!(lines(&server)[1..], expected);
}

#[tokio::test]
async fn s11_5_a_stream_that_breaks_before_the_response_is_known_is_an_attempt() {
    let end = numbered(2, completed(json!([said("msg_1", "Hi.")])));
    let whole = open_stream(&events(&[created(), text(1, "Hi."), end])) + &chunk(": end\n\n") + END;
    let server = Server::start([cut(&[]), Act::Keep(whole)]).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let mut noted = Noted::default();
    let response = model.infer(question("Hi?"), Some(&mut noted)).await.unwrap();
    assert_eq!((response.text().as_str(), noted.0.as_str()), ("Hi.", "<again>Hi."));
    assert_eq!(lines(&server), [CREATED, CREATED]);
}

/// A text and a call, event by event.
fn told() -> Vec<Value> {
    let call = |arguments: &str, status: &str| {
        json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "add",
            "arguments": arguments, "status": status})
    };
    let arguments = |piece: &str| {
        json!({"type": "response.function_call_arguments.delta", "output_index": 1,
            "item_id": "fc_1", "delta": piece})
    };
    let (text, whole) = (said("msg_1", "Hello there."), call("{\"a\": 1}", "completed"));
    let all = [
        json!({"type": "response.created", "response": underway("queued")}),
        item("added", 0, said("msg_1", "")),
        delta("output_text", 0, "Hello "),
        delta("output_text", 0, "there."),
        item("done", 0, text.clone()),
        item("added", 1, call("", "in_progress")),
        arguments("{\"a\": "),
        arguments("1}"),
        item("done", 1, whole.clone()),
        completed(json!([text, whole])),
    ];
    all.to_vec()
}

fn with_numbers(events: Vec<Value>) -> Vec<Value> {
    (0..).zip(events).map(|(number, event)| numbered(number, event)).collect()
}

/// A whole stream of events.
fn whole(said: &[Value]) -> Act {
    Act::Keep(open_stream(&events(said)) + END)
}

/// What comes of a server with this script, which has to be what was told, shown once.
async fn is_told(acts: impl IntoIterator<Item = Act>) -> (Response, Vec<String>) {
    let server = Server::start(acts).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let mut seen = Seen::default();
    let mut show = |delta: Delta<'_>| seen.take(delta);
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("Hello there.", "Hello there."));
    assert_eq!(seen.calls, [("add".to_owned(), "{\"a\": 1}".to_owned())]);
    let calls: Vec<_> = response.message.tool_calls().collect();
    assert_eq!((calls.len(), response.message.parts.len()), (1, 2));
    assert_eq!((&response.incomplete, response.charged_attempts), (&None, 0));
    assert_eq!(response.usage.as_ref().unwrap().total(), 5);
    (response, lines(&server))
}

#[tokio::test]
async fn s11_5_a_server_that_streams_all_events_again_is_read_once() {
    let all = with_numbers(told());
    let (expected, _) = is_told([whole(&all)]).await;
    for at in 1..all.len() {
        let (response, lines) = is_told([cut(&all[..at]), whole(&all)]).await;
        assert_eq!(response.message, expected.message, "cut at {at}");
        assert_eq!(lines, [CREATED.to_owned(), resumed(at as u64 - 1)]);
        // The further stream is lost, too, with an event of old that does not end.
        let old = format!("{}data: {}", events(&all[..at / 2]), all[at / 2]);
        let again = Act::Close(open_stream(&old));
        let poll = json_of(&all[9]["response"]);
        let (response, lines) = is_told([cut(&all[..at]), again, poll]).await;
        assert_eq!(response.message, expected.message, "cut at {at}");
        assert_eq!(lines[1..], [resumed(at as u64 - 1), FOUND.to_owned()]);
    }
}

#[tokio::test]
async fn s11_5_a_stream_without_numbers_is_not_resumed_but_asked_for() {
    let all = told();
    for at in 1..all.len() {
        let polls = [underway("in_progress"), all[9]["response"].clone()];
        let acts = [cut(&all[..at])].into_iter().chain(polls.iter().map(json_of));
        let (_, lines) = is_told(acts).await;
        assert_eq!(lines, [CREATED, FOUND, FOUND], "cut at {at}");
    }
    // The same number each time is none.
    let same: Vec<_> = all.iter().map(|event| numbered(7, event.clone())).collect();
    let (_, lines) = is_told([cut(&same[..4]), json_of(&all[9]["response"])]).await;
    assert_eq!(lines, [CREATED, FOUND]);
}

#[tokio::test]
async fn s11_5_a_further_stream_that_leaves_events_out_is_not_read() {
    let (all, poll) = (with_numbers(told()), || json_of(&told()[9]["response"]));
    for begun in [&all[4..], &told()[3..]] {
        let (_, lines) = is_told([cut(&all[..3]), whole(begun), poll()]).await;
        assert_eq!(lines, [CREATED.to_owned(), resumed(2), FOUND.to_owned()]);
    }
}

#[tokio::test]
async fn s11_5_the_time_of_an_answer_bounds_a_further_stream() {
    let begun = cut(&[created(), text(1, "Hello ")]);
    let silent = Act::Stall(open_stream(": nothing\n\n"));
    let server = Server::start([begun, silent, json_of(&made("Hello there."))]).await;
    let clock = Arc::new(Lapse::default());
    let timeouts = Timeouts { answer: Duration::from_secs(90), ..Timeouts::default() };
    let model = model(&server, &clock).timeouts(timeouts).build().unwrap();
    let mut noted = Noted::default();
    let response = model.infer(question("Hi?"), Some(&mut noted)).await.unwrap();
    assert_eq!((response.text().as_str(), noted.0.as_str()), ("Hello there.", "Hello there."));
    assert_eq!(response.incomplete, None);
    assert_eq!(clock.passed().as_secs(), 90);
}

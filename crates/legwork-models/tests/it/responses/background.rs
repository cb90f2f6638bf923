//! Answers that are made in the background, over real HTTP.

mod resumed;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_core::inference::Incomplete;
use legwork_core::{ModelRequest, ModelSettings};
use legwork_models::answer::Streaming;
use legwork_models::http::Timeouts;
use legwork_models::retry::Policy;
use legwork_models::{Builder, HttpModel, Named, openai};
use legwork_port::model::Kind;
use legwork_port::{Clock, Delta, Model};
use serde_json::{Value, json};

use super::{completed, delta, is_valid, said};
use crate::answers::events;
use crate::clock::{Lapse, Turned};
use crate::server::{Act, Server, answer, open_stream};
use crate::traffic::question;

pub(super) const FOUND: &str =
    "GET /v1/responses/r1?include%5B%5D=reasoning.encrypted_content HTTP/1.1";

pub(super) fn model<C: Clock + 'static>(server: &Server, clock: &Arc<C>) -> Builder {
    let clock: Arc<C> = Arc::clone(clock);
    openai::responses(&server.base_url, "m").api_key("sk-secret").clock(clock).in_background()
}

pub(super) fn json_of(body: &Value) -> Act {
    Act::Keep(answer("200 OK", "application/json", "", &body.to_string()))
}

/// A response that is not made yet.
pub(super) fn underway(status: &str) -> Value {
    json!({"id": "r1", "model": "m", "status": status, "output": [], "usage": null})
}

/// One that is.
pub(super) fn made(text: &str) -> Value {
    completed(json!([said("msg_1", text)]))["response"].clone()
}

pub(super) fn busy() -> Act {
    Act::Keep(answer("503 Service Unavailable", "text/plain", "", "busy"))
}

fn refused() -> Act {
    Act::Keep(answer("403 Forbidden", "text/plain", "", "no"))
}

/// An event with its number.
pub(super) fn numbered(sequence: u64, mut event: Value) -> Value {
    event["sequence_number"] = sequence.into();
    event
}

pub(super) fn created() -> Value {
    numbered(0, json!({"type": "response.created", "response": underway("queued")}))
}

/// The first lines of the requests that came.
pub(super) fn lines(server: &Server) -> Vec<String> {
    let first = |request: String| request.lines().next().unwrap().to_owned();
    server.requests().into_iter().map(first).collect()
}

const CREATED: &str = "POST /v1/responses HTTP/1.1";
const CANCELLED: &str = "POST /v1/responses/r1/cancel HTTP/1.1";

#[tokio::test]
async fn s11_5_an_answer_in_one_piece_is_asked_for_until_it_is_made() {
    let polls = ["queued", "in_progress", "in_progress", "in_progress"].map(underway);
    let acts = [underway("queued")].into_iter().chain(polls).chain([made("Hello.")]);
    let (server, clock) = (Server::start(acts.map(|body| json_of(&body))).await, Turned::new());
    let model = model(&server, &clock).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.id.as_deref()), ("Hello.", Some("r1")));
    assert_eq!((response.usage.unwrap().total(), response.charged_attempts), (5, 0));
    assert_eq!((response.incomplete, response.raw.len()), (None, 0));
    let lines = lines(&server);
    assert_eq!((lines.len(), lines[0].as_str(), lines[5].as_str()), (6, CREATED, FOUND));
    assert_eq!(clock.waits(), [1, 2, 4, 8, 15].map(Duration::from_secs));
    let requests = server.requests();
    let sent: Value = serde_json::from_str(requests[0].split_once("\r\n\r\n").unwrap().1).unwrap();
    assert!(is_valid(&sent));
    assert_eq!((&sent["background"], &sent["store"]), (&json!(true), &json!(true)));
    let asked = requests[1].to_ascii_lowercase();
    assert!(asked.contains("authorization: bearer sk-secret"), "{asked}");
    assert!(!asked.contains("content-length") && !asked.contains("content-type"), "{asked}");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn one_that_is_made_at_once_is_not_asked_for() {
    let server = Server::start([json_of(&made("Hello."))]).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Hello.");
    assert_eq!(lines(&server), [CREATED]);
}

#[tokio::test]
async fn s11_5_a_server_that_is_away_while_it_is_asked_makes_no_second_response() {
    let gone = r#"{"error": {"message": "Response with id 'r1' not found."}}"#;
    let gone = Act::Keep(answer("404 Not Found", "application/json", "", gone));
    let cut = Act::Close("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_owned());
    let acts = [json_of(&underway("queued")), busy(), gone, cut, json_of(&made("Hello."))];
    let server = Server::start(acts).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 0));
    assert_eq!(lines(&server), [CREATED, FOUND, FOUND, FOUND, FOUND]);
}

#[tokio::test]
async fn s11_5_a_response_that_fails_is_made_again_only_if_the_error_may_pass() {
    let failed = |code: &str| {
        let error = json!({"code": code, "message": "no"});
        json_of(&json!({"id": "r1", "status": "failed", "output": [], "error": error}))
    };
    let queued = || json_of(&underway("queued"));
    let acts = [queued(), failed("server_error"), queued(), json_of(&made("Hello."))];
    let server = Server::start(acts).await;
    let patient = model(&server, &Turned::new()).build().unwrap();
    let response = patient.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 1));
    assert_eq!(lines(&server), [CREATED, FOUND, CREATED, FOUND]);
    let server = Server::start([queued(), failed("invalid_prompt")]).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (Kind::BadRequest, Some("invalid_prompt")));
    assert_eq!(lines(&server), [CREATED, FOUND]);
}

#[tokio::test]
async fn s11_5_one_that_cannot_be_asked_for_any_more_is_cancelled_and_was_paid_for() {
    let cancelled = json_of(&underway("cancelled"));
    let server = Server::start([json_of(&underway("queued")), refused(), cancelled]).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    let what = (error.kind, error.status, error.charged_attempts);
    assert_eq!(what, (Kind::Unauthorized, Some(403), 1));
    server.requested(3).await;
    assert_eq!(lines(&server), [CREATED, FOUND, CANCELLED]);
    assert!(server.requests()[2].contains("authorization: Bearer sk-secret"));
}

#[tokio::test]
async fn one_without_an_id_cannot_be_awaited() {
    let server = Server::start([json_of(&json!({"status": "queued", "output": []}))]).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Malformed, 1), "{error}");
    assert_eq!(lines(&server), [CREATED]);
}

/// The model of a response that may take a minute and a half.
fn hurried(server: &Server, clock: &Arc<Lapse>) -> HttpModel {
    let timeouts = Timeouts { answer: Duration::from_secs(90), ..Timeouts::default() };
    model(server, clock).timeouts(timeouts).build().unwrap()
}

#[tokio::test]
async fn s11_5_one_that_takes_too_long_is_cancelled_and_not_repeated() {
    let acts = (0..15).map(|_| json_of(&underway("in_progress")));
    let (server, clock) = (Server::start(acts).await, Arc::new(Lapse::default()));
    let model = hurried(&server, &clock);
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    assert_eq!(response.bound.unwrap(), "it takes longer than 90s (bound `answer_time`)");
    assert_eq!(clock.passed().as_secs(), 90);
    server.requested(11).await;
    let lines = lines(&server);
    assert_eq!((lines.len(), lines[9].as_str(), lines[10].as_str()), (11, FOUND, CANCELLED));
}

#[tokio::test]
async fn s11_5_its_time_bounds_each_question_for_it_and_it_is_asked_for_once_more_then() {
    let silent = || Act::Stall(String::new());
    let acts = [json_of(&underway("queued")), silent(), json_of(&made("Hello."))];
    let (server, clock) = (Server::start(acts).await, Arc::new(Lapse::default()));
    let response = hurried(&server, &clock).infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 0));
    assert_eq!(clock.passed().as_secs(), 90);
    assert_eq!(lines(&server), [CREATED, FOUND, FOUND]);
    let cancelled = json_of(&underway("cancelled"));
    let acts = [json_of(&underway("queued")), silent(), silent(), cancelled];
    let (server, clock) = (Server::start(acts).await, Arc::new(Lapse::default()));
    let response = hurried(&server, &clock).infer(question("Hi?"), None).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    assert_eq!(clock.passed().as_secs(), 100);
    server.requested(4).await;
    assert_eq!(lines(&server), [CREATED, FOUND, FOUND, CANCELLED]);
}

#[tokio::test]
async fn s11_5_what_may_pass_is_waited_for_as_long_as_it_may_take() {
    let later = |status: &str| {
        let headers = "retry-after: 1000\r\n";
        Act::Keep(answer(status, "text/plain", headers, "later"))
    };
    let busy = (0..9).map(|_| busy());
    let other = ["409 Conflict", "425 Too Early", "429 Too Many Requests"].map(later);
    let acts = [json_of(&underway("queued"))].into_iter().chain(busy).chain(other);
    let server = Server::start(acts.chain([json_of(&made("Hello."))])).await;
    let clock = Arc::new(Lapse::default());
    let model = model(&server, &clock).retry(Policy::never()).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 0));
    assert!(clock.passed() > Duration::from_secs(3_000), "{:?}", clock.passed());
    assert_eq!(lines(&server).len(), 14);
}

#[tokio::test]
async fn s11_5_a_response_that_failed_and_another_have_keys_of_their_own() {
    let failed = json!({"code": "server_error", "message": "no"});
    let failed = json!({"id": "r1", "status": "failed", "output": [], "error": failed});
    let begun = json_of(&underway("queued"));
    let acts = [busy(), begun, json_of(&failed), json_of(&made("Hello."))];
    let (server, count) = (Server::start(acts).await, AtomicUsize::new(0));
    let keys = move || format!("key-{}", count.fetch_add(1, Ordering::Relaxed));
    let model = model(&server, &Turned::new()).idempotency_header("x-key").idempotency_keys(keys);
    let response = model.build().unwrap().infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 1));
    let key = |request: &String| {
        request.lines().find_map(|line| line.strip_prefix("x-key: ").map(str::to_owned))
    };
    let keys: Vec<_> = server.requests().iter().map(key).collect();
    let expected = [Some("key-0"), Some("key-0"), None, Some("key-1")];
    assert_eq!(keys, expected.map(|key| key.map(str::to_owned)));
}

#[tokio::test]
async fn one_that_somebody_cancels_is_no_answer() {
    let acts = ["queued", "cancelled"].map(|status| json_of(&underway(status)));
    let server = Server::start(acts).await;
    let model = model(&server, &Turned::new()).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::from("cancelled")));
    assert_eq!(lines(&server), [CREATED, FOUND]);
}

#[tokio::test]
async fn s11_5_what_is_dropped_is_cancelled() {
    let heard = || Act::Keep(answer("200 OK", "application/json", "", "{}"));
    let acts = [json_of(&underway("queued")), Act::Stall(String::new()), heard()];
    let server = Server::start(acts).await;
    let whole = model(&server, &Turned::new()).build().unwrap();
    let asking = tokio::spawn(async move { whole.infer(question("Hi?"), None).await.map(drop) });
    server.requested(2).await;
    asking.abort();
    server.requested(3).await;
    assert_eq!(lines(&server), [CREATED, FOUND, CANCELLED]);
    let begun = open_stream(&events(&[created(), delta("output_text", 0, "Hel")]));
    let server = Server::start([Act::Stall(begun), heard()]).await;
    let streamed = model(&server, &Turned::new()).build().unwrap();
    let (shown, mut is_shown) = tokio::sync::mpsc::unbounded_channel();
    let asking = tokio::spawn(async move {
        let mut show = move |_: Delta<'_>| {
            shown.send(()).map_or(ControlFlow::Break(()), ControlFlow::Continue)
        };
        streamed.infer(question("Hi?"), Some(&mut show)).await.map(drop)
    });
    is_shown.recv().await.unwrap();
    asking.abort();
    server.requested(2).await;
    assert_eq!(lines(&server), [CREATED, CANCELLED]);
}

#[test]
fn it_is_an_option_a_field_or_a_setting_and_needs_the_server_to_keep_it() {
    let named: Named = "a:m?background=true".parse().unwrap();
    let with = || openai::responses("http://x/v1", "m");
    for model in [with().settings(named.settings), with().field("background", true)] {
        let body = model.build().unwrap().body(&question("Hi?"), Streaming::No).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert!(is_valid(&body));
        assert_eq!((&body["background"], &body["store"]), (&json!(true), &json!(true)));
    }
    let extra = [("background".to_owned(), json!(false))].into_iter().collect();
    let off = ModelSettings { extra, ..ModelSettings::default() };
    let off = ModelRequest::blank(off.into());
    let body = with().in_background().build().unwrap().body(&off, Streaming::No).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((body.get("background"), &body["store"]), (None, &json!(false)));
    // What is so anyway is sent to no API.
    let chat = openai::chat("http://x/v1", "m").in_background().build().unwrap();
    let body: Value = serde_json::from_slice(&chat.body(&off, Streaming::No).unwrap()).unwrap();
    assert_eq!(body.get("background"), None);
    let refused = |model: Builder, says: &str| {
        let error = model.build().unwrap().body(&question("Hi?"), Streaming::No).unwrap_err();
        assert!(error.kind == Kind::BadRequest && error.message.contains(says), "{error}");
    };
    refused(with().in_background().field("store", false), "remove `store`");
    refused(openai::chat("http://x/v1", "m").in_background(), "use the API `responses`");
}

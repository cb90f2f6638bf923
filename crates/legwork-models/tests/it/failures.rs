//! Everything that goes wrong between here and a model, over real HTTP.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Response;
use legwork_core::inference::Incomplete;
use legwork_models::retry::Policy;
use legwork_models::{Error as Setup, openai};
use legwork_port::model::{Error, Kind};
use legwork_port::{Delta, Deltas, Model, Retry};
use serde_json::json;

use crate::answers::{delta, end, events};
use crate::clock::Turned;
use crate::server::{Act, END, Server, answer, chunk, open_stream};
use crate::traffic::{body, model_at, question, stream};

fn refused(status: &str, headers: &str, error: serde_json::Value) -> Act {
    Act::Close(answer(status, "application/json", headers, &json!({"error": error}).to_string()))
}

/// What came of it, the waits between attempts, and how many requests there were.
struct Came {
    result: Result<Response, Error>,
    waits: Vec<Duration>,
    requests: usize,
}

async fn asked(acts: impl IntoIterator<Item = Act>, deltas: bool) -> Came {
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    let result = match deltas {
        true => model.infer(question("Hi?"), Some(&mut show)).await,
        false => model.infer(question("Hi?"), None).await,
    };
    let requests = server.requests().len();
    // Waits for the end of a stream's body are none between attempts.
    let waits = clock.waits().into_iter().filter(|wait| wait.as_millis() > 100).collect();
    Came { result, waits, requests }
}

#[tokio::test]
async fn s11_5_a_dead_server_is_tried_again_and_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let clock = Turned::new();
    let url = format!("http://{port}/v1");
    let model = openai::chat(&url, "m").clock(clock.clone()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Unreachable, 0));
    assert!(error.message.contains(&url) && error.message.contains("openai:m"), "{error}");
    assert!(error.message.contains("refused"), "{error}");
    assert!(
        error.message.contains(" attempts in 10 s: the time for retries is used up"),
        "{error}"
    );
    assert_eq!(error.code.as_deref(), Some("not_running"));
    assert_eq!(clock.waits().iter().sum::<Duration>().as_secs(), 10);
}

#[tokio::test]
async fn s11_5_a_server_of_this_machine_that_answered_before_is_waited_for() {
    let server = legwork_testkit::Server::start([legwork_testkit::Turn::text("Hi.")]).unwrap();
    let clock = Turned::new();
    let model = openai::chat(server.base_url(), "m").clock(clock.clone()).build().unwrap();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Hi.");
    server.leave().unwrap();
    let before = clock.waits().len();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert!(error.message.contains(" attempts in 120 s: "), "{error}");
    assert_eq!((error.code, error.kind), (None, Kind::Unreachable));
    assert_eq!(clock.waits()[before..].iter().sum::<Duration>().as_secs(), 120);
}

/// Records deltas and retries, and allows a number of further attempts.
#[derive(Default)]
struct Listener {
    text: String,
    retries: Vec<(u32, Duration, String)>,
    discarded: Vec<bool>,
    charged: Vec<u32>,
    most: Option<usize>,
}

impl Deltas for Listener {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) = delta {
            self.text.push_str(text);
        }
        ControlFlow::Continue(())
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        if self.most.is_some_and(|most| self.retries.len() >= most) {
            return ControlFlow::Break(());
        }
        self.retries.push((retry.attempt, retry.wait, retry.error.to_owned()));
        self.discarded.push(retry.discarded);
        self.charged.push(retry.charged_attempts);
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn s11_5_a_retry_is_reported_before_the_wait() {
    let full = refused("429 Too Many Requests", "retry-after: 7\r\n", json!({"message": "later"}));
    let acts = [full, Act::Close(stream("Hi."))];
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut listener = Listener::default();
    model.infer(question("Hi?"), Some(&mut listener)).await.unwrap();
    let shown = "refused with 429: \"later\"".to_owned();
    assert_eq!(listener.retries, [(1, Duration::from_secs(7), shown)]);
    assert_eq!((listener.discarded, listener.charged), (vec![false], vec![0]));
}

/// A stream that is cut after half a word.
fn dropped() -> Act {
    Act::Close(open_stream(&events(&[delta(json!({"content": "Hel"}))])))
}

#[tokio::test]
async fn s11_3_a_dropped_stream_is_repeated_and_its_deltas_are_void() {
    let acts = [dropped(), dropped(), Act::Close(stream("Hello."))];
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut listener = Listener::default();
    let response = model.infer(question("Hi?"), Some(&mut listener)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello.", None));
    assert_eq!((response.charged_attempts, &*listener.text), (2, "HelHelHello."));
    let errors: Vec<_> = listener.retries.iter().map(|(_, _, error)| error.as_str()).collect();
    assert_eq!(errors, ["the answer broke off"; 2]);
    assert_eq!((listener.discarded, listener.charged), (vec![true, true], vec![1, 2]));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn s11_3_an_answer_is_incomplete_once_the_retries_are_used_up() {
    let (server, clock) = (Server::start((0..6).map(|_| dropped())).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut listener = Listener::default();
    let response = model.infer(question("Hi?"), Some(&mut listener)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hel", Some(Incomplete::Cut)));
    // The last one is charged as the response that it is.
    assert_eq!((server.requests().len(), response.charged_attempts), (6, 5));
}

#[tokio::test]
async fn s11_5_a_listener_may_forbid_a_retry() {
    for (act, cost) in [(dropped(), 1), (refused("502 Oh", "", json!("boom")), 1)] {
        let (server, clock) = (Server::start([act.clone(), act]).await, Turned::new());
        let model = model_at(&server, &clock).build().unwrap();
        let mut listener = Listener { most: Some(1), ..Listener::default() };
        let (broken, charged) = match model.infer(question("Hi?"), Some(&mut listener)).await {
            Ok(response) => (response.incomplete.is_some(), response.charged_attempts),
            Err(error) => (error.status == Some(502), error.charged_attempts - 1),
        };
        assert_eq!((broken, charged, server.requests().len()), (true, cost, 2));
    }
}

/// Records retries, and wants no deltas.
struct Whole(u32);

impl Deltas for Whole {
    fn streams(&self) -> bool {
        false
    }

    fn delta(&mut self, _: Delta<'_>) -> ControlFlow<()> {
        panic!("no deltas were asked for")
    }

    fn retrying(&mut self, _: Retry<'_>) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn s11_5_a_listener_without_deltas_is_notified_of_retries() {
    let acts = [refused("503 Busy", "", json!("busy")), Act::Close(body("Hi."))];
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut whole = Whole(0);
    let response = model.infer(question("Hi?"), Some(&mut whole)).await.unwrap();
    assert_eq!((response.text().as_str(), whole.0), ("Hi.", 1));
    assert!(!server.requests()[0].contains("\"stream\":true"));
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_masked_everywhere() {
    const KEY: &str = "sk-canary-d41d8cd98f00b204";
    const TOKEN: &str = "tok-canary-e9800998ecf8427e";
    let said = format!("you sent Bearer {KEY} and {TOKEN}");
    let error = json!({"message": said, "code": format!("bad_{KEY}")});
    let long = format!("<html>{} {KEY}</html>", "x".repeat(382));
    for act in [
        refused("401 Unauthorized", "", error.clone()),
        Act::Close(answer("200 OK", "application/json", "", &json!({"headers": said}).to_string())),
        Act::Close(answer("403 Forbidden", "text/html", "", &long)),
    ] {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let header = format!("Token {TOKEN}");
        let model = model_at(&server, &clock).api_key(KEY).header("x-api-key", header);
        let model = model.build().unwrap();
        assert_eq!(model.mask().text(TOKEN), "[redacted]");
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("canary") && shown.contains("[redacted]"), "{shown}");
    }
    let acts = [refused("500 Oh", "", error), Act::Close(stream("Hi."))];
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).api_key(KEY).header("x-api-key", TOKEN).build().unwrap();
    let mut listener = Listener::default();
    model.infer(question("Hi?"), Some(&mut listener)).await.unwrap();
    let shown = format!("{:?}", listener.retries);
    assert!(!shown.contains("canary") && shown.contains("[redacted]"), "{shown}");
}

#[test]
fn an_address_that_is_none_is_shown_without_its_password() {
    let built = openai::chat("ftp://me:hunter2@host/v1?key=hunter3", "m").build();
    let error = built.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("hunter") && shown.contains("host/v1"), "{shown}");
}

#[tokio::test]
async fn a_wrong_key_is_an_error_at_once_and_not_shown() {
    let error = json!({"message": "Incorrect API key", "type": "invalid_request_error", "code": "invalid_api_key"});
    let came = asked([refused("401 Unauthorized", "", error)], false).await;
    let error = came.result.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::Unauthorized, Some(401)));
    assert_eq!(error.code.as_deref(), Some("invalid_api_key"));
    assert!(
        error.message.contains("Incorrect API key") && error.message.contains("check the API key")
    );
    assert!(!error.message.contains("sk-secret"));
    assert_eq!((came.requests, error.charged_attempts), (1, 0));
}

#[tokio::test]
async fn s11_5_what_is_wrong_for_good_is_not_tried_again() {
    let overflow = json!({"message": "too long", "code": "context_length_exceeded"});
    let cases = [
        ("400 Bad Request", json!({"message": "no", "param": "messages[0]"}), Kind::BadRequest),
        ("400 Bad Request", overflow, Kind::ContextOverflow),
        ("403 Forbidden", json!("no"), Kind::Unauthorized),
        ("404 Not Found", json!({"message": "no model m"}), Kind::UnknownModel),
        ("422 Unprocessable Entity", json!({"message": "no"}), Kind::BadRequest),
        ("429 Too Many Requests", json!({"code": "insufficient_quota"}), Kind::QuotaExceeded),
    ];
    for (status, error, kind) in cases {
        let came = asked([refused(status, "", error)], true).await;
        assert_eq!(came.result.unwrap_err().kind, kind, "{status}");
        assert_eq!(came.requests, 1, "{status}");
    }
}

#[tokio::test]
async fn s11_4_the_id_of_a_request_is_kept_with_its_answer_and_its_error() {
    let names = ["x-request-id", "Request-Id", "x-amzn-RequestId"];
    for name in names {
        let header = format!("{name}:  req_1 \r\nx-request-idle: 7\r\n");
        let answered = body("Hi.").replacen("\r\n", &format!("\r\n{header}"), 1);
        let came = asked([Act::Close(answered)], false).await.result.unwrap();
        assert_eq!(came.request_id.as_deref(), Some("req_1"), "{name}");
        let came = asked([refused("400 Bad Request", &header, json!("no"))], false).await;
        let error = came.result.unwrap_err();
        assert_eq!(error.request_id.as_deref(), Some("req_1"), "{name}");
        assert!(error.message.contains("(request req_1); "), "{name}: {error}");
    }
    // A gateway has ids of its own.
    let header = "x-request-id: gateway\r\nrequest-id: req_1\r\n";
    let broken = ["", "content-length: 100\r\n"].map(|length| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
        Act::Close(format!("{head}{header}{length}\r\n"))
    });
    for act in broken.into_iter().chain([refused("400 Bad Request", header, json!("no"))]) {
        let error = once(act).await.unwrap_err();
        assert_eq!(error.request_id.as_deref(), Some("req_1"), "{error}");
    }
    let error = once(refused("400 Bad Request", "request-id: sk-secret\r\n", json!("no"))).await;
    assert_eq!(error.unwrap_err().request_id.as_deref(), Some("[redacted]"));
    let long = format!("x-request-id: {}\r\n", "r".repeat(10_000));
    for header in ["", "x-request-id: \r\n", "x-request-id: caf\u{e9}\r\n", &long] {
        let came = asked([refused("400 Bad Request", header, json!("no"))], false).await;
        assert_eq!(came.result.unwrap_err().request_id, None, "{header}");
    }
}

#[tokio::test]
async fn s11_5_a_rate_limit_is_waited_out_as_the_provider_asks() {
    let forms = [
        ("retry-after: 7\r\n", 7_000),
        ("retry-after: Sun, 18 Oct 2015 07:28:09 GMT\r\n", 9_000),
        ("retry-after-ms: 1500\r\nretry-after: 9\r\n", 1_500),
    ];
    for (header, wait) in forms {
        let acts =
            [refused("429 Too Many Requests", header, json!("slow down")), Act::Close(body("Hi."))];
        let came = asked(acts, false).await;
        assert_eq!(came.result.unwrap().text(), "Hi.");
        assert_eq!(came.waits, [Duration::from_millis(wait)], "{header}");
    }
}

#[tokio::test]
async fn a_rate_limit_that_stays_is_an_error_in_the_end() {
    let acts =
        (0..5).map(|_| refused("429 Too Many Requests", "", json!({"message": "slow down"})));
    let (server, clock) = (Server::start(acts).await, Turned::new());
    let model = model_at(&server, &clock).retry(Policy::default().with_max_retries(4));
    let error = model.build().unwrap().infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::RateLimited, Some(429)));
    assert_eq!((server.requests().len(), error.is_retryable()), (5, true));
    assert!(error.message.contains("(5 attempts in "), "{error}");
    assert!(error.message.ends_with(": no more attempts are allowed)"), "{error}");
}

#[tokio::test]
async fn s11_5_a_wait_that_is_longer_than_retries_may_take_is_not_waited() {
    let later = refused("429 Too Many Requests", "retry-after: 3600\r\n", json!("later"));
    let came = asked([later], false).await;
    let error = came.result.unwrap_err();
    assert_eq!((error.kind, came.requests), (Kind::RateLimited, 1));
    assert!(error.message.contains("the server asks to wait 3600s"), "{error}");
}

#[tokio::test]
async fn s11_5_a_failing_server_is_tried_again_and_its_attempts_are_counted() {
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let acts = [
        refused("500 Internal Server Error", "", json!({"message": "boom"})),
        Act::Close(answer("502 Bad Gateway", "text/html", "", page)),
        Act::Close(answer("503 Service Unavailable", "text/plain", "", "busy")),
        Act::Close(body("Hi.")),
    ];
    let came = asked(acts, false).await;
    let response = came.result.unwrap();
    // Of the three only the gateway may have passed the request on.
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", 1));
    assert_eq!((came.requests, came.waits.len()), (4, 3));
}

#[tokio::test]
async fn s5_3_a_refused_attempt_is_charged_nothing() {
    let free = [400, 401, 403, 404, 408, 429, 500, 501, 503, 505, 507, 525, 529, 530, 599];
    // A gateway may have passed the request on to a server that worked.
    let may_have_cost = [502, 504, 520, 521, 522, 523, 524];
    let cases = free.map(|status| (status, 0)).into_iter();
    for (status, charged) in cases.chain(may_have_cost.map(|status| (status, 1))) {
        let error = once(refused(&format!("{status} Oh"), "", json!("no"))).await.unwrap_err();
        assert_eq!((error.status, error.charged_attempts), (Some(status), charged));
    }
}

#[tokio::test]
async fn s5_3_an_answer_that_began_and_failed_may_have_cost() {
    let failed = |text: &str, code: u16| {
        let error = json!({"error": {"message": "boom", "code": code}});
        let text = if text.is_empty() { vec![] } else { vec![delta(json!({"content": text}))] };
        Act::Close(open_stream(&(events(&text) + &events(&[error]))) + END)
    };
    // What came is charged, and an error that a repetition does not heal is told apart.
    for (code, incomplete) in [(500, "cut"), (429, "cut"), (503, "cut"), (400, "failed")] {
        let came = once(failed("Hel", code)).await.unwrap();
        assert_eq!(came.incomplete.as_ref().map(Incomplete::as_str), Some(incomplete));
    }
    // The server had taken the request, and says that it failed at it.
    let cases = [("", 500, 1)];
    // It says that it did not begin.
    let none = [("", 429, 0), ("", 503, 0), ("", 529, 0), ("", 400, 0)];
    for (text, code, charged) in cases.into_iter().chain(none) {
        let error = once(failed(text, code)).await.unwrap_err();
        assert_eq!((error.status, error.charged_attempts), (Some(code), charged), "{text:?}");
    }
}

#[tokio::test]
async fn an_error_page_is_shown_by_its_title() {
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let server =
        Server::start([Act::Close(answer("502 Bad Gateway", "text/html", "", page))]).await;
    let model = model_at(&server, &Turned::new()).retry(Policy::never()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::Server, Some(502)));
    assert!(error.message.contains("502 Bad Gateway") && !error.message.contains('<'), "{error}");
}

#[tokio::test]
async fn an_answer_cut_before_anything_was_shown_is_asked_for_again() {
    let cut = answer("200 OK", "application/json", "", r#"{"choices":[]}"#);
    let acts = [Act::Close(cut[..cut.len() - 3].to_owned()), Act::Close(body("Hi."))];
    let came = asked(acts, false).await;
    let response = came.result.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", 1));
    let came = asked([Act::Close(open_stream("")), Act::Close(stream("Hi."))], true).await;
    assert_eq!(came.result.unwrap().text(), "Hi.");
}

/// What an answer comes to that is asked for once.
async fn once(act: Act) -> Result<Response, Error> {
    let (server, clock) = (Server::start([act]).await, Turned::new());
    let model = model_at(&server, &clock).retry(Policy::never()).build().unwrap();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    model.infer(question("Hi?"), Some(&mut show)).await
}

#[tokio::test]
async fn s11_3_a_stream_cut_in_a_calls_arguments_is_incomplete() {
    let call =
        json!({"index": 0, "id": "c1", "function": {"name": "add", "arguments": "{\"a\": 1"}});
    let said = events(&[delta(json!({"tool_calls": [call]}))]);
    let response = once(Act::Close(open_stream(&said))).await.unwrap();
    assert_eq!((response.incomplete, response.charged_attempts), (Some(Incomplete::Cut), 0));
}

#[tokio::test]
async fn s11_3_a_stream_that_just_ends_is_incomplete() {
    let said = events(&[delta(json!({"content": "Hel"}))]);
    let done = format!("{}{}{END}", open_stream(&said), chunk("data: [DONE]\n\n"));
    for ended in [format!("{}{END}", open_stream(&said)), done] {
        let response = once(Act::Close(ended)).await.unwrap();
        assert_eq!((response.text().as_str(), response.usage), ("Hel", None));
        assert_eq!(response.incomplete, Some(Incomplete::NoEnd));
    }
}

#[tokio::test]
async fn s11_3_a_stalled_stream_is_cut_when_it_was_idle_too_long() {
    let said = events(&[delta(json!({"content": "Hel"}))]);
    let (server, clock) = (Server::start([Act::Stall(open_stream(&said))]).await, Turned::new());
    let model = model_at(&server, &clock).retry(Policy::never()).build().unwrap();
    let mut show = |delta: Delta<'_>| {
        assert_eq!(delta, Delta::Text("Hel"));
        // From here on only the clock moves.
        let clock = clock.clone();
        tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
        ControlFlow::Continue(())
    };
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hel", Some(Incomplete::Cut)));
    assert_eq!(server.requests().len(), 1);
    server.hung_up().await;
}

#[tokio::test]
async fn an_answer_that_does_not_begin_in_time_is_a_timeout() {
    let head = open_stream("");
    for begun in [String::new(), head] {
        let (server, clock) = (Server::start([Act::Stall(begun)]).await, Turned::new());
        let model = model_at(&server, &clock).retry(Policy::never()).build().unwrap();
        let mut show = |_: Delta<'_>| ControlFlow::Continue(());
        let (result, ()) = tokio::join!(
            model.infer(question("Hi?"), Some(&mut show)),
            clock.pass(Duration::from_secs(300)),
        );
        let error = result.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (Kind::Timeout, 1));
        assert!(error.message.contains("within 300s"), "{error}");
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_is_an_error() {
    let event = |error: serde_json::Value| format!("data: {}\n\n", json!({"error": error}));
    let early = event(json!({"message": "overloaded", "type": "overloaded_error"}));
    let acts = [Act::Close(open_stream(&early) + END), Act::Close(stream("Hi."))];
    let came = asked(acts, true).await;
    assert_eq!((came.result.unwrap().text().as_str(), came.requests), ("Hi.", 2));

    let late = events(&[delta(json!({"content": "Hel"}))])
        + &event(json!({"message": "boom", "code": 502}));
    let came = once(Act::Close(open_stream(&late) + END)).await.unwrap();
    assert_eq!((came.text().as_str(), came.incomplete), ("Hel", Some(Incomplete::Cut)));
    let error = json!({"status": 502, "code": "502", "type": null, "message": "boom"});
    assert_eq!(came.raw["error"], error, "what came is kept, and why there is no more");
    let acts = [Act::Close(open_stream(&late) + END), Act::Close(stream("Hello."))];
    let response = asked(acts, true).await.result.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hello.", 1));
}

#[tokio::test]
async fn an_answer_of_another_wire_is_an_error() {
    let page = answer("200 OK", "text/html", "", "<html><title>Welcome</title></html>");
    let other = answer("200 OK", "application/json", "", r#"{"output": []}"#);
    for (answer, says) in [(page, "Welcome"), (other, "not an answer of Chat Completions")] {
        let error = asked([Act::Close(answer)], false).await.result.unwrap_err();
        assert_eq!(error.kind, Kind::Malformed);
        assert!(error.message.contains(says) && error.message.contains("base URL"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let moved = answer("302 Found", "text/html", "location: http://127.0.0.1:1/\r\n", "moved");
    let came = asked([Act::Close(moved)], false).await;
    let error = came.result.unwrap_err();
    assert_eq!((error.kind, error.status, came.requests), (Kind::BadRequest, Some(302), 1));
}

#[tokio::test]
async fn a_field_of_the_wires_own_is_refused() {
    let (server, clock) = (Server::start([]).await, Turned::new());
    let model = model_at(&server, &clock).build().unwrap();
    let mut request = question("Hi?");
    let mut settings = (*request.settings).clone();
    settings.extra.insert("stream".to_owned(), json!(true));
    request.settings = settings.into();
    let error = model.infer(request, None).await.unwrap_err();
    assert_eq!(error.kind, Kind::BadRequest);
    assert!(error.message.contains("`stream`"));
}

#[test]
fn a_wrong_setup_is_an_error_before_anything_is_sent() {
    let built = |url: &str| openai::chat(url, "m").build().map(drop);
    for url in ["", "localhost:8080", "ftp://x/v1", "/v1"] {
        assert!(matches!(built(url), Err(Setup::BaseUrl { .. })), "{url}");
    }
    let key = openai::chat("http://x/v1", "m").api_key("a\nb").build().unwrap_err();
    assert_eq!(key, Setup::Key);
    let header = openai::chat("http://x/v1", "m").header("a b", "c").build().unwrap_err();
    assert_eq!(header, Setup::Header { name: "a b".to_owned() });
    let field = openai::chat("http://x/v1", "m").field("messages", 1).build().unwrap_err();
    assert_eq!(field, Setup::OwnField { field: "messages".to_owned() });
}

#[test]
fn the_key_is_never_shown() {
    let model = openai::chat("http://x/v1", "m").api_key("sk-secret").build().unwrap();
    let shown = format!("{model:?}");
    assert!(!shown.contains("sk-secret"), "{shown}");
}

#[tokio::test]
async fn an_ended_stream_that_stays_open_is_not_waited_for() {
    let said = events(&[delta(json!({"content": "Hi."})), end("stop")]) + "data: [DONE]\n\n";
    let came = asked([Act::Stall(open_stream(&said))], true).await;
    let response = came.result.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hi.", None));
}

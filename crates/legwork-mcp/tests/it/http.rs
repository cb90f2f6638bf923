//! Servers that are reached over HTTP.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use legwork_agent::Agent;
use legwork_mcp::{Endpoint, Server};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::calls::{is_told_of_a_dropped_call, results};
use crate::fixture::Fixture;

pub(crate) type Reply = Response<BoxBody<Bytes, Infallible>>;

/// A server on a port of its own, until it is dropped.
pub(crate) struct Web {
    pub(crate) url: String,
    /// The headers of each request.
    seen: Arc<Mutex<Vec<HeaderMap>>>,
    serving: JoinHandle<()>,
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Web {
    pub(crate) async fn of<F>(
        answer: impl Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, noted) = (answer.clone(), Arc::clone(&noted));
                let service = service_fn(move |request: Request<Incoming>| {
                    noted.lock().unwrap().push(request.headers().clone());
                    let answered = answer(request);
                    async move { Ok::<_, Infallible>(answered.await) }
                });
                let server = hyper::server::conn::http1::Builder::new();
                tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { url, seen, serving }
    }

    /// The fixture over HTTP.
    async fn serving(fixture: Fixture) -> Self {
        let service = service(fixture);
        Self::of(move |request| {
            let service = service.clone();
            async move { service.handle(request).await }
        })
        .await
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url).unwrap()
    }
}

fn service(fixture: Fixture) -> StreamableHttpService<Fixture, LocalSessionManager> {
    let (sessions, config) =
        (LocalSessionManager::default(), StreamableHttpServerConfig::default());
    StreamableHttpService::new(move || Ok(fixture.clone()), Arc::new(sessions), config)
}

pub(crate) fn plain(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut reply = Response::builder().status(StatusCode::from_u16(status).unwrap());
    for (name, value) in headers {
        reply = reply.header(*name, *value);
    }
    reply.body(Full::new(Bytes::from(body.to_owned())).boxed()).unwrap()
}

/// Runs an agent that makes these calls; the results, and the warnings.
pub(crate) async fn run(endpoint: Endpoint, calls: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut turns: Vec<_> = calls.iter().map(|name| Turn::call(*name, json!({}))).collect();
    turns.push(Turn::text("Done."));
    let observer = RecordingObserver::new();
    let agent = Agent::builder(ScriptedModel::new(turns)).observer(observer.clone());
    let agent = agent.toolset(Server::new("my", endpoint)).build().unwrap();
    let run = agent.run("go").await.unwrap();
    let warnings = observer.events().into_iter().filter_map(|event| match event.kind {
        legwork_agent::EventKind::Warning { message } => Some(message),
        _ => None,
    });
    (results(&run), warnings.collect())
}

#[tokio::test]
async fn s18_11_a_server_is_reached_over_http_in_both_revisions() {
    for fixture in [Fixture::new(), Fixture::legacy(), Fixture::restricted()] {
        let web = Web::serving(fixture.clone()).await;
        let endpoint = web.endpoint().header("Authorization", "Bearer so").unwrap();
        let (results, warnings) = run(endpoint, &["my_echo", "my_steps", "my_again"]).await;
        assert_eq!(results, ["{}", "{}", "the server `my`: no such day"], "{warnings:?}");
        assert_eq!(fixture.called(), ["echo", "steps", "again"]);
        let seen = web.seen.lock().unwrap();
        assert!(seen.iter().all(|headers| headers["authorization"] == "Bearer so"));
    }
}

#[tokio::test]
async fn s18_11_changes_of_the_tools_come_over_http_too() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let web = Web::serving(fixture.clone()).await;
        // The fourth call is made when the message about the change has come.
        let turns = [
            Turn::call("my_more", json!({})),
            Turn::call("my_echo", json!({})),
            Turn::call("my_echo", json!({})),
            Turn::call("my_new", json!({})),
            Turn::text("Done."),
        ];
        let agent = Agent::builder(ScriptedModel::new(turns));
        let agent = agent.toolset(Server::new("my", web.endpoint())).build().unwrap();
        let run = agent.run("go").await.unwrap();
        assert_eq!(fixture.called(), ["more", "echo", "echo", "new"], "{:?}", results(&run));
    }
}

#[tokio::test]
async fn s18_11_a_call_over_http_that_is_dropped_is_cancelled() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let web = Web::serving(fixture.clone()).await;
        is_told_of_a_dropped_call(Server::new("my", web.endpoint()), &fixture).await;
    }
}

#[tokio::test]
async fn s18_11_what_is_no_server_is_told_with_its_reason() {
    const CHALLENGE: &[(&str, &str)] = &[("www-authenticate", "Bearer realm=\"a\"")];
    for (status, headers, body, expected) in [
        (401, CHALLENGE, "", "it asks for authorization"),
        (403, CHALLENGE, "", "do not allow that"),
        (404, &[][..], "no such page", "HTTP 404 Not Found: no such page"),
        (500, &[][..], "", "HTTP 500"),
        (503, &[("retry-after", "7")][..], "", "HTTP 503, again after 7 s"),
        (307, &[("location", "https://127.0.0.1:1/b")][..], "", "sends to another address"),
        (200, &[("content-type", "text/html")][..], "<p>Hello", "text/html"),
        (200, &[("content-type", "application/json")][..], "{", "not a message of the protocol"),
    ] {
        let web = Web::of(move |_| async move { plain(status, headers, body) }).await;
        let (_, warnings) = run(web.endpoint(), &[]).await;
        let told = warnings.iter().any(|warning| warning.contains(expected));
        assert!(told, "{status}: {warnings:?}");
    }
    let nobody = Endpoint::new("http://127.0.0.1:1/mcp").unwrap();
    let (_, warnings) = run(nobody, &[]).await;
    let told = warnings
        .iter()
        .any(|warning| warning.contains("the server cannot be reached: Connection refused"));
    assert!(told, "{warnings:?}");
}

/// What the first request is answered with: all that follow are those of a server.
async fn first_answered(answer: impl Fn(Value) -> Reply + Clone + Send + Sync + 'static) {
    let (fixture, asked) = (Fixture::restricted(), Arc::new(Mutex::new(0)));
    let service = service(fixture);
    let web = Web::of(move |request| {
        let first = {
            let mut asked = asked.lock().unwrap();
            *asked += 1;
            *asked == 1
        };
        let (service, answer) = (service.clone(), answer.clone());
        async move {
            if !first {
                return service.handle(request).await;
            }
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let question: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(question["method"], "server/discover");
            answer(question["id"].clone())
        }
    });
    let (results, warnings) = run(web.await.endpoint(), &["my_echo"]).await;
    assert_eq!(results, ["{}"], "{warnings:?}");
}

#[tokio::test]
async fn s18_11_a_server_that_does_not_know_the_question_is_initialized() {
    let json = [("content-type", "application/json")];
    let idless = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#;
    first_answered(move |_| plain(400, &json, idless)).await;
    first_answered(|_| plain(400, &[("content-type", "text/plain")], "Bad Request")).await;
    // One that answers everything, whatever it is.
    first_answered(move |id| {
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {}});
        plain(200, &json, &answer.to_string())
    })
    .await;
}

#[tokio::test]
async fn s18_3_an_entry_that_is_malformed_costs_itself_alone() {
    let web = Web::of(|request| async move {
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let tools = json!([
            {"name": "good", "inputSchema": {"type": "object"}},
            {"name": "bad", "description": "It has no schema."},
            {"name": "worse", "inputSchema": true},
        ]);
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "a", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": tools}),
            Some("server/discover") => return plain(404, &[], ""),
            _ => return plain(202, &[], ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        plain(200, &[("content-type", "application/json")], &answer.to_string())
    })
    .await;
    let seen = Server::new("my", web.endpoint()).look().await.unwrap();
    let names: Vec<_> = seen.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["my_good"]);
    let named = |name: &str| seen.problems.iter().any(|why| why.contains(&format!("`{name}` is")));
    assert!(seen.problems.len() == 2 && named("bad") && named("worse"), "{:?}", seen.problems);
}

/// The fixture over the transport of before 2025: a stream of events, and where messages go.
async fn serving_sse(fixture: Fixture, place: &'static str) -> (Web, Endpoint) {
    type ToServer = tokio::io::WriteHalf<tokio::io::DuplexStream>;
    let open: Arc<tokio::sync::Mutex<Option<ToServer>>> = Arc::default();
    let web = Web::of(move |request: Request<Incoming>| {
        let (open, fixture) = (Arc::clone(&open), fixture.clone());
        async move {
            if request.method() == "GET" {
                let (ours, theirs) = tokio::io::duplex(1 << 16);
                tokio::spawn(async move {
                    if let Ok(running) = fixture.serve(tokio::io::split(theirs)).await {
                        let _ = running.waiting().await;
                    }
                });
                let (from, to) = tokio::io::split(ours);
                *open.lock().await = Some(to);
                return events(place, from);
            }
            assert_eq!(request.uri().path(), "/messages");
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let mut to = open.lock().await;
            let to = to.as_mut().unwrap();
            to.write_all(&[&body[..], b"\n"].concat()).await.unwrap();
            plain(202, &[], "Accepted")
        }
    })
    .await;
    let endpoint = Endpoint::new(&web.url).unwrap().over_sse();
    (web, endpoint)
}

/// Lines as events, after the one that says where messages go.
fn events(
    place: &'static str,
    from: impl tokio::io::AsyncRead + Send + Sync + Unpin + 'static,
) -> Reply {
    let first = format!("event: endpoint\ndata: {place}\n\n");
    let lines = tokio::io::BufReader::new(from).lines();
    let messages = futures_util::stream::unfold(lines, |mut lines| async {
        let line = lines.next_line().await.ok()??;
        Some((format!("event: message\ndata: {line}\n\n"), lines))
    });
    let all = futures_util::stream::iter([first]).chain(messages);
    let frames = all.map(|event| Ok::<_, Infallible>(Frame::data(Bytes::from(event))));
    let body = BodyExt::boxed(StreamBody::new(frames));
    Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}

#[tokio::test]
async fn s18_11_a_server_of_before_2025_is_reached_over_sse() {
    for place in ["/messages?session=1", "messages"] {
        let fixture = Fixture::legacy();
        let (web, endpoint) = serving_sse(fixture.clone(), place).await;
        let endpoint = endpoint.header("Authorization", "Bearer so").unwrap();
        let (results, warnings) = run(endpoint, &["my_echo", "my_steps", "my_again"]).await;
        assert_eq!(results, ["{}", "{}", "the server `my`: no such day"], "{warnings:?}");
        assert_eq!(fixture.called(), ["echo", "steps", "again"]);
        let seen = web.seen.lock().unwrap();
        assert!(seen.len() > 4);
        assert!(seen.iter().all(|headers| headers["authorization"] == "Bearer so"));
    }
}

#[tokio::test]
async fn s18_11_a_call_over_sse_that_is_dropped_is_cancelled() {
    let fixture = Fixture::legacy();
    let (_web, endpoint) = serving_sse(fixture.clone(), "/messages").await;
    is_told_of_a_dropped_call(Server::new("my", endpoint), &fixture).await;
}

#[tokio::test]
async fn s18_11_a_stream_that_sends_messages_elsewhere_is_not_used() {
    let (web, endpoint) = serving_sse(Fixture::legacy(), "https://evil.example/messages").await;
    let (_, warnings) = run(endpoint, &[]).await;
    let told = |words: &str| warnings.iter().any(|warning| warning.contains(words));
    assert!(told("it sends messages to another server"), "{warnings:?}");
    assert_eq!(web.seen.lock().unwrap().len(), 1);

    let web = Web::of(|_| async { plain(404, &[], "no such page") }).await;
    let (_, warnings) = run(Endpoint::new(&web.url).unwrap().over_sse(), &[]).await;
    assert!(warnings.iter().any(|warning| warning.contains("HTTP 404")), "{warnings:?}");
    let web = Web::of(|_| async { events("", tokio::io::empty()) }).await;
    let ended = Endpoint::new(&web.url).unwrap().over_sse();
    let (_, warnings) = run(ended, &[]).await;
    assert!(!warnings.is_empty(), "a server that says nothing is told of");
}

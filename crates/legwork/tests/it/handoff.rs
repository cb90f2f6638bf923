//! A session that goes from provider to provider, killed and resumed at each handoff.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

use legwork::model;
use legwork::prelude::*;
use serde_json::Value;

mod answers;

use answers::{Asked, Sent, answer};

/// The path and the body of each request that came, and a signal for each.
type Received = (Mutex<Vec<(String, Value)>>, Condvar);

/// A server that speaks each API by its path. It answers a request that holds no more tool
/// results than the turn of its provider with a call, and leaves the next one unanswered.
struct Server {
    base_url: String,
    requests: Arc<Received>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests: Arc<Received> = Arc::default();
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(stream.unwrap(), &seen));
            }
        });
        Self { base_url, requests }
    }

    /// Waits until so many requests have come, and returns them.
    fn received(&self, count: usize) -> Vec<(String, Value)> {
        let (requests, came) = &*self.requests;
        let requests = requests.lock().unwrap();
        came.wait_while(requests, |requests| requests.len() < count).unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, seen: &Received) {
    let Some((path, body)) = read(&mut stream) else { return };
    let asked = Asked::of(&path, &body);
    let (number, last) = {
        let mut requests = seen.0.lock().unwrap();
        requests.push((path, body));
        seen.1.notify_all();
        (requests.len(), requests.len() == 2 * PROVIDERS.len())
    };
    // Each provider is asked twice: for a call, and for what it says to the result.
    let Sent { content_type, body } = match (number % 2, last) {
        (1, _) => answer(&asked, number, false),
        (_, true) => answer(&asked, number, true),
        // Left open: the client is killed here.
        _ => return drop(stream.read(&mut [0])),
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).unwrap();
}

/// The path and the body of a request.
fn read(stream: &mut TcpStream) -> Option<(String, Value)> {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        all.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&all);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
        });
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            return Some((path, serde_json::from_str(body).unwrap()));
        }
    }
}

const PROVIDERS: [&str; 8] = [
    "openai:gpt-5-mini",
    "mistral:mistral-large-latest",
    "moonshot:kimi-k2.5",
    "anthropic:claude-sonnet-4-6",
    "google:gemini-3-pro-preview",
    "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "openai-responses:gpt-5-mini",
    "openai:gpt-5-mini",
];

/// What only the API that made it may read, and the name of that.
const SEALS: [(&str, &str); 4] = [
    ("of-anthropic", "messages"),
    ("of-google", "gemini"),
    ("of-bedrock", "bedrock"),
    ("of-openai", "responses"),
];

#[tool(name = "add")]
/// Adds two whole numbers.
async fn add(a: i64, b: i64) -> String {
    format!("It is {}.", a + b)
}

/// Checks a request against the schema of its API; true where there is none.
fn is_valid(api: &str, body: &Value) -> bool {
    type Schemas = Vec<(&'static str, jsonschema::Validator)>;
    static SCHEMAS: OnceLock<Schemas> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let files = [
            ("chat", "../shared/data/specs/openai-chat-request.schema.json", ""),
            ("responses", "../shared/data/specs/openai-responses-request.schema.json", ""),
            ("messages", "../shared/data/specs/anthropic-messages.schema.json", "/non_streaming"),
            (
                "streamed messages",
                "../shared/data/specs/anthropic-messages.schema.json",
                "/streaming",
            ),
            ("gemini", "crates/legwork-models/tests/data/gemini-request.schema.json", ""),
            ("bedrock", "crates/legwork-models/tests/data/bedrock-request.schema.json", ""),
        ];
        let load = |(api, file, part): (&'static str, &str, &str)| {
            let Ok(text) = std::fs::read(format!("{root}{file}")) else {
                println!("skipped: {file} is not there");
                return None;
            };
            let schema: Value = serde_json::from_slice(&text).unwrap();
            let schema = schema.pointer(part).unwrap();
            Some((api, jsonschema::validator_for(schema).unwrap()))
        };
        files.into_iter().filter_map(load).collect()
    });
    let streamed = api == "messages" && body["stream"] == true;
    let name = if streamed { "streamed messages" } else { api };
    let Some((_, schema)) = schemas.iter().find(|(of, _)| *of == name) else { return true };
    for error in schema.iter_errors(body) {
        println!("{api}: {error} at {} in {body}", error.instance_path());
    }
    schema.is_valid(body) && (api != "bedrock" || alternates(body))
}

/// Bedrock refuses two messages of one side in a row, which no schema says.
fn alternates(body: &Value) -> bool {
    let messages = body["messages"].as_array().unwrap();
    messages.windows(2).all(|two| two[0]["role"] != two[1]["role"])
}

/// The ids of the calls of a request over Chat Completions, and those of its results.
fn ids(body: &Value) -> (Vec<&str>, Vec<&str>) {
    let messages = body["messages"].as_array().unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let results = messages.iter().filter_map(|message| message["tool_call_id"].as_str());
    (calls.map(|call| call["id"].as_str().unwrap()).collect(), results.collect())
}

/// Whether a provider of Chat Completions takes an id of a call.
fn is_id(provider: &str, id: &str) -> bool {
    match provider {
        "openai" => id.len() <= 40,
        "mistral" => id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()),
        _ => !id.is_empty(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_2_a_session_is_handed_from_provider_to_provider_and_killed_at_each_handoff() {
    handed_on(Way::Whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_2_a_session_whose_answers_are_streamed_is_handed_on_as_well() {
    handed_on(Way::Streamed).await;
}

/// How answers are asked for.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Whole,
    Streamed,
}

async fn handed_on(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let server = Arc::new(Server::start());
    for (turn, name) in PROVIDERS.iter().enumerate() {
        // Everything anew, as in another process: the journal is all that is left.
        let model = model::at(name, Some(&server.base_url), Some("key-of-the-test")).unwrap();
        let agent = Agent::builder(model)
            .tools([add])
            .store(store.as_str())
            .budget(Budget::unlimited().steps(20))
            .build();
        let agent = agent.unwrap();
        let killed = {
            let server = Arc::clone(&server);
            tokio::task::spawn_blocking(move || server.received(2 * turn + 2))
        };
        let run = async {
            let run = match turn {
                0 => agent.run("What is 17 + 25?").in_session("s"),
                _ => agent.resume("s"),
            };
            match way {
                Way::Whole => run.await,
                Way::Streamed => run.stream().finish().await,
            }
        };
        if turn + 1 == PROVIDERS.len() {
            assert_eq!(run.await.unwrap().text(), "42");
            killed.await.unwrap();
            break;
        }
        tokio::select! {
            run = run => panic!("{name} came to an end: {:?}", run.map(|run| run.text())),
            _ = killed => {}
        }
    }
    let requests = server.received(2 * PROVIDERS.len());
    for (number, (path, body)) in requests.iter().enumerate() {
        let api = model::Api::of_path(path).unwrap().name();
        let expected = model::provider(PROVIDERS[number / 2].split(':').next().unwrap()).unwrap();
        assert_eq!(api, expected.api.name(), "request {number}");
        assert!(is_valid(api, body), "request {number} to {api}");
        assert_eq!(Asked::of(path, body).streamed, way == Way::Streamed, "request {number}");
        if api == "chat" {
            let (calls, results) = ids(body);
            assert_eq!(calls, results, "request {number}");
            let fit = calls.iter().all(|id| is_id(expected.name, id));
            assert!(fit, "request {number} to {}: {calls:?}", expected.name);
        }
        let text = body.to_string();
        // Each result is there from then on, and no provider reads the seals of another.
        let results = (number / 2 + number % 2).min(number);
        assert_eq!(text.matches("It is 42.").count(), results, "request {number}: {text}");
        for (seal, of) in SEALS {
            assert!(!text.contains(seal) || api == of, "request {number} to {api} has {seal}");
        }
    }
    let sent_back = |api: &str, seal: &str| {
        requests.iter().any(|(path, body)| {
            model::Api::of_path(path).unwrap().name() == api && body.to_string().contains(seal)
        })
    };
    for (seal, of) in SEALS {
        assert!(sent_back(of, seal), "{of} did not get {seal} back");
    }
}

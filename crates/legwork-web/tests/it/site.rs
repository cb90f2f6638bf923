//! A server on loopback whose answers are bytes, and what was asked of it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use legwork_port::core::{AgentState, EffectKey, Seq, SessionId, ToolCall, ToolOutcome};
use legwork_port::network::{Host, Network};
use legwork_port::{Cancellation, Tool, ToolContext};
use legwork_web::{Client, Fetch, Policy};
use serde_json::Value;

/// A server on loopback; it ends with the process.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// One that answers each request by its path.
    pub(crate) fn start(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { address, asked }
    }

    /// One that answers everything so.
    pub(crate) fn always(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let answer = ok(content_type, &body.into());
        Self::start(move |_, stream| stream.write_all(&answer))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests that came so far, each with its head and body.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn host(&self) -> Host {
        self.address.to_string().parse().unwrap()
    }

    /// A tool that may reach the public Internet and this server.
    pub(crate) fn fetch(&self) -> Fetch {
        Fetch::new(self.client())
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(Policy::new(Network::All).allowing([self.host()])).unwrap()
    }
}

fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync),
) {
    let (mut all, mut piece) = (Vec::new(), [0; 4_096]);
    let request = loop {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(count) => all.extend_from_slice(&piece[..count]),
        }
        let text = String::from_utf8_lossy(&all).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            break text;
        }
    };
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    kept.lock().unwrap().push(request);
    // Whoever asked may be gone.
    let _ = answer(&path, &mut stream);
}

pub(crate) fn ok(content_type: &str, body: &[u8]) -> Vec<u8> {
    answer("200 OK", &[("content-type", content_type)], body)
}

pub(crate) fn answer(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    [format!("{head}\r\n").as_bytes(), body].concat()
}

pub(crate) fn redirect(to: &str) -> Vec<u8> {
    answer("302 Found", &[("location", to)], b"")
}

/// Calls a tool.
pub(crate) async fn call(tool: &impl Tool, arguments: &Value) -> ToolOutcome {
    let session = SessionId::new("web");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    let cx = ToolContext::new(AgentState::new(session), key, Cancellation::new());
    let call = ToolCall::new("call-1", Arc::clone(&tool.spec().name), arguments.to_string());
    tool.call(&call, &cx).await
}

/// The text of a call that succeeds.
#[track_caller]
pub(crate) fn read(outcome: ToolOutcome) -> String {
    assert!(outcome.is_ok(), "{outcome:?}");
    outcome.to_text()
}

/// The text of a call that fails.
#[track_caller]
pub(crate) fn failed(outcome: ToolOutcome) -> String {
    assert!(matches!(outcome, ToolOutcome::Failed(..)), "{outcome:?}");
    outcome.to_text()
}

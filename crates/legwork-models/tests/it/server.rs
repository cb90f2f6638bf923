//! A small HTTP server that follows a script.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long a test waits for requests.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Sends these bytes and closes.
    Close(String),
    /// Sends these bytes and goes on with the next request of the connection.
    Keep(String),
    /// Sends these bytes and then nothing more, the connection open.
    Stall(String),
    /// Sends the first bytes, and then the others again and again until the client is gone.
    Flood(Vec<u8>, Vec<u8>),
    /// The same, with the others one at a time, each when the test says so.
    Drip(String, String, Arc<tokio::sync::Semaphore>),
    /// Sends these pieces, each when the test says so, and closes.
    Pieces(Vec<Vec<u8>>, Arc<tokio::sync::Semaphore>),
}

impl Act {
    /// Sends the first bytes, and then the others again and again.
    pub(crate) fn flood(head: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>) -> Self {
        Self::Flood(head.into(), again.into())
    }
}

/// The server; it ends with the test.
pub(crate) struct Server {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
    hung_up: watch::Sender<usize>,
}

impl Server {
    /// Answers the requests one after the other by the script.
    pub(crate) async fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            base_url: format!("http://{}/v1", listener.local_addr().unwrap()),
            requests: Arc::default(),
            connections: Arc::default(),
            hung_up: watch::Sender::new(0),
        };
        let acts: Vec<Act> = acts.into_iter().collect();
        let (requests, connections) = (server.requests.clone(), server.connections.clone());
        let (acts, hung_up) = (Arc::new(Mutex::new(acts.into_iter())), server.hung_up.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                *connections.lock().unwrap() += 1;
                let (acts, requests, hung_up) = (acts.clone(), requests.clone(), hung_up.clone());
                tokio::spawn(async move {
                    serve(stream, &acts, &requests).await;
                    hung_up.send_modify(|count| *count += 1);
                });
            }
        });
        server
    }

    /// The requests so far: head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until so many requests came.
    pub(crate) async fn requested(&self, count: usize) {
        let began = Instant::now();
        while self.requests.lock().unwrap().len() < count {
            if began.elapsed() > PATIENCE {
                let requests = self.requests();
                let lines: Vec<_> = requests.iter().map(|request| request.lines().next()).collect();
                panic!("{count} requests did not come within {PATIENCE:?}, only {lines:#?}");
            }
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// Waits until the client has closed a connection.
    pub(crate) async fn hung_up(&self) {
        self.hung_up.subscribe().wait_for(|count| *count > 0).await.unwrap();
    }
}

async fn serve(
    mut stream: TcpStream,
    acts: &Mutex<std::vec::IntoIter<Act>>,
    requests: &Mutex<Vec<String>>,
) {
    while let Some(request) = read(&mut stream).await {
        requests.lock().unwrap().push(request);
        let act = acts.lock().unwrap().next().expect("an unplanned request");
        match act {
            Act::Close(answer) => {
                stream.write_all(answer.as_bytes()).await.unwrap();
                return;
            }
            Act::Keep(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
            Act::Stall(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
            Act::Flood(head, again) => {
                let mut sent = stream.write_all(&head).await;
                let again = again.repeat((1 << 16) / again.len().min(1 << 16));
                while sent.is_ok() {
                    sent = stream.write_all(&again).await;
                }
                return;
            }
            Act::Pieces(pieces, drops) => {
                for piece in pieces {
                    drops.acquire().await.unwrap().forget();
                    // The client may have hung up.
                    let _ = stream.write_all(&piece).await;
                }
                return;
            }
            Act::Drip(head, again, drops) => {
                let mut sent = stream.write_all(head.as_bytes()).await;
                while sent.is_ok() {
                    drops.acquire().await.unwrap().forget();
                    sent = stream.write_all(again.as_bytes()).await;
                }
                return;
            }
        }
    }
}

/// One request; none when the client is gone.
pub(crate) async fn read(stream: &mut TcpStream) -> Option<String> {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        all.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&all);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Some(text.into_owned());
        }
    }
}

/// A whole answer with a body.
pub(crate) fn answer(status: &str, content_type: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

/// The beginning of a stream; without [`END`] it is cut.
pub(crate) fn open_stream(events: &str) -> String {
    format!("{}{}", stream_head("text/event-stream"), chunk(events))
}

/// The head of a stream that comes in chunks.
pub(crate) fn stream_head(content_type: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n")
}

/// More of a stream.
pub(crate) fn chunk(events: &str) -> String {
    if events.is_empty() { String::new() } else { format!("{:x}\r\n{events}\r\n", events.len()) }
}

/// More of a stream, of any bytes.
pub(crate) fn chunk_of(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [] => Vec::new(),
        _ => [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat(),
    }
}

/// The end of a stream.
pub(crate) const END: &str = "0\r\n\r\n";

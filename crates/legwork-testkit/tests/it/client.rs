//! A plain HTTP client over a TCP stream: nothing between a test and the bytes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use legwork_testkit::Server;
use serde_json::{Value, json};

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    /// Whether the body came to its end, rather than broke off.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The JSON events of a stream, without `[DONE]`.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }
}

/// A request for completions over these messages.
pub(crate) fn ask(messages: Value) -> Value {
    json!({"model": "scripted", "messages": messages})
}

/// A streamed one of the first turn.
pub(crate) fn ask_streamed() -> Value {
    json!({"model": "scripted", "messages": [{"role": "user", "content": "hi"}], "stream": true})
}

/// Sends a request and leaves its answer unread.
pub(crate) fn send(server: &Server, head: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

pub(crate) fn post(server: &Server, body: &Value) -> Answer {
    read(send(server, "POST /v1/chat/completions", &body.to_string()))
}

pub(crate) fn get(server: &Server, path: &str) -> Answer {
    read(send(server, &format!("GET {path}"), ""))
}

/// Reads an answer to its end, or to where it broke off.
pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A reset is one way for a connection to break off.
    let _ = stream.read_to_end(&mut bytes);
    parse(&bytes).expect("an answer")
}

/// The answer in what came, if its head did.
pub(crate) fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let headers = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
    let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &bytes[end + 4..];
    let is_chunked = headers.contains("transfer-encoding: chunked");
    let (body, whole) = if is_chunked { unchunk(rest) } else { (rest.to_vec(), true) };
    Some(Answer { status, headers, body, whole })
}

fn unchunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let chunk = &rest[end + 2..];
        if chunk.len() < size + 2 {
            body.extend_from_slice(&chunk[..size.min(chunk.len())]);
            return (body, false);
        }
        body.extend_from_slice(&chunk[..size]);
        rest = &chunk[size + 2..];
    }
}

//! One GET on loopback, with the standard library alone.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// A server on loopback answers at once or is not one that we look for.
const CONNECT: Duration = Duration::from_millis(200);
const ANSWER: Duration = Duration::from_secs(2);

/// The body of a 200 answer of the server on this loopback port, else nothing.
pub(crate) fn get(port: u16, path: &str) -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, CONNECT).ok()?;
    stream.set_read_timeout(Some(ANSWER)).ok()?;
    stream.set_write_timeout(Some(ANSWER)).ok()?;
    // HTTP/1.0, so that the body ends where the connection does.
    let request = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?;
    (status == "200").then(|| body.to_owned())
}

/// The first model that an OpenAI-compatible server on this port offers.
pub(crate) fn first_model(port: u16) -> Option<String> {
    let list: serde_json::Value = serde_json::from_str(&get(port, "/v1/models")?).ok()?;
    let name = list.pointer("/data/0/id")?.as_str()?;
    Some(name.to_owned())
}

//! The server over HTTP, asked by hand.

use legwork_agent::memory::MemoryStore;
use legwork_mcp_server::{Access, Agents, Server};
use legwork_port::Cancellation;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::{World, agent};

/// A server at a free port, until the test ends.
async fn served(access: Access) -> (u16, Cancellation) {
    let agent =
        agent(&ScriptedModel::new([Turn::text("done")]), &World::default(), &MemoryStore::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = Cancellation::new();
    let until = stop.clone();
    let server = Server::new(Agents::new(agent));
    tokio::spawn(async move { server.serve_http(listener, access, &until).await.unwrap() });
    (port, stop)
}

/// The status of a request that lists the tools, with these headers, and its body.
async fn lists(port: u16, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let body = body.to_string();
    let mut head = format!("POST {path} HTTP/1.1\r\nConnection: close\r\n");
    let given = |name: &str| headers.iter().any(|(given, _)| *given == name);
    if !given("Host") {
        head += &format!("Host: 127.0.0.1:{port}\r\n");
    }
    for (name, value) in headers.iter().copied().chain([
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
        ("Content-Length", &*body.len().to_string()),
    ]) {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

#[tokio::test]
async fn s19_7_without_a_token_only_local_names_are_answered() {
    let (port, _stop) = served(Access::Local).await;
    let (status, answer) = lists(port, "/mcp", &[]).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("run_agent"), "{answer}");
    let own = format!("http://127.0.0.1:{port}");
    for (headers, status) in [
        (vec![("Host", "evil.example:80")], 403),
        (vec![("Origin", "http://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        (vec![("Origin", &*own)], 200),
        (vec![("Authorization", "Bearer anything")], 200),
    ] {
        let (given, answer) = lists(port, "/mcp", &headers).await;
        assert_eq!(given, status, "{headers:?}: {answer}");
    }
    assert_eq!(lists(port, "/elsewhere", &[]).await.0, 404);
}

#[tokio::test]
async fn s19_7_with_a_token_only_who_sends_it_is_answered() {
    let (port, _stop) = served(Access::Token("a-long-token-of-ours".to_owned())).await;
    for (headers, status) in [
        (vec![], 401),
        (vec![("Authorization", "Bearer a-long-token-of-theirs")], 401),
        (vec![("Authorization", "Bearer a-long-token-of-our")], 401),
        (vec![("Authorization", "a-long-token-of-ours")], 401),
        (vec![("Authorization", "Bearer a-long-token-of-ours")], 200),
        (vec![("Authorization", "bearer a-long-token-of-ours")], 200),
        (vec![("Authorization", "Bearer a-long-token-of-ours"), ("Host", "my.host")], 200),
    ] {
        let (given, answer) = lists(port, "/mcp", &headers).await;
        assert_eq!(given, status, "{headers:?}: {answer}");
    }
}

#[tokio::test]
async fn s19_7_a_raised_stop_ends_the_server() {
    let (port, stop) = served(Access::Local).await;
    assert_eq!(lists(port, "/mcp", &[]).await.0, 200);
    stop.cancel();
    // The port is free once it has ended.
    while TcpListener::bind(("127.0.0.1", port)).await.is_err() {
        tokio::task::yield_now().await;
    }
}

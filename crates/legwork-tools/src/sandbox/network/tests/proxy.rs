//! Requests to the proxy as a command makes them, with a fake upstream.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use legwork_port::network::Host;
use legwork_port::sandbox::Note;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::sandbox::network::egress::Egress;
use crate::sandbox::network::proxy;
use crate::sandbox::network::upstream::{HostNetwork, IoFuture, Upstream};

/// Names with their addresses, and the server that every connection reaches.
struct FakeUpstream {
    names: BTreeMap<&'static str, Vec<IpAddr>>,
    server: SocketAddr,
    /// The names resolved and the addresses connected to.
    log: Arc<Mutex<Vec<String>>>,
}

impl Upstream for FakeUpstream {
    fn resolve<'a>(&'a self, name: &'a str) -> IoFuture<'a, Vec<IpAddr>> {
        self.log.lock().expect("not poisoned").push(format!("resolve {name}"));
        let found = self.names.get(name).cloned();
        Box::pin(async move { found.ok_or(io::ErrorKind::NotFound.into()) })
    }

    fn connect(&self, address: SocketAddr) -> IoFuture<'_, TcpStream> {
        self.log.lock().expect("not poisoned").push(format!("connect {address}"));
        Box::pin(TcpStream::connect(self.server))
    }

    fn is_own(&self, stream: &TcpStream) -> bool {
        // All connections reach one server; one address counts as this machine.
        let last = self.log.lock().expect("not poisoned").last().cloned();
        stream.peer_addr().is_ok() && last.is_some_and(|last| last.contains("93.184.215.99"))
    }
}

struct Tried {
    /// All responses.
    answer: String,
    /// The request that the server received.
    sent: String,
    log: Vec<String>,
    notes: Vec<String>,
}

/// Sends bytes to the proxy; the server behind it responds with a greeting.
async fn ask(request: &str) -> Tried {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let log = Arc::new(Mutex::new(Vec::new()));
    let address = |text: &str| text.parse::<IpAddr>().expect("an address");
    let names = BTreeMap::from([
        ("api.example.com", vec![address("10.0.0.7"), address("93.184.215.14")]),
        ("inner.example.com", vec![address("10.0.0.7"), address("::1")]),
        ("nowhere.example.com", vec![]),
        ("self.example.com", vec![address("93.184.215.99")]),
        ("pinned.example.com", vec![address("10.0.0.7"), address("10.1.1.1")]),
    ]);
    let outside =
        FakeUpstream { names, server: server.local_addr().expect("bound"), log: Arc::clone(&log) };
    let hosts = ["*.example.com", "pinned.example.com:8080", "10.1.1.1:8080"]
        .map(|host| host.parse::<Host>().expect("a host"));
    let egress = Arc::new(Egress::new(hosts.into(), outside));
    let sent = tokio::spawn(async move {
        let (mut stream, _) = server.accept().await?;
        let mut buffer = vec![0; 4096];
        let read = stream.read(&mut buffer).await?;
        let greeting = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
        stream.write_all(greeting).await?;
        io::Result::Ok(String::from_utf8_lossy(buffer.get(..read).unwrap_or_default()).into_owned())
    });
    let front = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let mut client =
        TcpStream::connect(front.local_addr().expect("bound")).await.expect("connected");
    let (inside, _) = front.accept().await.expect("accepted");
    let served = tokio::spawn(proxy::serve(Arc::clone(&egress), inside));
    client.write_all(request.as_bytes()).await.expect("written");
    // The proxy closes a kept-alive connection after the end of the requests.
    let is_tunnel = request.starts_with("CONNECT");
    let mut answer = String::new();
    if is_tunnel {
        let mut head = vec![0; 4096];
        let read = client.read(&mut head).await.expect("read");
        answer.push_str(&String::from_utf8_lossy(head.get(..read).unwrap_or_default()));
        if answer.contains("200 OK") {
            client.write_all(b"through").await.expect("written");
        }
    }
    client.shutdown().await.expect("shut");
    client.read_to_string(&mut answer).await.expect("text");
    served.await.expect("served");
    sent.abort();
    let sent = sent.await.ok().and_then(Result::ok).unwrap_or_default();
    let log = log.lock().expect("not poisoned").clone();
    Tried { answer, sent, log, notes: egress.log.notes().iter().map(Note::to_string).collect() }
}

#[tokio::test]
async fn s13_7_a_tunnel_leads_to_a_public_address_of_the_name() {
    let tried =
        ask("CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 200"), "{}", tried.answer);
    assert!(tried.answer.ends_with("hello"), "{}", tried.answer);
    assert_eq!(tried.sent, "through");
    assert_eq!(tried.log, ["resolve api.example.com", "connect 93.184.215.14:443"]);
    assert_eq!(tried.notes, ["network: connected to api.example.com:443"]);
}

#[tokio::test]
async fn s13_7_plain_http_is_sent_on_with_the_name_that_was_checked() {
    let request = "GET http://api.example.com/a?b HTTP/1.1\r\nHost: evil.net\r\n\
                   Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nX-Mine: 1\r\n\r\n";
    let tried = ask(request).await;
    assert!(tried.answer.contains("200 OK") && tried.answer.ends_with("hello"), "{}", tried.answer);
    assert!(tried.sent.starts_with("GET /a?b HTTP/1.1\r\n"), "{}", tried.sent);
    let sent = tried.sent.to_ascii_lowercase();
    assert!(sent.contains("host: api.example.com\r\n") && sent.contains("x-mine: 1"), "{sent}");
    assert!(!sent.contains("proxy-") && !sent.contains("evil"), "{sent}");
    assert_eq!(tried.log, ["resolve api.example.com", "connect 93.184.215.14:80"]);
}

#[tokio::test]
async fn s13_7_an_address_that_is_named_is_reached_in_a_private_network_too() {
    let tried = ask("CONNECT 10.1.1.1:8080 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 200"), "{}", tried.answer);
    assert_eq!(tried.log, ["connect 10.1.1.1:8080"]);
}

#[tokio::test]
async fn s13_7_what_is_not_on_the_list_is_neither_resolved_nor_reached() {
    for (asked, said) in [
        ("evil.net:443", "evil.net:443"),
        ("EVIL.net.:443", "evil.net:443"),
        ("example.com:443", "example.com:443"),
        ("api.example.com:22", "api.example.com:22"),
        ("api.example.com.evil.net:443", "api.example.com.evil.net:443"),
        ("10.1.1.1:443", "10.1.1.1:443"),
        ("10.1.1.1.example.net:8080", "10.1.1.1.example.net:8080"),
        ("[::ffff:10.1.1.2]:8080", "10.1.1.2:8080"),
        ("[::1]:8080", "[::1]:8080"),
    ] {
        let tried =
            ask(&format!("CONNECT {asked} HTTP/1.1\r\nHost: api.example.com\r\n\r\n")).await;
        assert!(tried.answer.starts_with("HTTP/1.1 403"), "{asked}: {}", tried.answer);
        assert!(tried.log.is_empty() && tried.sent.is_empty(), "{asked}: {:?}", tried.log);
        let note = format!("network: not connected to {said}: it is not on the list of hosts");
        assert_eq!(tried.notes, [note]);
    }
}

#[tokio::test]
async fn s13_7_a_name_that_leads_to_a_private_network_is_refused() {
    let tried = ask("CONNECT inner.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 403"), "{}", tried.answer);
    assert_eq!(tried.log, ["resolve inner.example.com"]);
    let said = "network: not connected to inner.example.com:443: it resolves to a private address that is not on the list of hosts";
    assert_eq!(tried.notes, [said]);
    // A public address of this machine is refused as well.
    let tried = ask("CONNECT self.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 403"), "{}", tried.answer);
    for name in ["nowhere", "unknown"] {
        let tried =
            ask(&format!("GET http://{name}.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(tried.answer.starts_with("HTTP/1.1 502"), "{}", tried.answer);
        assert!(tried.notes.iter().any(|note| note.contains("cannot be reached")));
    }
}

#[tokio::test]
async fn s13_7_a_private_address_of_a_name_is_reached_if_it_is_on_the_list_itself() {
    let tried = ask("CONNECT pinned.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 403"), "{}", tried.answer);
    let tried = ask("CONNECT pinned.example.com:8080 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(tried.answer.starts_with("HTTP/1.1 200"), "{}", tried.answer);
    assert_eq!(tried.log, ["resolve pinned.example.com", "connect 10.1.1.1:8080"]);
}

#[tokio::test]
async fn s13_7_a_request_that_is_not_for_a_proxy_is_refused() {
    let get = |url: &str| format!("GET {url} HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    let connect = |host: &str| format!("CONNECT {host} HTTP/1.1\r\nHost: x\r\n\r\n");
    for request in [
        get("/"),
        get("https://api.example.com/"),
        get("http://api.example.com@evil.net/"),
        get("http://me@api.example.com/"),
        get("http://api.example.com:99999/"),
        get("http://api.example.com:65536/"),
        get("http://api.example.com:0/"),
        get("http://api.example.com:+80/"),
        get("http://api.example.com:-80/"),
        get("http://api.example.com:x/"),
        get("http://api.example.com:80:80/"),
        get("http://[::1]80/"),
        connect("api.example.com"),
        connect("api.example.com:"),
        connect("api.example.com:0"),
        connect("api.example.com:+443"),
        connect("api.example.com:65979"),
        "\u{5}\u{1}\0".to_owned(),
    ] {
        let tried = ask(&request).await;
        assert!(tried.answer.starts_with("HTTP/1.1 400 "), "{request}: {}", tried.answer);
        assert!(tried.log.is_empty() && tried.notes.is_empty(), "{request}: {:?}", tried.log);
    }
    let tried = ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!tried.answer.contains("200 OK") && tried.log.is_empty(), "{}", tried.answer);
}

#[tokio::test]
async fn s13_7_a_port_that_is_missing_or_empty_is_the_default_of_plain_http() {
    for authority in ["api.example.com", "api.example.com:", "api.example.com:80"] {
        let tried = ask(&format!("GET http://{authority}/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(tried.answer.contains("200 OK"), "{authority}: {}", tried.answer);
        assert_eq!(tried.log, ["resolve api.example.com", "connect 93.184.215.14:80"]);
    }
    let tried = ask("GET http://[::ffff:10.1.1.1]:8080/ HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(tried.log, ["connect 10.1.1.1:8080"]);
    assert!(tried.sent.to_ascii_lowercase().contains("host: 10.1.1.1:8080\r\n"), "{}", tried.sent);
}

#[tokio::test]
async fn s13_7_each_request_of_a_connection_is_checked() {
    let one = |host: &str| format!("GET http://{host}/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    let tried = ask(&(one("api.example.com") + &one("evil.net"))).await;
    assert!(tried.answer.contains("200 OK") && tried.answer.contains("403"), "{}", tried.answer);
    assert_eq!(tried.log, ["resolve api.example.com", "connect 93.184.215.14:80"]);
    assert_eq!(tried.notes.len(), 2, "{:?}", tried.notes);
}

#[tokio::test]
async fn s13_7_this_machine_is_known_by_both_ends_of_a_connection() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = server.local_addr().expect("bound");
    let stream = HostNetwork.connect(address).await.expect("connected");
    assert!(HostNetwork.is_own(&stream));
}

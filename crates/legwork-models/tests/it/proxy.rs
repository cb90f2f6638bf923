//! A small proxy: tunnels, requests that it passes on, and SOCKS5.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// What the proxy does.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// Lets all through.
    Open,
    /// Answers this, and closes.
    Says(&'static str),
    /// Answers this whatever it receives, and closes.
    Greets(&'static str),
    /// Speaks SOCKS5, and wants this name and password, if any.
    Socks(Option<(&'static str, &'static str)>),
}

/// The proxy; it ends with the test.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heads) = (listener.local_addr().unwrap(), Arc::<Mutex<_>>::default());
        let all = Arc::clone(&heads);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let heads = Arc::clone(&all);
                tokio::spawn(async move {
                    match manner {
                        Manner::Socks(wanted) => socks(stream, wanted, &heads).await,
                        Manner::Greets(greeting) => greet(stream, greeting).await,
                        _ => http(stream, manner, &heads).await,
                    }
                });
            }
        });
        Self { address, heads }
    }

    /// What was said to it, a head of a request or the target of SOCKS each.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn greet(mut client: TcpStream, greeting: &str) {
    let _ = client.read(&mut [0; 4096]).await;
    let _ = client.write_all(greeting.as_bytes()).await;
}

async fn http(mut client: TcpStream, manner: Manner, heads: &Mutex<Vec<String>>) {
    let mut all = Vec::new();
    let end = loop {
        let mut piece = [0; 4096];
        let count = client.read(&mut piece).await.unwrap_or(0);
        if count == 0 {
            return;
        }
        all.extend_from_slice(&piece[..count]);
        if let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    heads.lock().unwrap().push(head.clone());
    if let Manner::Says(answer) = manner {
        let _ = client.write_all(answer.as_bytes()).await;
        return;
    }
    let (line, rest) = head.split_once("\r\n").unwrap();
    let [method, target, version] = line.split(' ').collect::<Vec<_>>()[..] else { panic!() };
    let mut server = if method == "CONNECT" {
        let server = TcpStream::connect(target).await.unwrap();
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        server
    } else {
        let (place, path) = target.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut server = TcpStream::connect(place).await.unwrap();
        let head = format!("{method} /{path} {version}\r\n{rest}");
        server.write_all(head.as_bytes()).await.unwrap();
        server
    };
    server.write_all(&all[end..]).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

async fn socks(mut client: TcpStream, wanted: Option<(&str, &str)>, heads: &Mutex<Vec<String>>) {
    let [_, count] = bytes(&mut client).await;
    let mut methods = vec![0; count.into()];
    client.read_exact(&mut methods).await.unwrap();
    let method = if wanted.is_some() { 2 } else { 0 };
    client.write_all(&[5, method]).await.unwrap();
    if let Some((name, password)) = wanted {
        let [_] = bytes(&mut client).await;
        let given = (text(&mut client).await, text(&mut client).await);
        let fits = given == (name.to_owned(), password.to_owned());
        client.write_all(&[1, u8::from(!fits)]).await.unwrap();
        if !fits {
            return;
        }
    }
    let [_, _, _, kind] = bytes(&mut client).await;
    let host = match kind {
        1 => std::net::Ipv4Addr::from(bytes(&mut client).await).to_string(),
        3 => text(&mut client).await,
        _ => panic!("an address of the kind {kind}"),
    };
    let port = u16::from_be_bytes(bytes(&mut client).await);
    heads.lock().unwrap().push(format!("{host}:{port}"));
    let Ok(mut server) = TcpStream::connect((host, port)).await else {
        return client.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    };
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

async fn bytes<const N: usize>(client: &mut TcpStream) -> [u8; N] {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes).await.unwrap();
    bytes
}

async fn text(client: &mut TcpStream) -> String {
    let [length] = bytes(client).await;
    let mut text = vec![0; length.into()];
    client.read_exact(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

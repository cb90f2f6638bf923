//! A server with TLS that follows a script, and chooses HTTP/2 if it offers that.

pub(super) mod sent;

use std::future::poll_fn;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use sent::{Link, Sent};

/// Events of a stream.
#[derive(Clone)]
pub(super) struct Events {
    pub(super) content_type: &'static str,
    pub(super) bytes: Bytes,
}

/// What the server does with one request.
#[derive(Clone)]
pub(super) enum Act {
    /// Answers with a whole body.
    Answer(String),
    /// The same once others have come to the barrier.
    Together(Arc<Barrier>, String),
    /// The same, and takes no further requests over the connection.
    Last(String),
    /// Streams these events.
    Stream(Events),
    /// Resets the stream at once.
    Refuse(Reason),
    /// Streams these events, and resets the stream when the test says so.
    Cut(Events, Reason, Arc<Semaphore>),
    /// Sends this again and again as the beginning of a body, and resets the stream.
    Half(String, Reason),
    /// Streams these events again and again.
    Flood(Events),
    /// Closes the connection.
    Close,
    /// Waits until the client resets the stream.
    Wait,
    /// Sends this, frame by frame.
    Send(Sent),
}

/// The server; it ends with the test.
pub(super) struct Server {
    pub(super) base_url: String,
    pub(super) roots: RootCertStore,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    connections: watch::Sender<usize>,
    requests: watch::Sender<Vec<String>>,
    resets: watch::Sender<Vec<Reason>>,
    /// Bytes that were sent until the client took no more.
    full: watch::Sender<Option<usize>>,
}

impl Server {
    /// Offers these protocols, and answers the requests one after the other by the script.
    pub(super) async fn start(offers: &[&str], acts: impl IntoIterator<Item = Act>) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        config.alpn_protocols = offers.iter().map(|offer| offer.as_bytes().to_vec()).collect();
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
        let seen = Arc::<Seen>::default();
        let acts: Vec<Act> = acts.into_iter().collect();
        let acts = Arc::new(Mutex::new(acts.into_iter()));
        let (acceptor, all) = (TlsAcceptor::from(Arc::new(config)), Arc::clone(&seen));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                all.connections.send_modify(|count| *count += 1);
                let (acceptor, acts, seen) = (acceptor.clone(), acts.clone(), all.clone());
                tokio::spawn(async move {
                    // Who does not trust the certificate goes away here.
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    match stream.get_ref().1.alpn_protocol() {
                        Some(b"h2") => serve(stream, &acts, seen).await,
                        _ => serve_http1(stream, &acts, &seen).await,
                    }
                });
            }
        });
        Self { base_url, roots, seen }
    }

    pub(super) fn connections(&self) -> usize {
        *self.seen.connections.borrow()
    }

    /// The requests so far, as `{:?}` shows them.
    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.borrow().clone()
    }

    /// Waits until so many requests have come.
    pub(super) async fn asked(&self, count: usize) {
        self.seen.requests.subscribe().wait_for(|all| all.len() >= count).await.unwrap();
    }

    /// Waits until the client has reset a stream; why it did.
    pub(super) async fn reset(&self) -> Reason {
        let mut resets = self.seen.resets.subscribe();
        *resets.wait_for(|resets| !resets.is_empty()).await.unwrap().first().unwrap()
    }

    /// Waits until the client takes no more of a stream; how many bytes it took.
    pub(super) async fn full(&self) -> usize {
        self.seen.full.subscribe().wait_for(Option::is_some).await.unwrap().unwrap()
    }
}

type Acts = Mutex<std::vec::IntoIter<Act>>;

async fn serve(stream: TlsStream<TcpStream>, acts: &Acts, seen: Arc<Seen>) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let (link, mut told) = Link::of(&mut connection);
    loop {
        let (request, respond) = tokio::select! {
            accepted = connection.accept() => match accepted {
                Some(Ok(accepted)) => accepted,
                _ => return,
            },
            Some(gone) = told.recv() => match gone {
                Some(reason) => {
                    connection.abrupt_shutdown(reason);
                    continue;
                }
                None => return,
            },
        };
        seen.requests.send_modify(|all| all.push(format!("{request:?}")));
        let act = acts.lock().unwrap().next().expect("an unplanned request");
        match act {
            Act::Close => return,
            Act::Last(_) => connection.graceful_shutdown(),
            _ => {}
        }
        tokio::spawn(perform(act, request, respond, Arc::clone(&link), Arc::clone(&seen)));
    }
}

async fn perform(
    act: Act,
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    link: Arc<Link>,
    seen: Arc<Seen>,
) {
    let mut asked = request.into_body();
    while let Some(piece) = asked.data().await {
        let count = piece.unwrap().len();
        asked.flow_control().release_capacity(count).unwrap();
    }
    match act {
        Act::Answer(body) | Act::Last(body) => whole(&mut respond, body),
        Act::Together(barrier, body) => {
            barrier.wait().await;
            whole(&mut respond, body);
        }
        Act::Stream(Events { content_type, bytes }) => {
            drop(beginning(&mut respond, content_type).send_data(bytes, true));
        }
        Act::Refuse(reason) => respond.send_reset(reason),
        Act::Cut(events, reason, go) => {
            let mut sent = beginning(&mut respond, events.content_type);
            sent.send_data(events.bytes, false).unwrap();
            go.acquire().await.unwrap().forget();
            sent.send_reset(reason);
        }
        Act::Half(body, reason) => {
            let mut sent = beginning(&mut respond, "application/json");
            // More than the client lets come before it has read some of it.
            for piece in body.repeat(3 << 20 >> body.len().ilog2()).into_bytes().chunks(1 << 14) {
                sent.reserve_capacity(piece.len());
                while poll_fn(|cx| sent.poll_capacity(cx)).await.unwrap().unwrap() < piece.len() {}
                sent.send_data(Bytes::copy_from_slice(piece), false).unwrap();
            }
            sent.send_reset(reason);
        }
        Act::Flood(Events { content_type, bytes }) => {
            flood(beginning(&mut respond, content_type), bytes, &seen).await;
        }
        Act::Send(sent) => sent.send(respond, &link, &seen).await,
        Act::Wait | Act::Close => {
            let reason = poll_fn(|cx| respond.poll_reset(cx)).await.unwrap();
            seen.resets.send_modify(|all| all.push(reason));
        }
    }
}

fn whole(respond: &mut SendResponse<Bytes>, body: String) {
    beginning(respond, "application/json").send_data(body.into(), true).unwrap();
}

fn beginning(respond: &mut SendResponse<Bytes>, content_type: &str) -> SendStream<Bytes> {
    let head = Response::builder().header("content-type", content_type).body(()).unwrap();
    respond.send_response(head, false).unwrap()
}

async fn flood(mut sent: SendStream<Bytes>, events: Bytes, seen: &Seen) {
    loop {
        sent.reserve_capacity(events.len());
        match poll_fn(|cx| sent.poll_capacity(cx)).await {
            Some(Ok(room)) if room < events.len() => {}
            Some(Ok(_)) if sent.send_data(events.clone(), false).is_ok() => {}
            _ => break,
        }
    }
    // The client may have closed the connection instead.
    if let Ok(reason) = poll_fn(|cx| sent.poll_reset(cx)).await {
        seen.resets.send_modify(|all| all.push(reason));
    }
}

/// Answers one request.
async fn serve_http1(mut stream: TlsStream<TcpStream>, acts: &Acts, seen: &Seen) {
    let mut asked = [0; 8192];
    let count = stream.read(&mut asked).await.unwrap();
    let asked = String::from_utf8_lossy(&asked[..count]).into_owned();
    seen.requests.send_modify(|all| all.push(asked));
    let act = acts.lock().unwrap().next().expect("an unplanned request");
    let (content_type, body) = match act {
        Act::Answer(body) => ("application/json", body.into()),
        Act::Stream(Events { content_type, bytes }) => (content_type, bytes),
        _ => panic!("this is for HTTP/2"),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
}

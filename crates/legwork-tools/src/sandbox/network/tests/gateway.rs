//! The end of a proxy, with attempts that are cut off by it.

use std::future::pending;
use std::io::{IoSlice, Write as _};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use legwork_port::network::Host;
use legwork_port::sandbox::Note;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::linux::Loopback;
use crate::sandbox::network::Gateway;
use crate::sandbox::network::egress::Egress;
use crate::sandbox::network::serving::Serving;
use crate::sandbox::network::upstream::{IoFuture, Upstream};

/// Attempts at once.
const ATTEMPTS: usize = 20;

/// A network in which no name is ever resolved.
struct Unanswered {
    /// Notified of each name.
    asked: Sender<String>,
    /// Number of names whose future is dropped.
    dropped: Arc<AtomicUsize>,
}

impl Upstream for Unanswered {
    fn resolve<'a>(&'a self, name: &'a str) -> IoFuture<'a, Vec<IpAddr>> {
        self.asked.send(name.to_owned()).expect("awaited");
        let dropped = Dropped(Arc::clone(&self.dropped));
        Box::pin(async move {
            let _dropped = dropped;
            pending().await
        })
    }

    fn connect(&self, _: SocketAddr) -> IoFuture<'_, tokio::net::TcpStream> {
        Box::pin(pending())
    }

    fn is_own(&self, _: &tokio::net::TcpStream) -> bool {
        false
    }
}

/// Counts its drop.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Scene {
    gateway: Gateway,
    asked: Receiver<String>,
    dropped: Arc<AtomicUsize>,
}

impl Scene {
    fn new() -> Self {
        let (sender, asked) = channel();
        let dropped = Arc::default();
        let upstream = Unanswered { asked: sender, dropped: Arc::clone(&dropped) };
        let hosts: Vec<Host> = vec!["*.example.com".parse().expect("a host")];
        Self { gateway: Gateway::over(Egress::new(hosts, upstream)), asked, dropped }
    }

    /// A proxy with attempts that wait for the addresses of their names.
    fn serve(&self) -> (Serving, Vec<TcpStream>) {
        let (loopback, serving) = self.gateway.open().expect("opened");
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("bound");
        hand_over(&loopback, &listener);
        let ask = |number| {
            let mut client = TcpStream::connect(address).expect("connected");
            let request = format!("CONNECT a{number:02}.example.com:443 HTTP/1.1\r\n\r\n");
            client.write_all(request.as_bytes()).expect("written");
            client
        };
        let clients = (0..ATTEMPTS).map(ask).collect();
        for _ in 0..ATTEMPTS {
            self.asked.recv().expect("asked");
        }
        (serving, clients)
    }

    fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }
}

/// Sends a listening socket as the start of a command does.
fn hand_over(loopback: &Loopback, listener: &TcpListener) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut sent = SendAncillaryBuffer::new(&mut space);
    let listener = [listener.as_fd()];
    assert!(sent.push(SendAncillaryMessage::ScmRights(&listener)));
    let bytes = [IoSlice::new(&[0])];
    sendmsg(&loopback.server, &bytes, &mut sent, SendFlags::NOSIGNAL).expect("sent");
}

#[test]
fn s13_7_an_attempt_that_its_command_cuts_off_is_reported_with_the_command() {
    let scene = Scene::new();
    for _ in 0..10 {
        let (serving, _clients) = scene.serve();
        assert!(scene.gateway.notes().is_empty());
        drop(serving);
        let note = |number| {
            Note::Allowed(format!(
                "network: connection to a{number:02}.example.com:443 not completed: the command \
                 ended first"
            ))
        };
        assert_eq!(scene.gateway.notes(), (0..ATTEMPTS).map(note).collect::<Vec<_>>());
    }
    assert_eq!(scene.dropped(), 10 * ATTEMPTS);
}

#[test]
fn s13_7_the_end_of_one_command_leaves_the_attempts_of_another() {
    let scene = Scene::new();
    let ((mut first, _clients), (mut second, _others)) = (scene.serve(), scene.serve());
    first.close().expect("closed");
    assert_eq!(scene.dropped(), ATTEMPTS);
    second.close().expect("closed");
    assert_eq!(scene.dropped(), 2 * ATTEMPTS);
}

#[test]
fn s13_7_a_proxy_closes_without_its_thread_and_without_a_command() {
    let scene = Scene::new();
    let (mut serving, _clients) = scene.serve();
    let (_loopback, mut unused) = scene.gateway.open().expect("opened");
    let (loopback, mut failed) = scene.gateway.open().expect("opened");
    drop(loopback);
    failed.close().expect("closed without a command");
    drop(scene.gateway);
    serving.close().expect("closed without the thread");
    unused.close().expect("closed without either");
    assert_eq!(scene.dropped.load(Ordering::SeqCst), ATTEMPTS);
    serving.close().expect("closed before");
}

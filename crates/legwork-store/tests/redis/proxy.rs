//! A way to a server that can be cut.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What happens on the way to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Way {
    /// All goes through.
    Open = 0,
    /// The next request is lost, and the connection with it.
    LosesRequest = 1,
    /// The next answer is lost, and the connection with it.
    LosesAnswer = 2,
    /// The next answer is lost, and from then on there are no connections.
    EndsBeforeAnswer = 3,
    /// There are no connections.
    Closed = 4,
    /// The next request is kept until [`Proxy::deliver`], and the connection is lost.
    DelaysRequest = 5,
}

/// Forwards connections to a server.
pub(crate) struct Proxy {
    url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    way: AtomicU8,
    /// Requests that are kept, and the connections to the server that they belong to.
    delayed: Mutex<Vec<(Vec<u8>, TcpStream)>>,
}

impl Proxy {
    /// A way to the server of an address.
    pub(crate) async fn to(url: &str) -> Self {
        let (user, rest) = url.split_once('@').unwrap();
        let (server, db) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (shared, server) = (Arc::<Shared>::default(), server.to_owned());
        let task = tokio::spawn(accept(listener, server, Arc::clone(&shared)));
        Self { url: format!("{user}@127.0.0.1:{port}/{db}"), shared, task }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn set(&self, way: Way) {
        self.shared.way.store(way as u8, Ordering::SeqCst);
    }

    /// Checks that what it was to lose was lost.
    pub(crate) fn assert_open(&self) {
        assert_eq!(self.shared.way.load(Ordering::SeqCst), Way::Open as u8);
    }
}

impl Proxy {
    /// Hands on the request that was kept, and waits until the server has done it.
    pub(crate) async fn deliver(&self) {
        self.assert_open();
        let (request, mut server) = self.shared.delayed.lock().unwrap().pop().unwrap();
        server.write_all(&request).await.unwrap();
        assert!(server.read(&mut [0; 1_024]).await.unwrap() > 0);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, server: String, shared: Arc<Shared>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        if shared.way.load(Ordering::SeqCst) != Way::Closed as u8 {
            let server = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(forward(client, server, Arc::clone(&shared)));
        }
    }
}

async fn forward(mut client: TcpStream, mut server: TcpStream, shared: Arc<Shared>) {
    let is = |wanted: Way, next: Way| {
        let (wanted, next) = (wanted as u8, next as u8);
        shared.way.compare_exchange(wanted, next, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    };
    let (mut request, mut answer) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut request) => {
                let read = read.unwrap_or(0);
                if read == 0 || is(Way::LosesRequest, Way::Open) {
                    return;
                }
                if is(Way::DelaysRequest, Way::Open) {
                    let kept = (request[..read].to_vec(), server);
                    shared.delayed.lock().unwrap().push(kept);
                    return;
                }
                server.write_all(&request[..read]).await.unwrap();
            }
            read = server.read(&mut answer) => {
                let read = read.unwrap_or(0);
                let lost = is(Way::LosesAnswer, Way::Open)
                    || is(Way::EndsBeforeAnswer, Way::Closed);
                if read == 0 || lost || client.write_all(&answer[..read]).await.is_err() {
                    return;
                }
            }
        }
    }
}

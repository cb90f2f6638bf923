//! A way to the server that breaks at a chosen moment.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// When the connection that is used next breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Before the server gets what is asked.
    Before,
    /// When the server has done what was asked, before its answer comes.
    After,
    /// The same for the next transaction of several statements, when it is committed.
    AfterCommit,
}

/// A proxy; it ends with the test.
pub(super) struct Proxy {
    address: SocketAddr,
    cut: Arc<Mutex<Option<Cut>>>,
    listening: JoinHandle<()>,
}

impl Proxy {
    /// A proxy to the server at this address of a database.
    pub(super) async fn to(url: &str) -> Self {
        let server = place(url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cut = Arc::new(Mutex::new(None));
        let shared = Arc::clone(&cut);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(&server).await else { continue };
                tokio::spawn(pass(client, server, Arc::clone(&shared)));
            }
        });
        Self { address, cut, listening }
    }

    /// The address of the same database through the proxy.
    pub(super) fn url(&self, url: &str) -> String {
        url.replace(place(url), &self.address.to_string())
    }

    /// Breaks the connection that is used next.
    pub(super) fn cut(&self, cut: Cut) {
        *self.cut.lock().unwrap() = Some(cut);
    }

    /// Whether the connection was broken.
    pub(super) fn has_cut(&self) -> bool {
        self.cut.lock().unwrap().is_none()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// `host:port` of an address.
fn place(url: &str) -> &str {
    url.rsplit_once('@').unwrap().1.split('/').next().unwrap()
}

/// Passes bytes on until one side ends, or the connection is to break.
async fn pass(mut client: TcpStream, mut server: TcpStream, cut: Arc<Mutex<Option<Cut>>>) {
    let (mut asked, mut answered) = ([0; 65536], [0; 65536]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(read @ 1..) = read else { return };
                if cut.lock().unwrap().take_if(|cut| *cut == Cut::Before).is_some() {
                    return;
                }
                let commits = asked[..read].windows(6).any(|window| window == b"COMMIT");
                if commits && let Some(cut @ Cut::AfterCommit) = &mut *cut.lock().unwrap() {
                    *cut = Cut::After;
                }
                if server.write_all(&asked[..read]).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(read @ 1..) = read else { return };
                if cut.lock().unwrap().take_if(|cut| *cut == Cut::After).is_some() {
                    return;
                }
                if client.write_all(&answered[..read]).await.is_err() {
                    return;
                }
            }
        }
    }
}

//! The proxies of all commands of a sandbox, on a thread of their own.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_port::sandbox::{Loopback, Note};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::PORT;
use super::egress::Egress;
use super::host::Host;
use super::listener::receive;
use super::proxy;
use super::upstream::HostNetwork;

/// Delay before the next attempt if no connection can be accepted, such as without a free file.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves the proxy for commands that may reach the hosts on a list.
pub(crate) struct Gateway {
    egress: Arc<Egress>,
    /// Started with the first command.
    worker: Mutex<Option<Worker>>,
}

/// A thread that serves; it ends when this is dropped.
struct Worker {
    runtime: Handle,
    _alive: oneshot::Sender<()>,
}

/// The proxy of one command; its connections are closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Serving(AbortHandle);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Gateway {
    /// A gateway to these hosts, through the network of this machine.
    pub(crate) fn new(hosts: Vec<Host>) -> Self {
        Self::over(Egress::new(hosts, HostNetwork))
    }

    pub(super) fn over(egress: Egress) -> Self {
        Self { egress: Arc::new(egress), worker: Mutex::default() }
    }

    /// A network for a command, and the proxy that serves it.
    ///
    /// # Errors
    /// When no thread or no socket is left.
    pub(crate) fn open(&self) -> io::Result<(Loopback, Serving)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = match &mut *worker {
            Some(worker) => &worker.runtime,
            none => &none.insert(Worker::start()?).runtime,
        };
        let task = runtime.spawn(serve(Arc::clone(&self.egress), ours));
        Ok((Loopback::new(PORT, theirs.into()), Serving(task.abort_handle())))
    }

    /// Takes the connections and refusals since the last call, as one sentence each.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.egress.log.notes()
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("hosts", &self.egress.hosts).finish_non_exhaustive()
    }
}

impl Worker {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, over) = oneshot::channel();
        let serve = move || {
            // An error says that the sender was dropped, which is the end.
            let _ = runtime.block_on(over);
            // Names that are being resolved are not waited for.
            runtime.shutdown_background();
        };
        std::thread::Builder::new().name("legwork-proxy".to_owned()).spawn(serve)?;
        Ok(Self { runtime: handle, _alive: alive })
    }
}

/// Serves the socket that is received.
async fn serve(egress: Arc<Egress>, from: UnixStream) {
    // If none comes, the command did not start.
    let Ok(Some(listener)) = receive(from).await else {
        return;
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = accept(&egress, &listener) => match accepted {
                Ok((permit, stream)) => {
                    let served = proxy::serve(Arc::clone(&egress), stream);
                    connections.spawn(async move {
                        let _permit = permit;
                        served.await;
                    });
                }
                Err(_) => sleep(RETRY_DELAY).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The next connection, once a permit is free.
async fn accept(
    egress: &Egress,
    listener: &TcpListener,
) -> io::Result<(OwnedSemaphorePermit, TcpStream)> {
    let permit = Arc::clone(&egress.permits).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((permit, stream))
}

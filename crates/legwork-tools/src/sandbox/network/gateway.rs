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
use super::host::Host;
use super::listening::received;
use super::outside::{Border, Machine};
use super::proxy;

/// Between two attempts where no connection can be accepted, such as without a free file.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves commands that may reach the hosts on a list.
pub(crate) struct Gateway {
    border: Arc<Border>,
    /// Started with the first command.
    worker: Mutex<Option<Worker>>,
}

/// A thread that serves; it ends when this is dropped.
struct Worker {
    runtime: Handle,
    _alive: oneshot::Sender<()>,
}

/// What serves one command; its connections are closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Opened(AbortHandle);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Gateway {
    /// To these hosts, by the network of this machine.
    pub(crate) fn new(hosts: Vec<Host>) -> Self {
        Self::over(Border::new(hosts, Machine))
    }

    pub(super) fn over(border: Border) -> Self {
        Self { border: Arc::new(border), worker: Mutex::default() }
    }

    /// A network for a command, and what serves it.
    ///
    /// # Errors
    /// When no thread or no socket is left.
    pub(crate) fn open(&self) -> io::Result<(Loopback, Opened)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = match &mut *worker {
            Some(worker) => &worker.runtime,
            none => &none.insert(Worker::start()?).runtime,
        };
        let task = runtime.spawn(serve(Arc::clone(&self.border), ours));
        Ok((Loopback::new(PORT, theirs.into()), Opened(task.abort_handle())))
    }

    /// What commands were connected with since this was last asked, a sentence each.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.border.seen.notes()
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("hosts", &self.border.hosts).finish_non_exhaustive()
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
async fn serve(border: Arc<Border>, from: UnixStream) {
    // Where none comes the command did not start.
    let Ok(Some(listener)) = received(from).await else {
        return;
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = accept(&border, &listener) => match accepted {
                Ok((permit, stream)) => {
                    let served = proxy::serve(Arc::clone(&border), stream);
                    connections.spawn(async move {
                        let _permit = permit;
                        served.await;
                    });
                }
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The next connection, once there may be one more.
async fn accept(
    border: &Border,
    listener: &TcpListener,
) -> io::Result<(OwnedSemaphorePermit, TcpStream)> {
    let permit = Arc::clone(&border.permits).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((permit, stream))
}

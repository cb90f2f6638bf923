//! The proxy of one command: it accepts connections until the command has ended.

use std::convert::Infallible;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::egress::Egress;
use super::listener::receive;
use super::proxy;

/// Delay before the next attempt to accept a connection, such as when no file is free.
const RETRY_DELAY: Duration = Duration::from_millis(100);
/// Time limit for closing the connections of a command that has ended.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The proxy of one command; its connections are closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Serving {
    task: AbortHandle,
    /// Disconnected once the task and its connections have dropped their senders.
    closed: Mutex<Receiver<Infallible>>,
}

impl Serving {
    /// Starts a task that receives the listening socket of a command and serves it.
    pub(super) fn start(runtime: &Handle, egress: Arc<Egress>, from: UnixStream) -> Self {
        let (open, closed) = mpsc::channel();
        let task = runtime.spawn(serve(egress, from, open)).abort_handle();
        Self { task, closed: Mutex::new(closed) }
    }

    /// Closes all connections, and waits until unfinished attempts are in the log.
    ///
    /// This blocks the thread, which must not be the one that runs the task.
    ///
    /// # Errors
    /// When it takes longer than [`CLOSE_TIMEOUT`].
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.task.abort();
        let closed = self.closed.get_mut().unwrap_or_else(PoisonError::into_inner);
        match closed.recv_timeout(CLOSE_TIMEOUT) {
            Ok(never) => match never {},
            Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // After a timeout, notes of unfinished attempts may be missing.
        let _ = self.close();
    }
}

/// Accepts connections on the socket that is received; `open` is dropped last.
async fn serve(egress: Arc<Egress>, from: UnixStream, open: Sender<Infallible>) {
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
                    let held = (permit, open.clone());
                    connections.spawn(async move {
                        // Dropped after `served`, also if the task is aborted.
                        let _held = held;
                        served.await;
                    });
                }
                Err(_) => sleep(RETRY_DELAY).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Waits for a permit, then for the next connection.
async fn accept(
    egress: &Egress,
    listener: &TcpListener,
) -> io::Result<(OwnedSemaphorePermit, TcpStream)> {
    let permit = Arc::clone(&egress.permits).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((permit, stream))
}

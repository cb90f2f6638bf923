//! The proxies of all commands of a sandbox, on one thread.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_port::sandbox::Note;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::PORT;
use super::egress::Egress;
use super::serving::Serving;
use super::upstream::HostNetwork;
use crate::linux::Loopback;
use legwork_port::network::Host;

/// Runs a proxy for each command that may reach the hosts on a list.
pub(crate) struct Gateway {
    egress: Arc<Egress>,
    /// Started with the first command.
    worker: Mutex<Option<Worker>>,
}

/// The thread of the proxies; it ends when this is dropped.
struct Worker {
    runtime: Handle,
    _alive: oneshot::Sender<()>,
}

impl Gateway {
    /// A gateway to these hosts, through the network of this machine.
    pub(crate) fn new(hosts: Vec<Host>) -> Self {
        Self::over(Egress::new(hosts, HostNetwork))
    }

    pub(super) fn over(egress: Egress) -> Self {
        Self { egress: Arc::new(egress), worker: Mutex::default() }
    }

    /// The hosts on the list.
    pub(crate) fn hosts(&self) -> &[Host] {
        &self.egress.hosts
    }

    /// A network for a command, and the proxy that serves it.
    ///
    /// # Errors
    /// When the thread or a socket cannot be created.
    pub(crate) fn open(&self) -> io::Result<(Loopback, Serving)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = match &mut *worker {
            Some(worker) => &worker.runtime,
            none => &none.insert(Worker::start()?).runtime,
        };
        let serving = Serving::start(runtime, Arc::clone(&self.egress), ours);
        Ok((Loopback::new(PORT, theirs.into()), serving))
    }

    /// Takes the connections and refusals since the last call, as one sentence each.
    ///
    /// Those of a command are complete once its [`Serving`] is dropped.
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
        let (alive, ended) = oneshot::channel();
        let serve = move || {
            // Returns when the sender is dropped.
            let _ = runtime.block_on(ended);
            // Does not wait for names that are being resolved.
            runtime.shutdown_background();
        };
        std::thread::Builder::new().name("legwork-proxy".to_owned()).spawn(serve)?;
        Ok(Self { runtime: handle, _alive: alive })
    }
}

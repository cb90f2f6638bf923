//! Connections that wait for their next exchange, and the one that many share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;

use super::Lost;
use super::connection::Connection;
use super::opening::Opened;
use super::shared::Shared;

/// How often unused connections are closed; one is unused for at least this long and at
/// most twice as long.
const SWEEP: Duration = Duration::from_secs(45);

/// The idle connections of one client, which goes to one server.
#[derive(Debug, Default)]
pub(super) struct Idle(Mutex<IdleConnections>);

#[derive(Debug, Default)]
struct IdleConnections {
    /// The one used last is the last.
    connections: Vec<Unused>,
    shared: Option<Sharing>,
    sweeper: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Unused {
    connection: Box<Connection>,
    /// How many sweeps it has seen.
    sweeps: u8,
}

#[derive(Debug)]
struct Sharing {
    connection: Shared,
    /// How many sweeps it has seen since it was last used.
    sweeps: u8,
}

impl Idle {
    /// The connection that is shared, else the one that was used last.
    pub(super) fn take(&self) -> Option<Opened> {
        if let Some(shared) = self.shared() {
            return Some(Opened::Shared(shared));
        }
        Some(Opened::Exclusive(self.lock().connections.pop()?.connection))
    }

    /// The connection that is shared.
    pub(super) fn shared(&self) -> Option<Shared> {
        let mut unused = self.lock();
        let sharing = unused.shared.as_mut()?;
        sharing.sweeps = 0;
        let open = sharing.connection.is_open().then(|| sharing.connection.clone());
        if open.is_none() {
            unused.shared = None;
        }
        open
    }

    /// Shares a connection from now on.
    pub(super) fn share(self: &Arc<Self>, connection: &Shared) {
        let mut unused = self.lock();
        unused.shared = Some(Sharing { connection: connection.clone(), sweeps: 0 });
        self.sweep_later(&mut unused);
    }

    /// Shares the connection no more if it takes no further requests.
    pub(super) fn forget_shared(&self, lost: &Lost) {
        if lost.unsent.is_some() || lost.error.is_not_taken() {
            self.lock().shared = None;
        }
    }

    /// Keeps a connection for another exchange; one that allows none is closed.
    pub(super) fn put(self: &Arc<Self>, connection: Box<Connection>) {
        if !connection.is_idle() {
            return;
        }
        let mut unused = self.lock();
        unused.connections.push(Unused { connection, sweeps: 0 });
        self.sweep_later(&mut unused);
    }

    fn sweep_later(self: &Arc<Self>, unused: &mut IdleConnections) {
        // It ends with its runtime, which may not be the last one.
        if unused.sweeper.as_ref().is_none_or(JoinHandle::is_finished) {
            unused.sweeper = Some(tokio::spawn(sweep(Arc::downgrade(self))));
        }
    }

    /// Closes what has been unused for too long; whether anything is left.
    fn sweep(&self) -> bool {
        let mut unused = self.lock();
        unused.connections.retain_mut(|one| {
            one.sweeps += 1;
            one.sweeps < 2
        });
        if let Some(sharing) = &mut unused.shared {
            let used = sharing.connection.is_used();
            sharing.sweeps = if used { 0 } else { sharing.sweeps + 1 };
        }
        unused.shared.take_if(|sharing| sharing.sweeps >= 2);
        let is_empty = unused.connections.is_empty() && unused.shared.is_none();
        if is_empty {
            unused.sweeper = None;
        }
        !is_empty
    }

    fn lock(&self) -> MutexGuard<'_, IdleConnections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sweeps until nothing is left, or the client is gone.
async fn sweep(idle: Weak<Idle>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(idle) = idle.upgrade() else { return };
        if !idle.sweep() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;

//! Connections that wait for their next exchange.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;

use super::connection::Connection;

/// How often unused connections are closed; one is unused for at least this long and at
/// most twice as long.
const SWEEP: Duration = Duration::from_secs(45);

/// The idle connections of one client, which goes to one server.
#[derive(Debug, Default)]
pub(super) struct Idle(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    /// The one used last is the last.
    connections: Vec<Unused>,
    sweeper: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Unused {
    connection: Box<Connection>,
    /// How many sweeps it has seen.
    sweeps: u8,
}

impl Idle {
    /// The connection that was used last.
    pub(super) fn take(&self) -> Option<Box<Connection>> {
        Some(self.shelf().connections.pop()?.connection)
    }

    /// Keeps a connection for another exchange; one that allows none is closed.
    pub(super) fn put(self: &Arc<Self>, connection: Box<Connection>) {
        if !connection.is_idle() {
            return;
        }
        let mut shelf = self.shelf();
        shelf.connections.push(Unused { connection, sweeps: 0 });
        // It ends with its runtime, which may not be the last one.
        if shelf.sweeper.as_ref().is_none_or(JoinHandle::is_finished) {
            shelf.sweeper = Some(tokio::spawn(sweep(Arc::downgrade(self))));
        }
    }

    /// Closes what has been unused for too long; whether anything is left.
    fn sweep(&self) -> bool {
        let mut shelf = self.shelf();
        shelf.connections.retain_mut(|unused| {
            unused.sweeps += 1;
            unused.sweeps < 2
        });
        let is_empty = shelf.connections.is_empty();
        if is_empty {
            shelf.sweeper = None;
        }
        !is_empty
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
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

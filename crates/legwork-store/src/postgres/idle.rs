//! Connections that wait to be used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};

/// A connection that was not used for so long is closed.
const IDLE: Duration = Duration::from_secs(300);

/// A connection that was used within this time is used again without a check whether it works.
const TRUSTED: Duration = Duration::from_secs(30);

/// How long that check may take.
const PING: Duration = Duration::from_secs(2);

/// The connections that wait, the one used last at the end.
#[derive(Default)]
pub(super) struct Waiting(Arc<Mutex<List>>);

#[derive(Default)]
struct List {
    connections: Vec<Idle>,
    /// Whether a task closes those that wait for long.
    is_tended: bool,
}

struct Idle {
    connection: PgConnection,
    since: Instant,
}

impl Waiting {
    /// The one used last, if it works. One that waited for long may lead nowhere without either
    /// side knowing.
    pub(super) async fn take(&self) -> Option<PgConnection> {
        loop {
            let last = lock(&self.0).connections.pop();
            let Idle { mut connection, since } = last?;
            if since.elapsed() < TRUSTED
                || matches!(timeout(PING, connection.ping()).await, Ok(Ok(())))
            {
                return Some(connection);
            }
        }
    }

    pub(super) fn add(&self, connection: PgConnection) {
        let mut list = lock(&self.0);
        list.connections.push(Idle { connection, since: Instant::now() });
        if list.is_tended {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            list.is_tended = true;
            runtime.spawn(tend(Arc::downgrade(&self.0), Tended(Arc::downgrade(&self.0))));
        }
    }

    /// Closes all of them.
    pub(super) fn clear(&self) {
        lock(&self.0).connections.clear();
    }
}

/// Says that the task ended, also if its runtime did.
struct Tended(std::sync::Weak<Mutex<List>>);

impl Drop for Tended {
    fn drop(&mut self) {
        if let Some(list) = self.0.upgrade() {
            lock(&list).is_tended = false;
        }
    }
}

/// Closes connections that wait for long, as long as there are some.
async fn tend(list: std::sync::Weak<Mutex<List>>, _tended: Tended) {
    loop {
        sleep(IDLE).await;
        let Some(list) = list.upgrade() else { return };
        let mut list = lock(&list);
        list.connections.retain(|idle| idle.since.elapsed() < IDLE);
        if list.connections.is_empty() {
            return;
        }
    }
}

fn lock(list: &Mutex<List>) -> MutexGuard<'_, List> {
    // Nothing panics while it holds the lock, so what it guards is whole.
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

//! Who opens the next connection, where one connection may serve all.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::Uri;
use tokio::sync::Mutex;

use super::broken::Broken;
use super::connection::Connection;
use super::idle::Idle;
use super::shared::{self, Shared};

/// A connection that a request can be sent over.
#[derive(Debug)]
pub(super) enum Opened {
    /// For one exchange at a time.
    Exclusive(Box<Connection>),
    /// For many at once.
    Shared(Shared),
}

/// Exchanges that need a connection at the same time wait for the first of them, whose
/// connection may serve all.
///
/// They wait once: if it cannot be shared, or cannot be made, each opens its own.
#[derive(Debug)]
pub(super) struct Opening {
    turn: Mutex<()>,
    /// How often the first of those that wait has come to an end.
    ended: AtomicUsize,
    /// Whether connections are known to serve one exchange at a time.
    exclusive: AtomicBool,
}

impl Opening {
    /// Connections to a server.
    pub(super) fn to(server: &Uri) -> Self {
        let exclusive = !shared::IS_POSSIBLE || server.scheme_str() == Some("http");
        Self { turn: Mutex::default(), ended: AtomicUsize::new(0), exclusive: exclusive.into() }
    }

    /// The connection that another exchange opened meanwhile, else one that `connect` opens.
    pub(super) async fn next(
        &self,
        idle: &Idle,
        connect: impl Future<Output = Result<Opened, Broken>>,
    ) -> Result<Opened, Broken> {
        if self.exclusive.load(Ordering::Relaxed) {
            return connect.await;
        }
        let before = self.ended.load(Ordering::Relaxed);
        let turn = self.turn.lock().await;
        if let Some(shared) = idle.shared() {
            return Ok(Opened::Shared(shared));
        }
        if self.ended.load(Ordering::Relaxed) != before {
            drop(turn);
            return connect.await;
        }
        let opened = connect.await;
        self.ended.fetch_add(1, Ordering::Relaxed);
        if matches!(opened, Ok(Opened::Exclusive(_))) {
            self.exclusive.store(true, Ordering::Relaxed);
        }
        opened
    }
}

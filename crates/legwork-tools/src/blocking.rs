//! Work that blocks, and that is notified when its caller stops waiting.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop that is looked at between two steps of the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct RaiseOnDrop(Stop);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// Runs `work` on a thread that may block; dropping the future stops it.
///
/// # Errors
/// When the work panicked or the runtime is shutting down.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> io::Result<T> {
    let guard = RaiseOnDrop(Stop::default());
    let stop = guard.0.clone();
    tokio::task::spawn_blocking(move || work(&stop)).await.map_err(io::Error::from)
}

//! Those who watch a run: one that panics is silenced, and costs nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_core::Entry;
use legwork_port::{LiveEvent, Observer, Origin};

use crate::unwind;

/// Several observers as one.
///
/// One that panics is notified of nothing any more in this run, and the others are warned.
pub(crate) struct Watchers(Vec<Watcher>);

struct Watcher {
    observer: Arc<dyn Observer>,
    silenced: AtomicBool,
}

impl Watchers {
    /// These observers, in their order.
    pub(crate) fn new(observers: impl IntoIterator<Item = Arc<dyn Observer>>) -> Self {
        let watcher = |observer| Watcher { observer, silenced: AtomicBool::new(false) };
        Self(observers.into_iter().map(watcher).collect())
    }

    fn each(&self, origin: &Origin, tell: impl Fn(&dyn Observer)) {
        for watcher in &self.0 {
            let Err(panic) = watcher.notify(&tell) else { continue };
            let message = format!(
                "an observer panicked and is notified of nothing any more in this run: {panic}"
            );
            for other in &self.0 {
                // One that panics of the warning is silenced as well.
                let _ = other.notify(|observer| {
                    observer.live(origin, &LiveEvent::Warning { message: &message });
                });
            }
        }
    }
}

impl Watcher {
    fn listens(&self) -> bool {
        !self.silenced.load(Ordering::Relaxed)
            && unwind::call(|| self.observer.listens()).unwrap_or(false)
    }

    fn notify(&self, tell: impl Fn(&dyn Observer)) -> Result<(), String> {
        if self.silenced.load(Ordering::Relaxed) {
            return Ok(());
        }
        let told = unwind::call(|| {
            if self.observer.listens() {
                tell(&*self.observer);
            }
        });
        told.inspect_err(|_| self.silenced.store(true, Ordering::Relaxed))
    }
}

impl Observer for Watchers {
    fn listens(&self) -> bool {
        self.0.iter().any(Watcher::listens)
    }

    fn live(&self, origin: &Origin, event: &LiveEvent<'_>) {
        self.each(origin, |observer| observer.live(origin, event));
    }

    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]) {
        self.each(origin, |observer| observer.committed(origin, entries));
    }
}

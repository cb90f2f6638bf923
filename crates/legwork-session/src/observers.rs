//! The observers of a run: one that panics is silenced, and costs nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_port::{EventKind, Observer, RunEvent, unwind};

/// Several observers as one.
///
/// One that panics gets no more events of this run, and the others are warned.
pub struct Observers(Vec<Member>);

struct Member {
    observer: Arc<dyn Observer>,
    silenced: AtomicBool,
}

impl Observers {
    /// These observers, in their order.
    pub fn new(observers: impl IntoIterator<Item = Arc<dyn Observer>>) -> Self {
        let member = |observer| Member { observer, silenced: AtomicBool::new(false) };
        Self(observers.into_iter().map(member).collect())
    }

    /// Warns the others that an observer panicked.
    fn panicked(&self, event: &RunEvent, panic: &str) {
        let message = format!("an observer panicked and gets no more events of this run: {panic}");
        let kind = EventKind::Warning { message };
        let warning = RunEvent { kind, ..event.clone() };
        for member in &self.0 {
            // One that panics over the warning is silenced as well.
            let _ = member.notify(&warning);
        }
    }
}

impl Member {
    fn listens(&self) -> bool {
        !self.silenced.load(Ordering::Relaxed)
            && unwind::call(|| self.observer.listens()).unwrap_or(false)
    }

    fn streams(&self) -> bool {
        self.listens() && unwind::call(|| self.observer.streams()).unwrap_or(false)
    }

    fn notify(&self, event: &RunEvent) -> Result<(), String> {
        if self.silenced.load(Ordering::Relaxed) {
            return Ok(());
        }
        let delivered = unwind::call(|| {
            if self.observer.listens() {
                self.observer.observe(event);
            }
        });
        delivered.inspect_err(|_| self.silenced.store(true, Ordering::Relaxed))
    }
}

impl Observer for Observers {
    fn listens(&self) -> bool {
        self.0.iter().any(Member::listens)
    }

    fn streams(&self) -> bool {
        self.0.iter().any(Member::streams)
    }

    fn observe(&self, event: &RunEvent) {
        for member in &self.0 {
            if let Err(panic) = member.notify(event) {
                self.panicked(event, &panic);
            }
        }
    }
}

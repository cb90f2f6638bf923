//! Events for observers, with secrets masked.

use std::sync::Arc;

use legwork_core::Mask;
use legwork_port::{EventKind, Observer, RunEvent};

/// An observer that receives events with secrets masked.
///
/// Entries are masked before they are made. Pieces of an answer are masked where they are
/// assembled, because a secret may be split between two of them.
pub struct Masked {
    mask: Mask,
    observer: Arc<dyn Observer>,
}

impl Masked {
    /// The observer, behind a mask if there is one.
    pub fn by(mask: &Mask, observer: Arc<dyn Observer>) -> Arc<dyn Observer> {
        match mask.is_none() {
            true => observer,
            false => Arc::new(Self { mask: mask.clone(), observer }),
        }
    }
}

impl Observer for Masked {
    fn listens(&self) -> bool {
        self.observer.listens()
    }

    fn streams(&self) -> bool {
        self.observer.streams()
    }

    fn observe(&self, event: &RunEvent) {
        if event.kind.is_delta() || matches!(event.kind, EventKind::Committed(_)) {
            return self.observer.observe(event);
        }
        match self.mask.masked(&event.kind) {
            Some(kind) => self.observer.observe(&RunEvent { kind, ..event.clone() }),
            None => self.observer.observe(event),
        }
    }
}

//! Toolsets that runs share: opened by the first, closed after the last.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::future::FutureExt as _;
use legwork_port::toolset::{Error, Scope};
use legwork_port::{Deps, OpenToolset, Toolset, unwind};
use tokio::sync;

use crate::decorate::fixed;
use crate::fault::panicked;

/// A toolset whose clones share what is open of it.
///
/// An agent, those made of it, and its subagents have clones of one. Give a clone to each of
/// several agents that are to share it.
#[derive(Clone)]
pub struct SharedToolset {
    pub(crate) set: Arc<dyn Toolset>,
    pub(crate) is_required: bool,
    slots: Arc<Mutex<Vec<Arc<Slot>>>>,
}

/// What the runs of one key and the same dependencies share.
struct Slot {
    key: String,
    deps: Deps,
    /// Locked while the set is opened or closed.
    open: sync::Mutex<Weak<Open>>,
}

type Open = Box<dyn OpenToolset>;

impl SharedToolset {
    /// A toolset that nobody has opened.
    pub fn new(set: impl Toolset + 'static) -> Self {
        Self { set: Arc::new(set), is_required: false, slots: Arc::default() }
    }

    /// A run cannot do without it: if its tools cannot be had, the run fails.
    #[must_use]
    pub fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// The name of the set.
    pub fn name(&self) -> Arc<str> {
        let name = unwind::call(|| Arc::from(self.set.name()));
        name.unwrap_or_else(|_| "without a name".into())
    }

    /// The use of the set by one run. It is opened if nobody has it open.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) async fn lease(&self, scope: &Scope) -> Result<Lease, Error> {
        let failed = |panic| Error::Invalid(panicked(panic));
        let key = unwind::call(|| self.set.share_key(scope)).map_err(failed)?;
        let slot = self.slot(key, &scope.deps);
        let mut shared = slot.open.lock().await;
        let open = match shared.upgrade() {
            Some(open) => open,
            None => {
                let opened = unwind::run(|| Box::pin(fixed::open(&*self.set, scope)));
                let open = Arc::new(opened.await.map_err(failed)??);
                *shared = Arc::downgrade(&open);
                open
            }
        };
        drop(shared);
        Ok(Lease { open: Some(open), slot })
    }

    fn slot(&self, key: String, deps: &Deps) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.iter().find(|slot| slot.key == key && slot.deps.is_same(deps)) {
            return Arc::clone(slot);
        }
        // Others are used by leases, or not at all.
        slots.retain(|slot| Arc::strong_count(slot) > 1);
        let slot = Arc::new(Slot { key, deps: deps.clone(), open: sync::Mutex::default() });
        slots.push(Arc::clone(&slot));
        slot
    }
}

impl<T: Toolset + 'static> From<T> for SharedToolset {
    fn from(set: T) -> Self {
        Self::new(set)
    }
}

/// The use of an open toolset by one run.
pub(crate) struct Lease {
    open: Option<Arc<Open>>,
    slot: Arc<Slot>,
}

impl Lease {
    /// The open set; none once the lease is released.
    pub(crate) fn set(&self) -> Option<&dyn OpenToolset> {
        self.open.as_ref().map(|open| &***open)
    }

    /// Ends the use. If it was the last, the set is closed, and not opened again before that.
    pub(crate) async fn release(mut self) {
        let slot = Arc::clone(&self.slot);
        let _closing = slot.open.lock().await;
        let Some(last) = self.open.take().and_then(Arc::into_inner) else { return };
        // One that panics is as closed as it will ever be.
        let _ = unwind::run(|| last.close()).await;
        let _ = unwind::call(|| drop(last));
    }
}

impl Drop for Lease {
    /// A run that is dropped waits for nothing: the set is closed as far as that goes at once.
    fn drop(&mut self) {
        let Some(last) = self.open.take().and_then(Arc::into_inner) else { return };
        let _ = unwind::run(|| last.close()).now_or_never();
        let _ = unwind::call(|| drop(last));
    }
}

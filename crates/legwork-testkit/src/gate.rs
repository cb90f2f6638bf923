//! A gate: lets a test decide when something goes on, without sleeping.

use std::sync::Arc;

use crate::watched::Watched;

/// A closed gate that a test opens; clones are the same gate.
///
/// A scripted turn may wait [behind](crate::Turn::behind) one or
/// [halt](crate::Turn::halting) at one.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<Watched<State>>);

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    open: bool,
}

impl Gate {
    /// Makes a closed gate that nothing has arrived at.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens it, for those that wait and those that arrive later.
    pub fn open(&self) {
        self.0.change(|state| state.open = true);
    }

    /// Arrives at the gate and waits until it is open. Dropping the future is safe.
    pub async fn pass(&self) {
        self.0.change(|state| state.arrived += 1);
        self.0.until(|state| state.open.then_some(())).await;
    }

    /// Waits until so many have arrived, whether they went on or not.
    pub async fn arrived(&self, count: usize) {
        self.0.until(|state| (state.arrived >= count).then_some(())).await;
    }

    /// The same for plain code: blocks the thread.
    pub fn arrived_blocking(&self, count: usize) {
        self.0.until_blocking(|state| (state.arrived >= count).then_some(()));
    }
}

//! Stop signals that were raised.

use crate::continuation::{Criterion, Decision};
use crate::progress::Progress;

/// Forbids when a stop signal was raised: `signals`.
///
/// The one of the highest priority speaks, the first among equals; all stay in the state.
#[derive(Debug, Clone, Copy)]
pub struct Signals;

impl<S: Progress> Criterion<S> for Signals {
    fn name(&self) -> &str {
        "signals"
    }

    fn decide(&self, state: &S) -> Result<Option<Decision>, String> {
        Ok(state.stop_signal().cloned().map(Decision::Forbid))
    }
}

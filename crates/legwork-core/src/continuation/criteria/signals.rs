//! Whether a stop was requested.

use crate::continuation::{Criterion, Decision, Error};
use crate::progress::Progress;

/// Forbids to go on once a stop was requested: `signals`.
///
/// The signal with the highest priority is the vote, of equals the first; all stay in the state.
#[derive(Debug, Clone, Copy)]
pub struct Signals;

impl<S: Progress> Criterion<S> for Signals {
    fn name(&self) -> &str {
        "signals"
    }

    fn decide(&self, state: &S) -> Result<Option<Decision>, Error> {
        Ok(state.stop_signal().cloned().map(Decision::Forbid))
    }
}

//! What happened in a run, as figures.

use std::fmt;
use std::time::Duration;

use super::play::LEASE;

/// What happened in a run.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    pub(super) kills: usize,
    pub(super) pauses: usize,
    pub(super) refused: usize,
    pub(super) answers: usize,
    pub(super) failures: Vec<String>,
    pub(super) takeovers: Vec<Duration>,
    pub(super) took: Duration,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut takeovers = self.takeovers.clone();
        takeovers.sort_unstable();
        let half = takeovers.get(takeovers.len() / 2).copied().unwrap_or_default();
        let last = takeovers.last().copied().unwrap_or_default();
        write!(
            f,
            "{} kills, {} pauses, {} runs that lost their claim, {} calls answered by a person; \
             taken over after {half:.1?} (median), {last:.1?} (longest), with a lease of {LEASE:?}; \
             {:.1?}; other failures: {:?}",
            self.kills, self.pauses, self.refused, self.answers, self.took, self.failures
        )
    }
}

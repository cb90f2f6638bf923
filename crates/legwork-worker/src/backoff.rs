//! Sessions that a worker leaves alone for a while.

use std::collections::BTreeMap;
use std::time::Duration;

use legwork_core::{Micros, SessionId};

/// The first wait, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// How often a session may rest within the first wait and be due again at once.
const RESTS: u32 = 3;

/// Sessions that could not be run, or that stay due although they rest.
///
/// The wait doubles each time, and is forgotten when a session was left alone for as long again.
#[derive(Debug, Default)]
pub(crate) struct Backoff(BTreeMap<SessionId, Seen>);

#[derive(Debug, Clone, Copy)]
struct Seen {
    /// How long it is left alone; zero if it is not.
    wait: Duration,
    /// Until when.
    until: Micros,
    /// How often it rested since.
    rests: u32,
}

impl Backoff {
    /// Leaves a session alone; returns for how long.
    pub(crate) fn leave(&mut self, session: &SessionId, now: Micros) -> Duration {
        let before = self.0.get(session).map_or(Duration::ZERO, |seen| seen.wait);
        let wait = (before * 2).clamp(FIRST, LONGEST);
        self.0.insert(session.clone(), Seen { wait, until: now.plus(wait.into()), rests: 0 });
        wait
    }

    /// Leaves a session alone for the first wait, however often before: another process works in
    /// it, so it must be taken up soon after that process has died.
    pub(crate) fn pass(&mut self, session: &SessionId, now: Micros) {
        let seen = Seen { wait: FIRST, until: now.plus(FIRST.into()), rests: 0 };
        self.0.insert(session.clone(), seen);
    }

    /// A session rests. If it was due again each time, it is left alone.
    pub(crate) fn rested(&mut self, session: &SessionId, now: Micros) {
        let begins = Seen { wait: Duration::ZERO, until: now, rests: 0 };
        let seen = self.0.entry(session.clone()).or_insert(begins);
        seen.rests += 1;
        if seen.rests > RESTS {
            self.leave(session, now);
        }
    }

    /// Whether a session is left alone now.
    pub(crate) fn is_left(&self, session: &SessionId, now: Micros) -> bool {
        self.0.get(session).is_some_and(|seen| seen.until > now)
    }

    /// Forgets those that were not seen for as long as they were left alone.
    pub(crate) fn tidy(&mut self, now: Micros) {
        self.0.retain(|_, seen| seen.until.plus(seen.wait.max(FIRST).into()) > now);
    }
}

/// The wait after so many failures of the store in a row.
pub(crate) fn after(failures: u32) -> Duration {
    FIRST.saturating_mul(1 << failures.saturating_sub(1).min(5))
}

//! How often to kill: a little in the tests, a lot when told.

use std::env;

/// Kills at each place.
pub(crate) fn kills() -> usize {
    number("LEGWORK_KILLS").unwrap_or(4)
}

/// Kills at random moments.
pub(crate) fn random() -> usize {
    number("LEGWORK_RANDOM_KILLS").unwrap_or(6)
}

/// What random moments are drawn from; printed, so that a run can be had again.
pub(crate) fn seed() -> u64 {
    number("LEGWORK_KILL_SEED").map_or_else(|| fastrand::u64(..), |seed| seed as u64)
}

fn number(name: &str) -> Option<usize> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

//! The state of a circuit breaker.

use std::time::Duration;

use legwork_core::Micros;

/// Whether requests pass, by the failures before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Circuit {
    /// They do; so many failed in a row.
    Closed { failures: u32 },
    /// They do not until then; after that, one may pass as a probe.
    Open { until: Micros },
    /// One is under way as a probe, and no other passes.
    HalfOpen,
}

/// As what a request passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Normal,
    Probe,
}

/// Why a request does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// It may be made after this time.
    For(Duration),
    /// A probe is under way.
    Probing,
}

/// What came of a request that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A failure that counts.
    Failed,
    /// The server answered.
    Answered,
    /// The request was left before its end.
    Left,
}

impl Circuit {
    pub(super) fn ask(&mut self, now: Micros) -> Result<Pass, Refused> {
        match *self {
            Self::Closed { .. } => Ok(Pass::Normal),
            Self::Open { until } if now < until => Err(Refused::For(until.since(now).into())),
            Self::Open { .. } => {
                *self = Self::HalfOpen;
                Ok(Pass::Probe)
            }
            Self::HalfOpen => Err(Refused::Probing),
        }
    }

    pub(super) fn note(&mut self, pass: Pass, outcome: Outcome, now: Micros, rule: &Rule) {
        let open = || Self::Open { until: now.plus(rule.open_for.into()) };
        *self = match (pass, outcome, *self) {
            (Pass::Probe, Outcome::Failed, _) => open(),
            (Pass::Probe, Outcome::Answered, _) => Self::Closed { failures: 0 },
            // The next one is the probe.
            (Pass::Probe, Outcome::Left, _) => Self::Open { until: now },
            (Pass::Normal, Outcome::Failed, Self::Closed { failures }) => {
                let failures = failures + 1;
                if failures >= rule.failures { open() } else { Self::Closed { failures } }
            }
            (Pass::Normal, Outcome::Answered, Self::Closed { .. }) => Self::Closed { failures: 0 },
            // One that passed before it opened says nothing about now.
            (Pass::Normal, _, same) => same,
        };
    }
}

/// When it opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) failures: u32,
    pub(super) open_for: Duration,
}

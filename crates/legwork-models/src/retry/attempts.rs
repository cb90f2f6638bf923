//! The failed attempts of one inference, and whether another one follows.

use std::fmt;
use std::time::Duration;

use legwork_core::Micros;
use legwork_core::inference::Response;
use legwork_port::model::Error;

use super::Policy;
use super::answered::Answered;

/// The failed attempts of one inference, and whether another one follows.
///
/// The time and the randomness come as arguments.
#[derive(Debug, Clone, Default)]
pub struct Attempts {
    failed: u32,
    broken: u32,
    /// When the first attempt failed.
    since: Option<Micros>,
}

/// How an attempt failed, as far as another one is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It may pass by itself; the server may ask for a wait.
    Passing(Option<Duration>),
    /// The answer broke off after it had begun.
    Broken,
    /// The same request fails again.
    Permanent,
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Make another attempt.
    Again {
        /// How long to wait before.
        wait: Duration,
        /// For how much longer attempts are repeated, the wait included.
        left: Duration,
    },
    /// Return the failure to the caller.
    GiveUp(GiveUp),
}

/// Why no further attempt is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The same request fails again.
    Permanent,
    /// There were as many attempts as the policy allows.
    Attempts,
    /// As many answers broke off as the policy allows.
    BrokenAnswers,
    /// The time for retries is used up.
    Time,
    /// The server asks for a wait that is longer than the time that is left.
    TooLong(Duration),
}

impl Attempts {
    /// The number of attempts that failed so far.
    pub fn failed(&self) -> u32 {
        self.failed
    }

    /// How long ago the first attempt failed.
    pub fn lasted(&self, now: Micros) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now.since(since).into())
    }

    /// Notes that an attempt failed, and decides whether another one follows.
    ///
    /// `chance` is a random number from 0 to 1 for the jitter. A `Retry-After` is the least
    /// that is waited: a server that asks for less than the backoff is not hurried.
    pub fn judge(
        &mut self,
        policy: &Policy,
        failure: Failure,
        now: Micros,
        chance: f64,
    ) -> Verdict {
        self.failed = self.failed.saturating_add(1);
        self.since.get_or_insert(now);
        let asked = match failure {
            Failure::Permanent => return Verdict::GiveUp(GiveUp::Permanent),
            Failure::Passing(asked) => asked.unwrap_or_default(),
            Failure::Broken => {
                self.broken = self.broken.saturating_add(1);
                Duration::ZERO
            }
        };
        let left = policy.time_limit.saturating_sub(self.lasted(now));
        if policy.max_retries.is_some_and(|most| self.failed > most) {
            return Verdict::GiveUp(GiveUp::Attempts);
        }
        if self.broken > policy.max_broken_answers {
            return Verdict::GiveUp(GiveUp::BrokenAnswers);
        }
        if left.is_zero() {
            return Verdict::GiveUp(GiveUp::Time);
        }
        if asked > left {
            return Verdict::GiveUp(GiveUp::TooLong(asked));
        }
        // The last attempt is made when the time is up, not before.
        let wait = policy.backoff(self.failed, chance).max(asked).min(left);
        Verdict::Again { wait, left }
    }
}

impl Failure {
    /// How an attempt failed that came to this; none if it did not fail.
    ///
    /// `shown` says whether pieces of the answer were shown.
    pub fn of(outcome: &Result<Response, Error>, shown: bool) -> Option<Self> {
        Self::of_attempt(outcome, shown)
    }

    pub(super) fn of_attempt(outcome: &Result<impl Answered, Error>, shown: bool) -> Option<Self> {
        match outcome {
            Ok(answer) => answer.broke_off().map(|_| Self::Broken),
            Err(error) if !error.is_retryable() => Some(Self::Permanent),
            Err(_) if shown => Some(Self::Broken),
            Err(error) => Some(Self::Passing(error.retry_after)),
        }
    }
}

/// Says it as the end of an error message does.
impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permanent => f.write_str("trying again does not help"),
            Self::Attempts => f.write_str("no more attempts are allowed"),
            Self::BrokenAnswers => f.write_str("the answer broke off each time"),
            Self::Time => f.write_str("the time for retries is used up"),
            Self::TooLong(asked) => {
                write!(f, "the server asks to wait {asked:?}, longer than retries may take")
            }
        }
    }
}

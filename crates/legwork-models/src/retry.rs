//! Whether a failed attempt is made again, and after which wait.
//!
//! Everything here is a pure function: the time, the randomness and what was
//! shown to the caller come as arguments.

use std::time::{Duration, SystemTime};

#[cfg(test)]
mod tests;

/// How often and how patiently an inference is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How many attempts follow the first one at most; 0 switches retries off.
    pub retries: u32,
    /// The wait before the first retry; it doubles with each further one.
    pub base: Duration,
    /// The longest wait that the doubling reaches.
    pub cap: Duration,
    /// The longest `Retry-After` that is obeyed; a longer one gives up.
    pub patience: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retries: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
            patience: Duration::from_secs(120),
        }
    }
}

impl Policy {
    /// The policy that tries once.
    pub fn never() -> Self {
        Self { retries: 0, ..Self::default() }
    }
}

/// What is known of a failure, as far as trying again is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// No whole answer came: connect, reset, timeout, a body cut short.
    Network,
    /// The provider answered with an error.
    Answer {
        /// The HTTP status, or what an error event in a stream stands for.
        status: u16,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// Whether waiting can help; a spent quota comes as 429 too.
        lasting: Lasting,
    },
    /// A mistake on this side, or an answer that nobody can read.
    Final,
}

/// Whether a failure heals by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// It may be gone in a while.
    Passing,
    /// The same request fails for ever, or until a person acts.
    Permanent,
}

/// Whether something of the failed answer was already handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Nobody saw anything of it.
    Nothing,
    /// Deltas were shown: a second answer would contradict them.
    Deltas,
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Try again after this wait.
    Again(Duration),
    /// Hand the failure on.
    GiveUp,
}

impl Failure {
    /// Whether another attempt may succeed where this one failed.
    ///
    /// True for 408, 429, every 5xx and for the network; false for all else.
    pub fn retryable(self) -> bool {
        match self {
            Self::Network => true,
            Self::Answer { lasting: Lasting::Permanent, .. } | Self::Final => false,
            Self::Answer { status, .. } => matches!(status, 408 | 429 | 500..=599),
        }
    }

    fn retry_after(self) -> Option<Duration> {
        match self {
            Self::Answer { retry_after, .. } => retry_after,
            Self::Network | Self::Final => None,
        }
    }
}

impl Policy {
    /// Judges the failure of attempt number `attempt`, the first being 0.
    ///
    /// `chance` is a random number from 0 to 1; the backoff takes between half
    /// and all of its wait by it. A `Retry-After` is taken at its word.
    pub fn judge(&self, attempt: u32, failure: Failure, shown: Shown, chance: f64) -> Verdict {
        if attempt >= self.retries || shown == Shown::Deltas || !failure.retryable() {
            return Verdict::GiveUp;
        }
        match failure.retry_after() {
            Some(wait) if wait > self.patience => Verdict::GiveUp,
            Some(wait) => Verdict::Again(wait),
            None => Verdict::Again(self.backoff(attempt, chance)),
        }
    }

    fn backoff(&self, attempt: u32, chance: f64) -> Duration {
        let doubled = 2u32.saturating_pow(attempt.min(31));
        let whole = self.base.saturating_mul(doubled).min(self.cap);
        whole.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0))
    }
}

/// Reads a `Retry-After` header: seconds (also fractions), or an HTTP date.
///
/// `now` is the wall time; a date that has passed is a wait of nothing.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads a `retry-after-ms` header, which some providers send for precision.
pub fn retry_after_ms(value: &str) -> Option<Duration> {
    let millis: f64 = value.trim().parse().ok()?;
    Duration::try_from_secs_f64(millis / 1000.0).ok()
}

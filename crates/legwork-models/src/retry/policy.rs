//! How often, how patiently and for how long a failed attempt is made again.

use std::time::Duration;

/// How often, how patiently and for how long a failed attempt is made again.
///
/// By default for two minutes after the first failure of an inference: the waits double
/// from half a second to half a minute, with jitter. What may pass by itself is tried
/// again: a network that fails, a server that cannot be reached or answers 408, 429 or 5xx,
/// and a stream that breaks off in the middle of an answer.
///
/// ```
/// use std::time::Duration;
/// use legwork_models::retry::Policy;
///
/// let patient = Policy::default().with_time_limit(Duration::from_secs(3600));
/// let brief = Policy::default().with_max_retries(2);
/// assert_ne!(patient, brief);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub(super) time_limit: Duration,
    pub(super) first_wait: Duration,
    pub(super) longest_wait: Duration,
    pub(super) max_retries: Option<u32>,
    pub(super) max_broken_answers: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(120),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            max_retries: None,
            max_broken_answers: 5,
        }
    }
}

impl Policy {
    /// The policy that makes one attempt.
    #[must_use]
    pub fn never() -> Self {
        Self::default().with_max_retries(0)
    }

    /// For how long after the first failure of an inference attempts are repeated; two
    /// minutes by default, nothing switches retries off.
    ///
    /// A server that asks for a wait that does not fit into what is left is not waited for.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// The wait before the first retry, 500 ms by default; it doubles with each further one.
    #[must_use]
    pub fn with_first_wait(self, first_wait: Duration) -> Self {
        Self { first_wait, ..self }
    }

    /// The longest wait that the doubling reaches, 30 s by default. A server may ask for a
    /// longer one.
    #[must_use]
    pub fn with_longest_wait(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
    }

    /// How many attempts follow the first one at most; as many as the time allows by default.
    #[must_use]
    pub fn with_max_retries(self, max_retries: u32) -> Self {
        Self { max_retries: Some(max_retries), ..self }
    }

    /// How many answers of an inference that broke off in the middle are asked for again at
    /// most, 5 by default: each of them costs what it came to.
    #[must_use]
    pub fn with_max_broken_answers(self, max_broken_answers: u32) -> Self {
        Self { max_broken_answers, ..self }
    }

    /// How long failed attempts are repeated.
    pub fn time_limit(&self) -> Duration {
        self.time_limit
    }

    /// The longest wait that the doubling reaches.
    pub fn longest_wait(&self) -> Duration {
        self.longest_wait
    }

    /// The wait after so many failed attempts, where the server asks for none.
    ///
    /// `chance` is a random number from 0 to 1; it takes between half of the wait and all.
    pub(super) fn backoff(&self, failed: u32, chance: f64) -> Duration {
        let doubled = 2u32.saturating_pow(failed.saturating_sub(1).min(31));
        let whole = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
        whole.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0))
    }
}

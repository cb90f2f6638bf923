//! How often a server is asked for a response, and how long.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Micros;
use legwork_port::model::Error;

use crate::http::Timeouts;
use crate::remote::HttpModel;
use crate::retry::{Attempts, Failure, Policy, Verdict};

/// The wait before a response is asked for the first time; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(15);

/// The shortest wait after a failure.
const SHORTEST: Duration = Duration::from_millis(250);

/// How long the server is asked for the last time, when the time of the answer is up.
const LAST: Duration = Duration::from_secs(10);

/// How often a server is asked for a response, and how long.
pub(super) struct Pace<'a> {
    model: &'a HttpModel,
    began: Micros,
    next: Duration,
    /// The attempts at asking that failed since one went well.
    failed: Attempts,
    /// Those of them at which the server did not have the response.
    missing: Attempts,
}

impl<'a> Pace<'a> {
    /// A pace that begins now, when the server has taken the request.
    pub(super) fn new(model: &'a HttpModel) -> Self {
        let (began, missing) = (model.clock.mono(), Attempts::default());
        Self { model, began, next: FIRST, failed: Attempts::default(), missing }
    }

    /// How much longer the response may take.
    fn left(&self) -> Duration {
        let passed = self.model.clock.mono().since(self.began);
        self.model.timeouts.answer.saturating_sub(passed.into())
    }

    /// Whether the response took as long as it may.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// How long a further exchange may take as a whole.
    pub(super) fn limit(&self) -> Duration {
        match self.left() {
            Duration::ZERO => LAST,
            left => left,
        }
    }

    /// The time limits within a further exchange, which [`limit`](Self::limit) bounds.
    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts { answer: Duration::MAX, ..self.model.timeouts }
    }

    /// Waits until the server is to be asked.
    pub(super) async fn pause(&mut self) {
        let wait = self.next.min(self.left());
        self.next = (self.next * 2).min(LONGEST);
        self.model.clock.sleep(wait).await;
    }

    /// Notes that the server could be asked.
    pub(super) fn note_success(&mut self) {
        (self.failed, self.missing) = (Attempts::default(), Attempts::default());
    }

    /// Waits after a failure; breaks if it does not help to ask again.
    ///
    /// What may pass is waited for as long as the response may take: it is still being made. Only
    /// a response that the server does not have is given up as the policy for retries says.
    pub(super) async fn after(&mut self, failure: Option<&Error>) -> ControlFlow<()> {
        if failure.is_some_and(|error| !may_pass(error)) {
            return ControlFlow::Break(());
        }
        let (left, now) = (self.left(), self.model.clock.mono());
        let (attempts, policy) = match failure.and_then(|error| error.status) {
            Some(404) => (&mut self.missing, self.model.retry.clone()),
            _ => (&mut self.failed, endless(&self.model.retry)),
        };
        let asked = failure.and_then(|error| error.retry_after).map(|asked| asked.min(left));
        match attempts.judge(&policy, Failure::Passing(asked), now, fastrand::f64()) {
            Verdict::GiveUp(_) => ControlFlow::Break(()),
            Verdict::Again { wait, .. } => {
                self.model.clock.sleep(wait.max(SHORTEST).min(left)).await;
                ControlFlow::Continue(())
            }
        }
    }
}

/// The same waits without an end.
fn endless(policy: &Policy) -> Policy {
    policy.clone().with_max_retries(u32::MAX).with_time_limit(Duration::MAX)
}

/// Whether asking for a response may succeed later.
pub(super) fn may_pass(error: &Error) -> bool {
    error.is_retryable() || matches!(error.status, Some(408 | 409 | 425 | 429))
}

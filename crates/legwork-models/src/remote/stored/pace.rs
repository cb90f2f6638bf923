//! How often a server is asked for a response, and how long.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Micros;
use legwork_port::model::Error;

use crate::http::Timeouts;
use crate::remote::HttpModel;
use crate::retry::{Attempts, Failure, GiveUp, Verdict};

/// The wait before a response is asked for the first time; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(15);

/// How often a server is asked for a response, and how long.
pub(super) struct Pace<'a> {
    model: &'a HttpModel,
    began: Micros,
    next: Duration,
    /// The attempts at asking that failed since one went well.
    failed: Attempts,
}

impl<'a> Pace<'a> {
    /// A pace that begins now, when the server has taken the request.
    pub(super) fn new(model: &'a HttpModel) -> Self {
        let began = model.clock.mono();
        Self { model, began, next: FIRST, failed: Attempts::default() }
    }

    /// How much longer the response may take.
    pub(super) fn left(&self) -> Duration {
        let passed = self.model.clock.mono().since(self.began);
        self.model.timeouts.answer.saturating_sub(passed.into())
    }

    /// The time limits of a further exchange.
    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts { answer: self.left(), ..self.model.timeouts }
    }

    /// Waits until the server is to be asked.
    pub(super) async fn pause(&mut self) {
        let wait = self.next.min(self.left());
        self.next = (self.next * 2).min(LONGEST);
        self.model.clock.sleep(wait).await;
    }

    /// Notes that the server could be asked.
    pub(super) fn note_success(&mut self) {
        self.failed = Attempts::default();
    }

    /// Waits after a failure, as the policy for retries says; it may say that none is made.
    pub(super) async fn after(&mut self, failure: Option<&Error>) -> ControlFlow<GiveUp> {
        let failure = match failure {
            Some(error) if !error.is_retryable() => Failure::Permanent,
            Some(error) => Failure::Passing(error.retry_after),
            None => Failure::Passing(None),
        };
        let now = self.model.clock.mono();
        match self.failed.judge(&self.model.retry, failure, now, fastrand::f64()) {
            Verdict::GiveUp(why) => ControlFlow::Break(why),
            Verdict::Again { wait, .. } => {
                self.model.clock.sleep(wait.min(self.left())).await;
                ControlFlow::Continue(())
            }
        }
    }
}

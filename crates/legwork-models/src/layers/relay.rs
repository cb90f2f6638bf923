//! The receiver of an inference's deltas, as a layer hands it on.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Response;
use legwork_port::model::{Delta, Deltas, Error, Retry};

/// Hands deltas on, and notes what the receiver got and said.
pub(super) struct Relay<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    /// Whether the receiver holds pieces that are not void.
    shown: bool,
    /// Whether the receiver ended the inference.
    stopped: bool,
    /// Failed attempts before the model that is asked now.
    failed: u32,
    /// How many of them may have cost money.
    charged: u32,
    /// Failed attempts that the model that is asked now reported.
    reported: u32,
    /// How often the model that is asked now may retry; none is as often as it wants.
    retries: Option<u32>,
}

impl<'d> Relay<'d> {
    pub(super) fn new(deltas: Option<&'d mut dyn Deltas>) -> Self {
        Self {
            deltas,
            shown: false,
            stopped: false,
            failed: 0,
            charged: 0,
            reported: 0,
            retries: None,
        }
    }

    /// How often the model that is asked next may retry; none is as often as it wants.
    pub(super) fn allow_retries(&mut self, retries: Option<u32>) {
        self.retries = retries;
    }

    /// Whether this is a retry that is not allowed.
    ///
    /// Once pieces were shown it is: no other model is asked then. A fallback inside asks its next
    /// model at once, with no time left for retries: that is none.
    fn cuts_short(&self, retry: &Retry<'_>) -> bool {
        let is_retry = !retry.left.is_zero() && !retry.discarded && !self.shown;
        is_retry && self.retries.is_some_and(|most| retry.attempt > most)
    }

    /// Whether what came is final: the receiver holds pieces of it, or ended the inference.
    pub(super) fn is_final(&self) -> bool {
        self.shown || self.stopped
    }

    /// Reports that the model that was asked failed, and that another one is asked at once.
    pub(super) fn next(&mut self, error: &str, cost: u32) -> ControlFlow<()> {
        let retry = Retry {
            attempt: self.failed + self.reported + 1,
            wait: Duration::ZERO,
            left: Duration::ZERO,
            error,
            discarded: self.shown,
            charged_attempts: self.charged + cost,
        };
        if let Some(deltas) = &mut self.deltas
            && deltas.retrying(retry).is_break()
        {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.failed = retry.attempt;
        self.charged += cost;
        self.reported = 0;
        self.shown = false;
        ControlFlow::Continue(())
    }

    /// What came, with what earlier attempts may have cost.
    pub(super) fn ended(&self, outcome: Result<Response, Error>) -> Result<Response, Error> {
        let charged = self.charged;
        match outcome {
            Ok(response) => {
                let charged_attempts = response.charged_attempts + charged;
                Ok(Response { charged_attempts, ..response })
            }
            Err(error) => {
                Err(Error { charged_attempts: error.charged_attempts + charged, ..error })
            }
        }
    }
}

impl Deltas for Relay<'_> {
    fn streams(&self) -> bool {
        self.deltas.as_ref().is_some_and(|deltas| deltas.streams())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self.shown = true;
        let Some(deltas) = &mut self.deltas else { return ControlFlow::Continue(()) };
        let flow = deltas.delta(delta);
        self.stopped |= flow.is_break();
        flow
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        if self.cuts_short(&retry) {
            return ControlFlow::Break(());
        }
        let retry = Retry {
            attempt: self.failed + retry.attempt,
            charged_attempts: self.charged + retry.charged_attempts,
            discarded: retry.discarded,
            ..retry
        };
        if let Some(deltas) = &mut self.deltas
            && deltas.retrying(retry).is_break()
        {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.reported = retry.attempt - self.failed;
        self.shown = false;
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.continuing())
    }
}

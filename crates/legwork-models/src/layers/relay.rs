//! The receiver of an inference's deltas, as a layer hands it on.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Response;
use legwork_core::inference::Discarded;
use legwork_port::model::{Delta, Deltas, Error, Retry};

/// Why another model is to be asked.
pub(super) struct Failure<'a> {
    pub(super) why: &'a str,
    /// How many attempts that may have cost money it was.
    pub(super) cost: u32,
    /// The answers among its attempts whose cost is known.
    pub(super) discarded: Vec<Discarded>,
}

/// Whether what an answer used is known: it is whole and says so.
pub(super) fn is_known(response: &Response) -> bool {
    response.usage.is_some() && response.incomplete.is_none()
}

/// Hands deltas on, and notes what the receiver got and said.
pub(super) struct Relay<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    /// Whether the receiver holds pieces that are not void.
    shown: bool,
    /// Whether the receiver ended the inference.
    stopped: bool,
    /// Failed attempts before the model that is asked now.
    failed: u32,
    /// How many of them may have cost money, but for those whose cost is known.
    charged: u32,
    /// The answers among them whose cost is known.
    discarded: Vec<Discarded>,
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
            discarded: Vec::new(),
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
    ///
    /// Until all is over, an answer that is discarded counts as a failed attempt, for which as much
    /// is held as for another one.
    pub(super) fn next(&mut self, failed: Failure<'_>) -> ControlFlow<()> {
        let Failure { why: error, cost, discarded } = failed;
        let paid = u32::try_from(discarded.len()).unwrap_or(u32::MAX);
        let retry = Retry {
            attempt: self.failed + self.reported + 1,
            wait: Duration::ZERO,
            left: Duration::ZERO,
            error,
            discarded: self.shown,
            charged_attempts: self.before().saturating_add(paid).saturating_add(cost),
        };
        if let Some(deltas) = &mut self.deltas
            && deltas.retrying(retry).is_break()
        {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.failed = retry.attempt;
        self.charged += cost;
        self.discarded.extend(discarded);
        self.reported = 0;
        self.shown = false;
        ControlFlow::Continue(())
    }

    /// What came, with what earlier attempts may have cost.
    pub(super) fn ended(&self, outcome: Result<Response, Error>) -> Result<Response, Error> {
        match outcome {
            Ok(response) => {
                let charged_attempts = response.charged_attempts + self.charged;
                let discarded = self.discarded.iter().chain(&response.discarded);
                let discarded = discarded.cloned().collect();
                Ok(Response { charged_attempts, discarded, ..response })
            }
            Err(error) => {
                let charged_attempts = error.charged_attempts + self.before();
                Err(Error { charged_attempts, ..error })
            }
        }
    }

    /// An answer that was discarded and is returned after all, because the last model failed.
    ///
    /// It is charged by itself, and so no longer among those before it.
    pub(super) fn after_all(&self, response: Response, last: &Error) -> Response {
        let charged = self.charged.saturating_add(last.charged_attempts);
        // No answer was discarded after it.
        let (charged_attempts, others) = match is_known(&response) {
            true => (charged, self.discarded.len().saturating_sub(1)),
            false => (charged.saturating_sub(1), self.discarded.len()),
        };
        let discarded = self.discarded.iter().take(others).cloned().collect();
        Response { charged_attempts, discarded, ..response }
    }

    /// Failed attempts before the model that is asked now that may have cost money, whether it is
    /// known what they cost or not.
    fn before(&self) -> u32 {
        let discarded = u32::try_from(self.discarded.len()).unwrap_or(u32::MAX);
        self.charged.saturating_add(discarded)
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
            charged_attempts: self.before() + retry.charged_attempts,
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

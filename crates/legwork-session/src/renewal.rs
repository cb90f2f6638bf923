//! Renewing a claim while work is done under it.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use legwork_core::Micros;
use legwork_port::store::{self, Claim};
use legwork_port::{Clock, Emitter};
use tracing::warn;

/// Renews a claim while work is done under it, if its store wants that.
pub struct Renewal {
    clock: Arc<dyn Clock>,
    events: Emitter,
    /// When the claim was taken, or renewed last.
    last: Mutex<Micros>,
    /// Whether a renewal was refused: there is none any more.
    lost: AtomicBool,
}

impl Renewal {
    /// For a claim that was just taken.
    pub fn new(clock: Arc<dyn Clock>, events: Emitter) -> Self {
        let last = Mutex::new(clock.mono());
        Self { clock, events, last, lost: AtomicBool::new(false) }
    }

    /// What comes of some work. It is dropped when the claim was lost: what it would do
    /// could not be journaled.
    ///
    /// # Errors
    /// When the claim was lost.
    pub async fn during<T>(
        &self,
        claim: &dyn Claim,
        work: impl Future<Output = T>,
    ) -> Result<T, store::Error> {
        let Some(every) = claim.renew_every() else { return Ok(work.await) };
        if self.lost.load(Ordering::Relaxed) {
            // It says once more how it was lost, before anything is done.
            claim.renew().await?;
        }
        // Renewed first: work that is always ready must not let the claim expire.
        match select(pin!(self.until_lost(claim, every)), pin!(work)).await {
            Either::Left((lost, _)) => Err(lost),
            Either::Right((done, _)) => Ok(done),
        }
    }

    /// What comes of some work that journals nothing: it goes on when the claim was lost.
    pub async fn beside<T>(&self, claim: &dyn Claim, work: impl Future<Output = T>) -> T {
        match claim.renew_every() {
            Some(every) if !self.lost.load(Ordering::Relaxed) => {
                match select(pin!(self.until_lost(claim, every)), pin!(work)).await {
                    Either::Left((_, work)) => work.await,
                    Either::Right((done, _)) => done,
                }
            }
            _ => work.await,
        }
    }

    /// Renews the claim now, if its store wants that.
    ///
    /// # Errors
    /// When the claim was lost, or the store failed.
    pub async fn now(&self, claim: &dyn Claim) -> Result<(), store::Error> {
        if claim.renew_every().is_none() {
            return Ok(());
        }
        let asked = self.clock.mono();
        let renewed = claim.renew().await;
        match &renewed {
            Ok(()) => self.renewed(asked),
            Err(store::Error::Lost { .. }) => self.lost.store(true, Ordering::Relaxed),
            Err(_) => {}
        }
        renewed
    }

    /// Renews the claim again and again; gives why it was lost.
    async fn until_lost(&self, claim: &dyn Claim, every: Duration) -> store::Error {
        loop {
            let passed: Duration = self.clock.mono().since(self.last()).into();
            if let Some(left) = every.checked_sub(passed).filter(|left| !left.is_zero()) {
                self.clock.sleep(left).await;
            }
            // The lease counts from when it was asked for. One that failed is tried again in time:
            // a lease is longer than that.
            let asked = self.clock.mono();
            match self.now(claim).await {
                Err(error @ store::Error::Lost { .. }) => return error,
                Err(error) => {
                    warn!("claim not renewed");
                    self.warn(&error);
                    self.renewed(asked);
                }
                Ok(()) => {}
            }
        }
    }

    fn renewed(&self, asked: Micros) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = asked;
    }

    fn last(&self) -> Micros {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn(&self, error: &store::Error) {
        self.events.warn(|| format!("the claim was not renewed: {error}"));
    }
}

//! The sessions of a store, and what it takes to work with them.

use std::sync::Arc;

use legwork_core::{Mask, SessionId};
use legwork_port::{Claim, Clock, Emitter, Observer, Origin, Store, store};

use crate::deliveries::Deliveries;
use crate::error::Error;
use crate::masked::Masked;
use crate::observers::Observers;

/// The sessions of a store.
pub struct Sessions {
    /// Where they live.
    pub store: Arc<dyn Store>,
    /// Whether the store keeps sessions after a run, so that one that is not there is unknown.
    pub keeps: bool,
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Notified of all that happens in them, in this order.
    pub observers: Vec<Arc<dyn Observer>>,
    /// Secrets that are masked in all that is written or shown.
    pub mask: Mask,
    /// What is being delivered to them.
    pub deliveries: Deliveries,
}

impl Sessions {
    /// Those of a store that keeps them.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        observers: Vec<Arc<dyn Observer>>,
        mask: Mask,
    ) -> Self {
        Self { store, keeps: true, clock, observers, mask, deliveries: Deliveries::default() }
    }

    /// The same for a store that forgets a session when its claim is given back.
    #[must_use]
    pub fn forgetting(self) -> Self {
        Self { keeps: false, ..self }
    }

    /// The error for a session of which the store has nothing.
    pub fn no_session(&self, session: &SessionId) -> Error {
        match self.keeps {
            true => Error::Unknown(session.clone()),
            false => Error::NoStore(session.clone()),
        }
    }

    /// Sends the events of a session to these observers, with secrets masked.
    ///
    /// The observers of all sessions come first.
    pub fn events(
        &self,
        origin: Arc<Origin>,
        observers: impl IntoIterator<Item = Arc<dyn Observer>>,
    ) -> Emitter {
        let all = self.observers.iter().cloned().chain(observers);
        Emitter::new(origin, Masked::by(&self.mask, Arc::new(Observers::new(all))))
    }

    /// The claim of a session, or none while it is held.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn claim(&self, session: &SessionId) -> Result<Option<Box<dyn Claim>>, Error> {
        match self.store.claim(session).await {
            Ok(claim) => Ok(Some(claim)),
            Err(store::Error::Held { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The claim of a session for a run. If this process holds it only to deliver something, the
    /// run waits for that.
    ///
    /// # Errors
    /// When it is held, or the store cannot be used.
    pub async fn claim_to_run(&self, session: &SessionId) -> Result<Box<dyn Claim>, Error> {
        loop {
            let before = self.deliveries.count();
            match self.store.claim(session).await {
                Err(error @ store::Error::Held { .. }) => {
                    if !self.deliveries.ended(session, before).await {
                        return Err(error.into());
                    }
                }
                claim => return Ok(claim?),
            }
        }
    }

    /// Gives back a claim under which nothing runs. What goes wrong with that is a warning for
    /// observers: what was committed stands all the same.
    pub async fn release(&self, claim: Box<dyn Claim>, session: &SessionId) {
        let origin = Arc::new(Origin::root(session.clone()));
        release(claim, &self.events(origin, [])).await;
    }
}

/// Gives a claim back. What goes wrong with that is a warning for observers.
pub(crate) async fn release(claim: Box<dyn Claim>, events: &Emitter) {
    if let Err(error) = claim.release().await {
        events.warn(|| format!("the claim was not given back: {error}"));
    }
}

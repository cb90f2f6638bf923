//! A session to which a tape is replayed: each event folded, each append made, nothing else.

use std::sync::Arc;

use legwork::core::{AgentState, Event, SessionId, Stamp};
use legwork::port::{Emitter, Store};
use legwork_session::{NewItems, Writer};

use crate::{error::Error, subject::legwork::fail};

/// A claimed session, its state, and the writer that runs use.
pub(crate) struct Replay {
    /// None only while it is changed.
    state: Option<AgentState>,
    writer: Writer,
}

impl Replay {
    /// Claims a new session.
    pub(crate) async fn begin(store: &Arc<dyn Store>, session: &str) -> Result<Self, Error> {
        Self::resume(store, AgentState::new(SessionId::from(session))).await
    }

    /// Claims a session whose state is known.
    pub(crate) async fn resume(store: &Arc<dyn Store>, state: AgentState) -> Result<Self, Error> {
        let session = state.session().clone();
        let claim = store.claim(&session).await.map_err(fail)?;
        let (store, claim) = (Arc::clone(store), Arc::new(claim));
        let (events, kept) = (Emitter::none(session), Default::default());
        Ok(Self { state: Some(state), writer: Writer { store, claim, events, kept } })
    }

    /// Folds and appends the events of a step.
    pub(crate) async fn step(&mut self, step: Vec<Vec<(Stamp, Event)>>) -> Result<(), Error> {
        for batch in step {
            for (stamp, event) in batch {
                self.change(|state| state.at(stamp).with(event));
            }
            let Some(state) = &self.state else { continue };
            let committed = self.writer.commit(state, None, NewItems::First).await;
            committed.map_err(fail)?;
            self.change(AgentState::committed);
        }
        Ok(())
    }

    /// Changes the state, of which no copy is made.
    fn change(&mut self, change: impl FnOnce(AgentState) -> AgentState) {
        self.state = self.state.take().map(change);
    }

    /// Gives the claim back.
    pub(crate) async fn end(self) -> AgentState {
        let session = self.writer.events.origin().session.clone();
        self.writer.release().await;
        self.state.unwrap_or_else(|| AgentState::new(session))
    }
}

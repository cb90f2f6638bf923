//! The one place that appends to the journal.

use std::sync::Arc;

use legwork_core::AgentState;
use legwork_port::store::Claim;
use legwork_port::{Observer, Origin, Store};

use crate::error::Halt;

pub(crate) struct Writer {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) claim: Box<dyn Claim>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) origin: Arc<Origin>,
}

impl Writer {
    /// Appends what is uncommitted; the news is told only after it is durable.
    pub(crate) async fn commit(&self, state: AgentState) -> Result<AgentState, Halt> {
        let entries = Arc::clone(state.uncommitted());
        if entries.is_empty() {
            return Ok(state);
        }
        if let Err(error) = self.claim.append(state.committed_version(), &entries).await {
            return Err(Halt::new(state, error));
        }
        if self.observer.listens() {
            self.observer.committed(&self.origin, &entries);
        }
        drop(entries);
        Ok(state.committed())
    }
}

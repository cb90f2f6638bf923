//! The one place that appends to the journal.

use std::sync::Arc;

use legwork_core::{AgentState, Entry, Seq};
use legwork_port::store::{self, Claim};
use legwork_port::{Observer, Origin, Store};

use crate::error::Halt;
use crate::kept::{Kept, Landed};

pub(crate) struct Writer {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) claim: Arc<dyn Claim>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) kept: Kept,
}

impl Writer {
    /// Appends what is uncommitted; the news is told only after it is durable.
    pub(crate) async fn commit(&self, state: AgentState) -> Result<AgentState, Halt> {
        let entries = state.uncommitted().to_shared();
        if entries.is_empty() {
            return Ok(state);
        }
        let entries = match self.append(&state, entries).await {
            Ok(entries) => entries,
            Err(error) => return Err(Halt::new(state, error)),
        };
        self.tell(&entries);
        drop(entries);
        Ok(state.committed())
    }

    /// Appends what is uncommitted, behind an append that is still under way: a driver may
    /// have dropped its commit. What that wrote of the state is not written again.
    async fn append(
        &self,
        state: &AgentState,
        mut entries: Arc<Vec<Arc<Entry>>>,
    ) -> Result<Arc<Vec<Arc<Entry>>>, store::Error> {
        let mut expected = state.committed_version();
        if let Some(landed) = self.land().await? {
            let before = landed.state.uncommitted();
            if before.iter().eq(entries.iter().take(before.len())) {
                expected = landed.state.version();
                entries = Arc::new(entries.iter().skip(before.len()).cloned().collect());
            }
        }
        if !entries.is_empty() {
            self.kept.append(&self.claim, (expected, Arc::clone(&entries)), state).await?;
        }
        Ok(entries)
    }

    /// The state as the journal has it; none if it has nothing, or cannot be read.
    pub(crate) async fn journaled(&self) -> Option<AgentState> {
        let journal = self.store.read(&self.origin.session).await.ok()?.journal;
        (journal.version() != Seq::ZERO).then(|| journal.fold(&self.origin.session))
    }

    /// Waits for an append that was under way when its step was dropped.
    pub(crate) async fn land(&self) -> Result<Option<Landed>, store::Error> {
        let landed = self.kept.land().await?;
        if let Some(landed) = &landed {
            self.tell(&landed.state.uncommitted().to_shared());
        }
        Ok(landed)
    }

    fn tell(&self, entries: &[Arc<Entry>]) {
        if self.observer.listens() {
            self.observer.committed(&self.origin, entries);
        }
    }
}

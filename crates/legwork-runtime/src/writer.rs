//! The one place that appends to the journal.

use std::sync::Arc;

use legwork_core::{AgentState, Entry, Seq, SessionId};
use legwork_port::event::Committed as Durable;
use legwork_port::store::{self, Claim, Range};
use legwork_port::{Emitter, EventKind, Store};

use crate::error::Halt;
use crate::kept::{Append, Kept, Landed, NewItems};

pub(crate) struct Writer {
    pub(crate) store: Arc<dyn Store>,
    /// Shared with an append that is under way, and with nothing else.
    pub(crate) claim: Arc<Box<dyn Claim>>,
    pub(crate) events: Emitter,
    pub(crate) kept: Kept,
}

/// What came of a commit that items in the inbox may prevent.
pub(crate) enum Committed {
    /// It is durable.
    Done(AgentState),
    /// Nothing was written: the inbox has items that were not taken up.
    NewItems,
}

impl Writer {
    /// Appends what is uncommitted; observers are notified once it is durable.
    pub(crate) async fn commit(&self, state: AgentState) -> Result<AgentState, Halt> {
        match self.commit_with(&state, NewItems::Wait).await {
            Ok(()) => Ok(state.committed()),
            Err(error) => Err(Halt::new(state, error)),
        }
    }

    /// The same, unless the inbox has items that the state has not taken up.
    pub(crate) async fn commit_unless_new_items(
        &self,
        state: AgentState,
    ) -> Result<Committed, Halt> {
        match self.commit_with(&state, NewItems::First).await {
            Ok(()) => Ok(Committed::Done(state.committed())),
            Err(error) if error.is_new_items() => Ok(Committed::NewItems),
            Err(error) => Err(Halt::new(state, error)),
        }
    }

    async fn commit_with(&self, state: &AgentState, items: NewItems) -> Result<(), store::Error> {
        let entries = state.uncommitted().to_shared();
        if !entries.is_empty() {
            let entries = self.append(state, entries, items).await?;
            self.emit(state, &entries);
        }
        Ok(())
    }

    /// Appends what is uncommitted, behind an append that is still under way: a driver may
    /// have dropped its commit. What that wrote of the state is not written again.
    async fn append(
        &self,
        state: &AgentState,
        mut entries: Arc<Vec<Arc<Entry>>>,
        items: NewItems,
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
            let append = Append { expected, entries: Arc::clone(&entries), items };
            self.kept.append(&self.claim, append, state).await?;
        }
        Ok(entries)
    }

    /// The state as the journal has it; none if it has nothing, or cannot be read.
    pub(crate) async fn journaled(&self) -> Option<AgentState> {
        let journal = self.store.read(self.session(), Range::ALL).await.ok()?.journal;
        (journal.version() != Seq::ZERO).then(|| journal.fold(self.session()))
    }

    /// Waits for an append that was under way when its step was dropped; none if nothing was
    /// written.
    pub(crate) async fn land(&self) -> Result<Option<Landed>, store::Error> {
        let landed = match self.kept.land().await {
            Err(error) if error.is_new_items() => None,
            landed => landed?,
        };
        if let Some(landed) = &landed {
            self.emit(&landed.state, &landed.state.uncommitted().to_shared());
        }
        Ok(landed)
    }

    /// Gives the claim back. What goes wrong with that is told as a warning: what was
    /// committed stands all the same.
    pub(crate) async fn release(self) {
        let Self { claim, events, kept, .. } = self;
        // An append that is still under way holds the claim, too.
        drop(kept);
        if let Some(claim) = Arc::into_inner(claim) {
            release(claim, &events).await;
        }
    }

    fn session(&self) -> &SessionId {
        &self.events.origin().session
    }

    fn emit(&self, state: &AgentState, entries: &[Arc<Entry>]) {
        self.events.emit(|| {
            EventKind::Committed(Durable {
                entries: entries.to_vec(),
                charged: entries.iter().map(|entry| entry.event.charged()).collect(),
                ledger: state.ledger().clone(),
            })
        });
        if self.events.listens() {
            let events = entries.iter().filter_map(|entry| EventKind::of_entry(entry));
            events.for_each(|kind| self.events.emit(|| kind));
        }
    }
}

/// Gives a claim back. What goes wrong with that is told as a warning.
pub(crate) async fn release(claim: Box<dyn Claim>, events: &Emitter) {
    if let Err(error) = claim.release().await {
        events.warn(|| format!("the claim was not given back: {error}"));
    }
}

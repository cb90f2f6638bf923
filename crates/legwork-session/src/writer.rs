//! The one place that appends to the journal.

use std::sync::Arc;

use legwork_core::state::NextEntry;
use legwork_core::{AgentState, Entry, Seq, SessionId};
use legwork_port::event::Committed as Durable;
use legwork_port::store::{self, Claim, Range};
use legwork_port::{Emitter, EventKind, Store};
use tracing::trace;

use crate::kept::{Append, Kept, Landed, NewItems};
use crate::sessions::release;

/// Appends to the journal of one session, under its claim.
pub struct Writer {
    /// Where the journal is.
    pub store: Arc<dyn Store>,
    /// Shared with an append that is under way, and with nothing else.
    pub claim: Arc<Box<dyn Claim>>,
    /// Notified of what became durable.
    pub events: Emitter,
    /// What was committed of a step that may be dropped.
    pub kept: Kept,
}

impl Writer {
    /// Appends what is uncommitted; observers are notified once it is durable.
    ///
    /// It comes behind an append that is still under way: a driver may have dropped its commit.
    /// What that wrote of the state is not written again.
    ///
    /// `next` is an entry to be appended behind it, which [`AgentState::next_entry`] made of the
    /// state. Where nothing is written for new items in the inbox, that entry never was, and the
    /// state is as it is.
    pub async fn commit(
        &self,
        state: &AgentState,
        next: Option<&NextEntry>,
        items: NewItems,
    ) -> Result<(), store::Error> {
        let uncommitted = state.uncommitted();
        let mut entries = match next {
            None => uncommitted.to_shared(),
            Some(next) => Arc::new(uncommitted.iter().chain([next.entry()]).cloned().collect()),
        };
        if entries.is_empty() {
            return Ok(());
        }
        let mut expected = state.committed_version();
        if let Some(landed) = self.land().await? {
            let landed = landed.state();
            let before = landed.uncommitted();
            if before.iter().eq(entries.iter().take(before.len())) {
                expected = landed.version();
                entries = Arc::new(entries.iter().skip(before.len()).cloned().collect());
            }
        }
        if !entries.is_empty() {
            let (shared, last) = (Arc::clone(&entries), next.cloned());
            let append = Append { expected, entries: shared, next: last, items };
            self.kept.begin_append(&self.claim, append, state);
            self.kept.land().await?;
            let version = entries.last().map_or(0, |last| last.seq.0);
            trace!(entries = entries.len(), version, "committed");
            if self.events.listens() {
                let durable = next.cloned().into_iter().fold(state.clone(), AgentState::with_next);
                self.emit(&durable, &entries);
            }
        }
        Ok(())
    }

    /// The state as the journal has it; none if it has nothing, or cannot be read.
    pub async fn journaled(&self) -> Option<AgentState> {
        let journal = self.store.read(self.session(), Range::ALL).await.ok()?.journal;
        (journal.version() != Seq::ZERO).then(|| journal.fold(self.session()))
    }

    /// Waits for an append that was under way when its step was dropped; none if nothing was
    /// written.
    pub async fn land(&self) -> Result<Option<Landed>, store::Error> {
        let landed = match self.kept.land().await {
            Err(error) if error.is_new_items() => None,
            landed => landed?,
        };
        if let Some(state) = landed.as_ref().map(Landed::state) {
            self.emit(&state, &state.uncommitted().to_shared());
        }
        Ok(landed)
    }

    /// Gives the claim back. What goes wrong with that is sent as a warning: what was
    /// committed stands all the same.
    pub async fn release(self) {
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
            let events = entries.iter().filter_map(|entry| EventKind::of_entry(entry, state));
            events.for_each(|kind| self.events.emit(|| kind));
        }
    }
}

//! What a person asks for between steps: a compaction, a branch with a summary.

use std::collections::BTreeSet;

use legwork_context::compaction::Cannot;
use legwork_core::state::Input;
use legwork_core::{AgentState, ModelRequest, Seq};
use legwork_port::store::Range;
use legwork_session::inbox::moved;

use super::Active;
use crate::driver::{held, infer_auxiliary, prepare};
use crate::error::{Error, Halt, HaltReason};

impl Active {
    /// Compacts the conversation.
    pub(super) async fn compact(&mut self, focus: Option<String>) -> Result<AgentState, Error> {
        let (state, request) = self.would_send().await?;
        let compacted = |state: &AgentState| state.context().compaction.clone();
        let (before, profile) = (compacted(&state), self.cx.profile(&state));
        let proposed = self.cx.conversation().manual(&state, profile, focus)?;
        let state = prepare(proposed, &request, state, &self.cx).await?;
        match compacted(&state) == before {
            true => Err(self.not_done()),
            false => Ok(state),
        }
    }

    /// Moves the head to an entry between steps, with a summary there of the path that is left.
    pub(super) async fn branch(&mut self, to: Seq) -> Result<AgentState, Error> {
        let (state, request) = self.would_send().await?;
        // What it refuses costs nothing.
        let events = state.decide(Input::MoveHead(to))?;
        let read = self.cx.writer.store.read(state.session(), Range::ALL).await?;
        let journal = read.writable(state.session())?.journal;
        moved(&state, to, events.clone(), &journal)?;
        let seqs = |head| journal.path(head).iter().map(|entry| entry.seq).collect::<BTreeSet<_>>();
        let common = seqs(to).intersection(&seqs(state.head())).max().copied();
        let profile = self.cx.profile(&state);
        let common = common.unwrap_or_default();
        let asks = self.cx.conversation().leaving(&state, &request, profile, common)?;
        let (state, summary) = infer_auxiliary(*asks, state, &self.cx).await?;
        if summary.is_empty() {
            self.state = self.cx.commit(state).await?;
            return Err(self.not_done());
        }
        let moved = moved(&state, to, events, &journal)?;
        Ok(self.cx.commit(summary.into_iter().fold(moved, AgentState::with)).await?)
    }

    /// The state between two steps, and the request that it would be asked with.
    async fn would_send(&mut self) -> Result<(AgentState, ModelRequest), Error> {
        let state = self.state.clone();
        if state.version() == Seq::ZERO {
            return Err(self.cx.services.sessions.no_session(state.session()).into());
        }
        let state = self.cx.commit(self.define(state)).await?;
        self.state = state.clone();
        self.open_tools().await;
        let Some(shown) = self.cx.unless_raised(self.cx.toolbox().to_show(&state)).await else {
            return Err(Halt::new(state, HaltReason::Interrupted).into());
        };
        let shown = shown.map_err(Error::NotDone)?;
        let request = held(|| self.setup.driver.request(&state, &self.cx, &shown));
        Ok((state, request.map_err(|error| Error::NotDone(error.message))?))
    }

    /// Why it was not done: what was said of it.
    fn not_done(&self) -> Error {
        if self.cx.control.is_raised() {
            return Halt::new(self.state.clone(), HaltReason::Interrupted).into();
        }
        match self.cx.conversation().warnings() {
            said if said.is_empty() => Error::Context(Cannot::NoSummary),
            said => Error::NotDone(said.join("; ")),
        }
    }
}

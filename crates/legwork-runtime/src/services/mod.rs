//! What all runs of an agent share, and the seam through which calls run other agents.

mod deliveries;
mod subagents;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::continuation::End;
use legwork_core::tool::ExecutionMode;
use legwork_core::{Criterion, Mask, SessionId};
use legwork_port::{Claim, Clock, Core, Deps, Emitter, Ids, Model, Observer, Origin, Store};

use crate::error::Error;
use crate::result::{Run, Unfinished};
use legwork_lifecycle::Composite;
use legwork_toolset::Toolsets;

pub use deliveries::{Deliveries, UnderWay};
pub use subagents::{Ancestry, Caller, SubagentCall, Subagents, TurnSubagents};

/// What all runs of an agent share. It is checked and composed by whoever builds agents.
pub struct Services {
    /// The models that a state may name, by name.
    pub models: BTreeMap<String, Arc<dyn Model>>,
    /// The tools.
    pub toolsets: Arc<Toolsets>,
    /// Runs calls that spawn subagents.
    pub subagents: Arc<dyn Subagents>,
    /// What votes on going on, beside the votes of hooks.
    pub criteria: Vec<Arc<dyn Criterion>>,
    /// Decides whether an execution goes on, and records its steps and its end.
    pub core: Arc<dyn Core>,
    /// Hooks and other lifecycles, called after Core.
    pub lifecycle: Composite,
    /// Where sessions live.
    pub store: Arc<dyn Store>,
    /// Whether the store keeps sessions after a run, so that one that is not there is unknown.
    pub keeps: bool,
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where names of new sessions come from.
    pub ids: Arc<dyn Ids>,
    /// Notified of every run.
    pub observer: Arc<dyn Observer>,
    /// How the calls of a turn run beside each other.
    pub concurrency: Concurrency,
    /// What tools and hooks find by type.
    pub deps: Deps,
    /// Secrets that are masked in all that is written or shown.
    pub mask: Mask,
    /// What is being delivered to sessions.
    pub deliveries: Deliveries,
}

/// How the calls of a turn run beside each other.
#[derive(Debug, Clone, Copy)]
pub struct Concurrency {
    /// How many calls run at once, at most.
    pub limit: usize,
    /// The mode of calls whose tool is not `Sequential`.
    pub mode: ExecutionMode,
}

impl Default for Concurrency {
    fn default() -> Self {
        Self { limit: 16, mode: ExecutionMode::ParallelOrdered }
    }
}

impl Services {
    /// The error for a session of which the store has nothing.
    pub fn no_session(&self, session: &SessionId) -> Error {
        match self.keeps {
            true => Error::UnknownSession(session.clone()),
            false => Error::NoStore(session.clone()),
        }
    }

    /// Gives back a claim under which nothing runs. What goes wrong with that is a warning for
    /// observers: what was committed stands all the same.
    pub async fn release(&self, claim: Box<dyn Claim>, session: &SessionId) {
        let origin = Arc::new(Origin::root(session.clone()));
        release(claim, &Emitter::new(origin, Arc::clone(&self.observer))).await;
    }

    /// A run that completed; of another one the error that says why, and how to go on.
    ///
    /// # Errors
    /// [`Error::Unfinished`].
    pub fn completed(&self, run: Run) -> Result<Run, Error> {
        match run.end() {
            End::Completed => Ok(run),
            _ => Err(Error::Unfinished(Box::new(Unfinished { run, is_kept: self.keeps }))),
        }
    }
}

/// Gives a claim back. What goes wrong with that is a warning for observers.
pub(crate) async fn release(claim: Box<dyn Claim>, events: &Emitter) {
    if let Err(error) = claim.release().await {
        events.warn(|| format!("the claim was not given back: {error}"));
    }
}

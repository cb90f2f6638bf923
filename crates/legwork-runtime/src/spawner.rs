//! The seam through which calls run other agents.

use std::sync::Arc;

use legwork_core::event::ParentLink;
use legwork_core::{Budget, OnDoubt, SessionId, ToolCall};
use legwork_port::{BoxFuture, Observer, Origin};

use crate::account::SharedBudget;
use crate::control::Control;
use crate::error::Error;
use crate::result::Run;

/// The subagents of an agent, by the calls that ask for them.
pub trait Spawner: Send + Sync {
    /// The subagent that a call asks for; none if it names none.
    fn find(&self, call: &ToolCall) -> Option<Arc<dyn Spawn>>;
}

/// A subagent that a call asks for.
pub trait Spawn: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Its own limits. They are held in the parent's ledger before it begins.
    fn limits(&self) -> Budget;

    /// Runs it in its session: from its beginning, or from where that stands.
    ///
    /// The future is not dropped when the run is cancelled or interrupted: the control is
    /// the subagent's too, and it ends in good order.
    ///
    /// # Errors
    /// Why it could not run; what goes wrong in it is in its state.
    fn run(&self, spawned: Spawned) -> BoxFuture<'_, Result<Run, Error>>;
}

/// What a subagent runs with.
pub struct Spawned {
    /// Its session.
    pub session: SessionId,
    /// The limits that it was granted.
    pub granted: Budget,
    /// Its place below the agent whose call it is.
    pub ancestry: Ancestry,
    /// How it is cancelled or interrupted.
    pub control: Control,
    /// Notified of its run; none if nobody listens.
    pub observer: Option<Arc<dyn Observer>>,
    /// What its parent does about calls in doubt, where that was said.
    pub on_doubt: Option<OnDoubt>,
}

/// The place of an execution in a tree of agents.
pub struct Ancestry {
    /// The way from the root.
    pub origin: Arc<Origin>,
    /// The call that it works for; none for a root.
    pub parent: Option<ParentLink>,
    /// What the agents above it leave; none for a root.
    pub share: Option<SharedBudget>,
}

impl Ancestry {
    /// The root of a tree.
    pub fn root(session: SessionId) -> Self {
        Self { origin: Arc::new(Origin::root(session)), parent: None, share: None }
    }
}

//! The seam through which calls run other agents.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::ParentLink;
use legwork_core::{AgentState, SessionId, ToolCall, ToolOutcome};
use legwork_port::{BoxFuture, Emitter, Origin, ToolContext, store};

use super::Services;
use crate::control::Control;
use crate::wait_policy::WaitPolicy;
use legwork_account::{ReservedCalls, SharedBudget};

/// The run that makes a call, as far as a subagent needs it.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// What all runs of the agent share.
    pub services: &'a Arc<Services>,
    /// How the run is cancelled or interrupted.
    pub control: &'a Control,
    /// Where its events go.
    pub events: &'a Emitter,
    /// What it does where it would have to wait.
    pub waits: WaitPolicy,
    /// What the agents above leave to it; none for a root.
    pub shared_budget: Option<&'a SharedBudget>,
    pub(crate) held_calls: &'a ReservedCalls,
}

impl Caller<'_> {
    /// The calls of the turn that are held in the accounts above are charged elsewhere from
    /// now on.
    pub fn release_held_calls(&self) {
        self.held_calls.keep(0);
    }
}

/// Runs the calls of an agent whose tool runs in a child session
/// ([`RunsIn::OwnSession`](legwork_core::tool::RunsIn)).
pub trait Subagents: Send + Sync {
    /// Opens the account that the subagents of a turn use.
    ///
    /// When it returns, the `fresh` calls of the turn, those that have not begun, are charged
    /// there, and no longer held ([`Caller::release_held_calls`]); what subagents used that
    /// began under another run is known.
    ///
    /// # Errors
    /// When the session of one that began cannot be read.
    fn begin_turn<'a>(
        &'a self,
        state: &'a AgentState,
        caller: Caller<'a>,
        fresh: usize,
    ) -> BoxFuture<'a, Result<Box<dyn TurnSubagents>, store::Error>>;

    /// Ends the session of a subagent that no run continues with as cancelled, and those below
    /// it, unless it has ended or is in use; returns what it used.
    ///
    /// # Errors
    /// When one of the sessions cannot be read or written.
    fn cancel<'a>(
        &'a self,
        caller: Caller<'a>,
        child: &'a SessionId,
        link: &'a ParentLink,
    ) -> BoxFuture<'a, Result<Amounts, store::Error>>;
}

/// The subagents of a turn.
pub trait TurnSubagents: Send + Sync {
    /// The subagent that a call asks for, with what it may use, which is held when this
    /// returns. None if the call names no subagent.
    fn grant(
        &self,
        state: &AgentState,
        caller: Caller<'_>,
        index: u32,
        call: &ToolCall,
    ) -> Option<Box<dyn SubagentCall>>;

    /// So many calls of the turn never begin: releases what is held for them.
    fn release(&self, calls: usize);
}

/// A call that runs a subagent.
pub trait SubagentCall: Send + Sync {
    /// What the intent of the call records: the session of the subagent, and what is held for
    /// it.
    fn intent(&self) -> (SessionId, Amounts);

    /// Runs the subagent in its session: from its beginning, or from where that stands.
    ///
    /// The future is not dropped when the run is cancelled or interrupted: the control is
    /// the subagent's too. [`Deferral::Session`](legwork_core::tool::Deferral) is the outcome
    /// of one that waits, or goes on later.
    fn call<'a>(&'a self, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;
}

/// The place of an execution in a tree of agents.
pub struct Ancestry {
    /// The way from the root.
    pub origin: Arc<Origin>,
    /// The call that it works for; none for a root.
    pub parent: Option<ParentLink>,
    /// What the agents above it leave; none for a root.
    pub shared_budget: Option<SharedBudget>,
}

impl Ancestry {
    /// The root of a tree.
    pub fn root(session: SessionId) -> Self {
        Self { origin: Arc::new(Origin::root(session)), parent: None, shared_budget: None }
    }
}

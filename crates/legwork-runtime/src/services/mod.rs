//! What all runs of an agent share, and the seam through which calls run other agents.

mod subagents;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_context::Context;
use legwork_core::Criterion;
use legwork_core::continuation::End;
use legwork_core::inbox::FollowUps;
use legwork_core::tool::{EndStrategy, ExecutionMode, OnBlock, ResultLimit};
use legwork_lifecycle::Composite;
use legwork_port::{Approver, Core, Deps, Ids, Model, OutputReader};
use legwork_session::Sessions;
use legwork_toolset::Toolsets;

use crate::error::Error;
use crate::result::{Run, Unfinished};

pub use subagents::{Ancestry, Caller, SubagentCall, Subagents, TurnSubagents};

/// What all runs of an agent share. It is checked and composed by whoever builds agents.
pub struct Services {
    /// The models that a state may name, by name.
    pub models: BTreeMap<String, Arc<dyn Model>>,
    /// The tools.
    pub toolsets: Arc<Toolsets>,
    /// What models read of a session.
    pub context: Context,
    /// Runs calls that spawn subagents.
    pub subagents: Arc<dyn Subagents>,
    /// Reads the output of executions; none if any answer will do.
    pub output: Option<Arc<dyn OutputReader>>,
    /// What votes on going on, beside the votes of hooks.
    pub criteria: Vec<Arc<dyn Criterion>>,
    /// Decides whether an execution goes on, and records its steps and its end.
    pub core: Arc<dyn Core>,
    /// Hooks and other lifecycles, called after Core.
    pub lifecycle: Composite,
    /// The sessions.
    pub sessions: Arc<Sessions>,
    /// Where names of new sessions come from.
    pub ids: Arc<dyn Ids>,
    /// How the calls of a turn run.
    pub calls: CallPolicy,
    /// How many of the follow-up messages that wait are delivered at once.
    pub follow_ups: FollowUps,
    /// Answers calls that wait, in this process; none if nobody is there.
    pub approver: Option<Arc<dyn Approver>>,
    /// What tools and hooks find by type.
    pub deps: Deps,
}

/// How the calls of a turn run.
#[derive(Debug, Clone, Copy)]
pub struct CallPolicy {
    /// How many calls run at once, at most.
    pub limit: usize,
    /// The mode of calls whose tool is not `Sequential`.
    pub mode: ExecutionMode,
    /// What a blocked call does to the rest of its turn.
    pub on_block: OnBlock,
    /// What becomes of the others where a call gives the output.
    pub end_strategy: EndStrategy,
    /// How much of a result the model is sent, unless its tool says otherwise.
    pub results: ResultLimit,
}

impl Default for CallPolicy {
    fn default() -> Self {
        let (on_block, end_strategy, results) = Default::default();
        Self { limit: 16, mode: ExecutionMode::ParallelOrdered, on_block, end_strategy, results }
    }
}

impl Services {
    /// A run that completed; of another one the error that says why, and how to go on.
    ///
    /// # Errors
    /// [`Error::Unfinished`].
    pub fn completed(&self, run: Run) -> Result<Run, Error> {
        match run.end() {
            End::Completed => Ok(run),
            _ => Err(Error::Unfinished(Box::new(Unfinished { run, is_kept: self.sessions.keeps }))),
        }
    }
}

//! Who watches a session work.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::error::ErrorRecord;
use legwork_core::tool::Metadata;
use legwork_core::{
    ContinuationOutcome, Entry, ExecutionStatus, Micros, Seq, SessionId, StopSignal, Timestamp,
    ToolCall, ToolOutcome, Usage,
};

use crate::model::{Delta, Retry};
use crate::trigger::Trigger;

/// Watches a session work, and the subagents that it spawns. Must return quickly: the loop
/// waits for it.
pub trait Observer: Send + Sync {
    /// Whether anything is built for it at all.
    fn listens(&self) -> bool {
        true
    }

    /// Live news: provisional and immediate, never journaled.
    fn live(&self, origin: &Origin, event: &LiveEvent<'_>);

    /// Committed news: entries that are in the journal of the origin's session now.
    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]);
}

/// Where news comes from: a session, and its place in a tree of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The session.
    pub session: SessionId,
    /// The subagents on the way from the root to here, outermost first; empty for the root.
    pub path: Vec<Arc<str>>,
}

impl Origin {
    /// The root of a tree of agents.
    pub fn root(session: SessionId) -> Self {
        Self { session, path: Vec::new() }
    }

    /// A subagent below this one, in its own session.
    #[must_use]
    pub fn child(&self, agent: impl Into<Arc<str>>, session: SessionId) -> Self {
        let path = self.path.iter().cloned().chain([agent.into()]).collect();
        Self { session, path }
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    /// How many agents stand above it.
    pub fn depth(&self) -> usize {
        self.path.len()
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn listens(&self) -> bool {
        false
    }

    fn live(&self, _: &Origin, _: &LiveEvent<'_>) {}

    fn committed(&self, _: &Origin, _: &[Arc<Entry>]) {}
}

/// How a hook ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookEnd<'a> {
    /// It handed back the state that it was given.
    Passed,
    /// It handed back a changed state.
    Changed,
    /// It failed, or took too long: its change is left out.
    Failed(&'a str),
    /// Its change is not one that its trigger allows: it is left out.
    Refused(&'a str),
}

/// Something happens right now; it may yet come to nothing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LiveEvent<'a> {
    /// The journal's tail was damaged and is cut back to its last whole entry.
    JournalCut {
        /// What was found.
        damage: &'a str,
    },
    /// Something that people should know of, and that stops nothing.
    Warning {
        /// What, and what to do.
        message: &'a str,
    },
    /// A step begins.
    StepStarted {
        /// Its number; the first is 1.
        step: u32,
    },
    /// A request goes to the model.
    InferenceStarted {
        /// The step.
        step: u32,
        /// The inference: the entry that reserved it.
        id: Seq,
        /// When.
        at: Timestamp,
        /// The model as `provider:name`.
        model: &'a str,
    },
    /// The request failed and is made again after a wait. Pieces of the answer that were
    /// told since the inference started, or was last retried, are void.
    InferenceRetried {
        /// The step.
        step: u32,
        /// What failed, and how long the wait is.
        retry: Retry<'a>,
    },
    /// The model answered, or could not.
    InferenceFinished {
        /// The step.
        step: u32,
        /// The inference: the entry that reserved it.
        id: Seq,
        /// When.
        at: Timestamp,
        /// How long it took.
        took: Micros,
        /// What it used, if the provider said.
        usage: Option<&'a Usage>,
        /// Why there is no answer, if there is none.
        error: Option<&'a ErrorRecord>,
    },
    /// Something is held for an inference until its usage is known.
    BudgetReserved {
        /// The entry that reserved it.
        id: Seq,
        /// How much.
        amounts: &'a Amounts,
    },
    /// What was held is released, and what was used is charged.
    BudgetSettled {
        /// The entry that reserved it.
        id: Seq,
        /// What is charged.
        charged: &'a Amounts,
    },
    /// A hook ran.
    HookExecuted {
        /// The hook.
        hook: &'a str,
        /// The point at which it ran.
        trigger: Trigger,
        /// How long it took.
        took: Micros,
        /// How it ended.
        end: HookEnd<'a>,
    },
    /// It was decided whether to go on.
    ContinuationEvaluated {
        /// The step.
        step: u32,
        /// Whether, and why.
        outcome: &'a ContinuationOutcome,
    },
    /// Somebody asked to stop.
    StopRaised {
        /// Who, and why.
        signal: &'a StopSignal,
    },
    /// A piece of the answer came.
    Delta {
        /// The step.
        step: u32,
        /// The piece.
        delta: Delta<'a>,
    },
    /// A tool call began to run.
    ToolStarted {
        /// The step.
        step: u32,
        /// The index of the call.
        index: u32,
        /// The call.
        call: &'a ToolCall,
    },
    /// A running call says how far it got.
    ToolProgress {
        /// The index of the call.
        index: u32,
        /// How far, in words.
        message: &'a str,
    },
    /// A tool call was answered.
    ToolFinished {
        /// The step.
        step: u32,
        /// The index of the call.
        index: u32,
        /// The call.
        call: &'a ToolCall,
        /// What came of it.
        outcome: &'a ToolOutcome,
        /// What it left for people and programs.
        metadata: &'a Metadata,
    },
    /// A subagent begins, or goes on, in its own session. Its news follow from there.
    SubagentStarted {
        /// The index of the call that it works for.
        index: u32,
        /// Which subagent.
        agent: &'a str,
        /// Its session.
        session: &'a SessionId,
    },
    /// A subagent is done, or waits for somebody.
    SubagentFinished {
        /// The index of the call that it worked for.
        index: u32,
        /// Which subagent.
        agent: &'a str,
        /// Its session.
        session: &'a SessionId,
        /// Where it stands.
        status: &'a ExecutionStatus,
        /// The tool calls, tokens and money that it used, its own subagents included. Steps
        /// and active time are each agent's own.
        used: &'a Amounts,
    },
    /// The execution failed.
    ExecutionFailed {
        /// Why.
        error: &'a ErrorRecord,
    },
    /// The state is another one now.
    StateUpdated {
        /// The number of its last entry, committed or not.
        version: Seq,
        /// The entry that the session stands at.
        head: Seq,
    },
}

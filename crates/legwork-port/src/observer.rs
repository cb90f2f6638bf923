//! Who watches a session work.

use std::sync::Arc;

use legwork_core::{Entry, SessionId, ToolCall, ToolOutcome};

use crate::model::{Delta, Retry};

/// Watches a session work. Must return quickly: the loop waits for it.
pub trait Observer: Send + Sync {
    /// Whether anything is built for it at all.
    fn listens(&self) -> bool {
        true
    }

    /// Live news: provisional and immediate, never journaled.
    fn live(&self, session: &SessionId, event: &LiveEvent<'_>);

    /// Committed news: entries that are in the journal now.
    fn committed(&self, session: &SessionId, entries: &[Arc<Entry>]);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn listens(&self) -> bool {
        false
    }

    fn live(&self, _: &SessionId, _: &LiveEvent<'_>) {}

    fn committed(&self, _: &SessionId, _: &[Arc<Entry>]) {}
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
    /// A step begins.
    StepStarted {
        /// Its number; the first is 1.
        step: u32,
    },
    /// A request goes to the model.
    InferenceStarted {
        /// The step.
        step: u32,
        /// The model as `provider:name`.
        model: &'a str,
    },
    /// The request failed and is made again after a wait.
    InferenceRetried {
        /// The step.
        step: u32,
        /// What failed, and how long the wait is.
        retry: Retry<'a>,
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
    },
}

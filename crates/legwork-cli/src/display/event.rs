//! What displays are told: live news, committed news, and how it ended.

use std::sync::Arc;

use legwork::core::budget::{Amounts, Budget, Dimension, Exhausted};
use legwork::core::continuation::NextAction;
use legwork::core::error::ErrorRecord;
use legwork::core::event::{Responded, StepFinished};
use legwork::core::inbox::Answer;
use legwork::core::state::Pending;
use legwork::core::{
    AgentState, ContinuationOutcome, ExecutionStatus, Message, SessionId, ToolCall,
};
use legwork::port::Retry;
use serde::Serialize;

use super::tool::Finished;
use crate::error::Error;
use crate::place::quoted;

/// Something that displays show.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    /// An execution began with these messages.
    Started(&'a [Arc<Message>]),
    /// A session is taken up again.
    Resumed,
    /// The damaged tail of the journal is left out.
    JournalCut(&'a str),
    /// A step begins.
    StepStarted,
    /// A request goes to this model.
    InferenceStarted(&'a str),
    /// The request failed and is made again after a wait.
    InferenceRetried(Retry<'a>),
    /// The answer is there, whole.
    Responded(&'a Responded),
    /// The model begins to write a call of this tool.
    CallComing(&'a str),
    /// A piece of the answer.
    Text(&'a str),
    /// A piece of the thinking.
    Thinking(&'a str),
    /// A call began to run.
    ToolStarted { index: u32, call: &'a ToolCall },
    /// A running call says how far it got.
    ToolProgress { index: u32, message: &'a str },
    /// A call was answered.
    ToolFinished { index: u32, finished: Finished<'a> },
    /// A subagent begins, or goes on, for a call.
    SubagentStarted(&'a Subagent<'a>),
    /// A subagent is done, or waits for somebody.
    SubagentFinished { of: &'a Subagent<'a>, status: &'a ExecutionStatus, used: &'a Amounts },
    /// Somebody answered what was pending.
    Answered(&'a Answer),
    /// A step ended.
    StepFinished {
        body: &'a StepFinished,
        usage: Option<legwork::core::Usage>,
        /// What the execution used so far, and what it may use.
        spent: &'a Amounts,
        budget: &'a Budget,
    },
    /// Something went wrong in the execution.
    Error(&'a ErrorRecord),
    /// Something that the person should know.
    Warning(&'a str),
    /// Something that is good to know, and no reason to do anything.
    Note(&'a str),
    /// The answer of a run that was over before.
    Repeated(&'a str),
    /// Somebody asked to leave it here.
    Interrupting,
    /// The run is over, for now or for good.
    Ended(&'a End<'a>),
    /// The command cannot go on.
    Failed(&'a Error),
}

/// An agent that works for a call of another one.
#[derive(Debug)]
pub(crate) struct Subagent<'a> {
    /// The index of the call.
    pub(crate) index: u32,
    /// Which agent.
    pub(crate) agent: &'a str,
    /// What people are told it by: unlike that of others that work.
    pub(crate) name: &'a str,
    pub(crate) session: &'a SessionId,
    /// What it is to do, where that was told in this process.
    pub(crate) task: Option<&'a str>,
    /// The steps that it began, those of an earlier process too; none if it made none here.
    pub(crate) steps: Option<u32>,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct End<'a> {
    pub(crate) state: &'a AgentState,
    /// What commands need to find the store again: empty, or a flag.
    pub(crate) store_flag: &'a str,
}

/// What an execution used.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Usage {
    pub(crate) steps: u64,
    pub(crate) tool_calls: u64,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// What the models with a known price cost; none where that is nothing.
    pub(crate) cost_usd: Option<f64>,
    pub(crate) active_time_ms: u64,
    /// Whether some of the tokens are estimates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) estimated: bool,
    /// Whether some of the tokens have no known price, so that the cost is without them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unpriced: bool,
}

impl Usage {
    pub(crate) fn of(state: &AgentState) -> Self {
        Self::of_amounts(state.usage())
    }

    pub(crate) fn of_amounts(used: &Amounts) -> Self {
        let cost = used.cost.0;
        Self {
            steps: used.steps,
            tool_calls: used.tool_calls,
            input: used.input,
            output: used.output,
            // Exact: what is written is the shortest text of the same number.
            cost_usd: (cost > 0).then(|| cost as f64 / 1e6),
            active_time_ms: used.active_time.0 / 1000,
            estimated: used.estimated,
            unpriced: used.unpriced,
        }
    }
}

impl End<'_> {
    pub(crate) fn session(&self) -> &SessionId {
        self.state.session()
    }

    pub(crate) fn status(&self) -> ExecutionStatus {
        self.state.status().cloned().unwrap_or(ExecutionStatus::InProgress)
    }

    /// Why it stopped; none while it goes on.
    pub(crate) fn outcome(&self) -> Option<&ContinuationOutcome> {
        let over = self.status().is_terminal();
        self.state.execution()?.outcome.as_deref().filter(|_| over)
    }

    pub(crate) fn text(&self) -> String {
        self.state.final_response().map_or_else(String::new, |response| response.text())
    }

    pub(crate) fn pending(&self) -> &[Pending] {
        self.state.pending()
    }

    /// How to go on with it, if there is more to do.
    pub(crate) fn next(&self) -> Option<String> {
        let (id, store) = (quoted(self.session().as_str()), self.store_flag);
        let flag = match self.state.next_action() {
            NextAction::Task if self.status() == ExecutionStatus::Completed => return None,
            NextAction::Answer(_) => Some("--on-doubt tell".to_owned()),
            NextAction::Raise(limit) => raised(limit),
            NextAction::Resume => Some(String::new()),
            _ => None,
        };
        Some(match flag.as_deref() {
            Some("") => format!("legwork resume {id}{store}"),
            Some(flag) => format!("legwork resume {id}{store} {flag}"),
            None => format!("legwork run --session {id}{store} \"go on\""),
        })
    }
}

/// The flag that raises the limit that stopped it: to twice as much, or to what it takes.
fn raised(exhausted: &Exhausted) -> Option<String> {
    let Exhausted { dimension, limit, used, wanted } = exhausted;
    let least = used.saturating_add(*wanted);
    let limit = limit.max(&1).saturating_mul(2).max(least);
    match dimension {
        Dimension::Steps => Some(format!("--max-steps {limit}")),
        Dimension::TotalTokens => Some(format!("--max-tokens {limit}")),
        // In whole cents, for people.
        Dimension::Cost => {
            let cents = limit.div_ceil(10_000);
            Some(format!("--max-cost {}.{:02}", cents / 100, cents % 100))
        }
        Dimension::ActiveTime => Some(format!("--max-active-time {}m", limit.div_ceil(60_000_000))),
        _ => None,
    }
}

//! What a run tells, as owned values: one typed, versioned stream for programs.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::Amounts;
use legwork_core::error::ErrorRecord;
use legwork_core::{
    ContinuationOutcome, Entry, ExecutionStatus, Micros, Seq, SessionId, StopSignal, Timestamp,
    ToolCall, ToolOutcome, Usage,
};
use legwork_port::{Delta, HookEnd, LiveEvent, Origin};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The version of the stream; a change that readers must know of raises it.
pub const VERSION: u32 = 1;

/// Something that a run tells, and who: the agent that runs, or a subagent below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEvent {
    /// The version of the stream: [`VERSION`].
    pub v: u32,
    /// The session that it happened in.
    pub session: SessionId,
    /// The subagents on the way from the agent that runs to who tells it, outermost first;
    /// empty for the agent itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Arc<str>>,
    /// What happened.
    pub news: News,
}

impl RunEvent {
    /// News from somewhere.
    pub fn new(origin: &Origin, news: News) -> Self {
        Self { v: VERSION, session: origin.session.clone(), path: origin.path.clone(), news }
    }
}

/// How a hook ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookResult {
    /// It handed back the state that it was given.
    Passed,
    /// It handed back a changed state.
    Changed,
    /// It failed: its change is left out.
    Failed(String),
    /// Its change is not allowed there: it is left out.
    Refused(String),
}

/// What happened. All but `committed` is live: provisional, and never journaled as such.
///
/// It is read and written as JSON, like the entries in it. New kinds and new fields come
/// without another [`VERSION`]: whoever reads news of a newer program skips what it does
/// not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", remote = "Self")]
#[non_exhaustive]
pub enum News {
    /// The journal's tail was damaged and cut.
    JournalCut {
        /// What was found.
        damage: String,
    },
    /// Something to know of that stops nothing.
    Warning {
        /// What, and what to do.
        message: String,
    },
    /// A step begins.
    StepStarted {
        /// Its number; the first is 1.
        step: u32,
    },
    /// A request goes to a model. What follows is told by its end, unless the run was
    /// cancelled or interrupted meanwhile: then nothing more is told of it.
    InferenceStarted {
        /// The step.
        step: u32,
        /// The inference: the entry that reserved it.
        id: Seq,
        /// When.
        at: Timestamp,
        /// The model as `provider:name`.
        model: String,
    },
    /// The request failed and is made again after a wait.
    InferenceRetried {
        /// The attempt that failed; the first is 1.
        attempt: u32,
        /// How long the wait before the next attempt is, in milliseconds.
        wait_ms: u64,
        /// How much longer failed attempts are repeated, in milliseconds.
        left_ms: u64,
        /// What happened.
        error: String,
        /// Whether text or thinking of the failed attempt was told; it is void.
        discarded: bool,
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
        usage: Option<Usage>,
        /// Why there is no answer, if there is none.
        error: Option<ErrorRecord>,
    },
    /// A piece of the answer's text.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of the thinking.
    Thinking {
        /// The piece.
        text: String,
    },
    /// Something is held for an inference.
    BudgetReserved {
        /// The inference.
        id: Seq,
        /// How much.
        amounts: Amounts,
    },
    /// What was held is released, and what was used is charged.
    BudgetSettled {
        /// The inference.
        id: Seq,
        /// What is charged.
        charged: Amounts,
    },
    /// A hook ran.
    HookExecuted {
        /// The hook.
        hook: String,
        /// The method of the lifecycle.
        trigger: String,
        /// How long it took.
        took: Micros,
        /// How it ended.
        end: HookResult,
    },
    /// It was decided whether to go on.
    ContinuationEvaluated {
        /// The step.
        step: u32,
        /// Whether, and why.
        outcome: ContinuationOutcome,
    },
    /// Somebody asked to stop.
    StopRaised {
        /// Who, and why.
        signal: StopSignal,
    },
    /// A call began to run.
    ToolStarted {
        /// The index of the call in its turn.
        index: u32,
        /// The call.
        call: ToolCall,
    },
    /// A running call says how far it got.
    ToolProgress {
        /// The index of the call in its turn.
        index: u32,
        /// How far, in words.
        message: String,
    },
    /// A call was answered.
    ToolFinished {
        /// The index of the call in its turn.
        index: u32,
        /// The call.
        call: ToolCall,
        /// What came of it.
        outcome: ToolOutcome,
    },
    /// A subagent begins, or goes on; its own news follow.
    SubagentStarted {
        /// The index of the call that it works for.
        index: u32,
        /// Which subagent.
        agent: String,
        /// Its session.
        session: SessionId,
    },
    /// A subagent is done, or waits for somebody.
    SubagentFinished {
        /// The index of the call that it worked for.
        index: u32,
        /// Which subagent.
        agent: String,
        /// Its session.
        session: SessionId,
        /// Where it stands.
        status: ExecutionStatus,
        /// The tool calls, tokens and money that it used, its own subagents included.
        used: Amounts,
    },
    /// The execution failed.
    ExecutionFailed {
        /// Why.
        error: ErrorRecord,
    },
    /// The state is another one now.
    StateUpdated {
        /// The number of its last entry, committed or not.
        version: Seq,
        /// The entry that the session stands at.
        head: Seq,
    },
    /// An entry is in the journal now.
    Committed {
        /// The entry.
        entry: Arc<Entry>,
    },
}

impl Serialize for News {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for News {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "type")]
            kind: String,
        }
        #[derive(Deserialize)]
        struct Committed {
            entry: Arc<Entry>,
        }
        // An entry keeps text of its own, so it is read from text: a tagged enum would read
        // it from what it has taken apart.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let Kind { kind } = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        if kind == "committed" {
            let Committed { entry } = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
            return Ok(Self::Committed { entry });
        }
        let mut text = serde_json::Deserializer::from_str(raw.get());
        Self::deserialize(&mut text).map_err(D::Error::custom)
    }
}

impl News {
    /// The live event as an owned one; none for pieces of a call, which come whole later.
    pub fn from_live(event: &LiveEvent<'_>) -> Option<Self> {
        Some(match *event {
            LiveEvent::JournalCut { damage } => Self::JournalCut { damage: damage.to_owned() },
            LiveEvent::Warning { message } => Self::Warning { message: message.to_owned() },
            LiveEvent::StepStarted { step } => Self::StepStarted { step },
            LiveEvent::InferenceStarted { step, id, at, model } => {
                Self::InferenceStarted { step, id, at, model: model.to_owned() }
            }
            LiveEvent::InferenceRetried { retry, .. } => Self::InferenceRetried {
                attempt: retry.attempt,
                wait_ms: millis(retry.wait),
                left_ms: millis(retry.left),
                error: retry.error.to_owned(),
                discarded: retry.discarded,
            },
            LiveEvent::InferenceFinished { step, id, at, took, usage, error } => {
                let (usage, error) = (usage.copied(), error.cloned());
                Self::InferenceFinished { step, id, at, took, usage, error }
            }
            LiveEvent::Delta { delta: Delta::Text(text), .. } => {
                Self::Text { text: text.to_owned() }
            }
            LiveEvent::Delta { delta: Delta::Thinking(text), .. } => {
                Self::Thinking { text: text.to_owned() }
            }
            LiveEvent::BudgetReserved { id, amounts } => {
                Self::BudgetReserved { id, amounts: *amounts }
            }
            LiveEvent::BudgetSettled { id, charged } => {
                Self::BudgetSettled { id, charged: *charged }
            }
            LiveEvent::HookExecuted { hook, trigger, took, end } => Self::HookExecuted {
                hook: hook.to_owned(),
                trigger: trigger.name().to_owned(),
                took,
                end: HookResult::of(end),
            },
            LiveEvent::ContinuationEvaluated { step, outcome } => {
                Self::ContinuationEvaluated { step, outcome: outcome.clone() }
            }
            LiveEvent::StopRaised { signal } => Self::StopRaised { signal: signal.clone() },
            LiveEvent::ToolStarted { index, call, .. } => {
                Self::ToolStarted { index, call: call.clone() }
            }
            LiveEvent::ToolProgress { index, message } => {
                Self::ToolProgress { index, message: message.to_owned() }
            }
            LiveEvent::ToolFinished { index, call, outcome, .. } => {
                let (call, outcome) = (call.clone(), outcome.clone());
                Self::ToolFinished { index, call, outcome }
            }
            LiveEvent::SubagentStarted { index, agent, session } => {
                let (agent, session) = (agent.to_owned(), session.clone());
                Self::SubagentStarted { index, agent, session }
            }
            LiveEvent::SubagentFinished { index, agent, session, status, used } => {
                let (agent, session) = (agent.to_owned(), session.clone());
                let (status, used) = (status.clone(), *used);
                Self::SubagentFinished { index, agent, session, status, used }
            }
            LiveEvent::ExecutionFailed { error } => Self::ExecutionFailed { error: error.clone() },
            LiveEvent::StateUpdated { version, head } => Self::StateUpdated { version, head },
            _ => return None,
        })
    }
}

impl HookResult {
    fn of(end: HookEnd<'_>) -> Self {
        match end {
            HookEnd::Passed => Self::Passed,
            HookEnd::Refused(why) => Self::Refused(why.to_owned()),
            HookEnd::Failed(why) => Self::Failed(why.to_owned()),
            // What is added later changed something, too, or it would be told otherwise.
            _ => Self::Changed,
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

//! What the model of an agent says, and what the calls that it asks for do.

use legwork_core::Budget;

/// One agent: its limits, and what its model says.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPlan {
    /// Its limits; for a subagent none = it lives on what is left above.
    pub budget: Option<Budget>,
    /// What its model says, by the answers there are already; behind the last one it says
    /// that it is done.
    pub turns: Vec<TurnPlan>,
}

/// What a model says in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnPlan {
    /// What the first requests of the turn get instead, one each.
    pub before: Vec<Trouble>,
    /// The number of characters of its text.
    pub text: usize,
    /// The tool calls of the turn.
    pub calls: Vec<CallPlan>,
    /// Which ids the calls have.
    pub ids: CallIds,
    /// Whether it holds a tool result, which a model cannot give.
    pub answers: bool,
    /// What it used of what was held for it.
    pub usage: UsagePlan,
}

/// What goes wrong with a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The provider refuses with a status.
    Status(u16),
    /// An attempt fails that may have cost money.
    Charged,
    /// The answer breaks off.
    Cut,
    /// The model never answers.
    Stall,
    /// It answers after this many milliseconds.
    Slow(u64),
    /// The model panics.
    Panic,
}

/// Which ids the calls of a turn have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallIds {
    /// One of its own for each.
    #[default]
    Own,
    /// All the same, in every turn.
    Same,
    /// All ids are empty.
    Empty,
}

/// What a model used, in percent of what was held for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsagePlan {
    /// So much of the input estimate and of the output that it may give.
    Percent(u64, u64),
    /// The answer has no usage.
    Silent,
}

impl Default for UsagePlan {
    fn default() -> Self {
        Self::Percent(50, 50)
    }
}

/// One call that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlan {
    /// The tool that is called.
    pub tool: ToolPlan,
    /// What its body does.
    pub does: Does,
}

/// Which tool a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolPlan {
    /// `look`: changes nothing.
    Look,
    /// `slow`: changes nothing, and may take 100 ms.
    Slow,
    /// `put`: idempotent.
    Put,
    /// `file`: idempotent, on one of two resources.
    File,
    /// `send`: once, and a person is asked in doubt.
    Send,
    /// `tell`: once, and the model is notified when it is in doubt.
    Tell,
    /// `alone`: once, sequential.
    Alone,
    /// `spawn_subagent`: the agent of an index.
    Spawn(usize),
    /// A tool that does not exist.
    Unknown,
}

/// What the body of a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// It gives a value.
    Answer,
    /// It asks the model to try again.
    Retry,
    /// It fails softly.
    Fail,
    /// It fails hard.
    FailHard,
    /// It panics.
    Panic,
    /// It hangs, the first time.
    Stall,
    /// It takes this many milliseconds.
    Sleep(u64),
    /// It charges so many tokens.
    Charge(u64),
    /// It gives a value that is nested too deeply for a journal.
    Deep,
    /// It asks the model first, if it may run again.
    Prompt,
    /// Its arguments do not fit the schema: it never runs.
    Misfit,
    /// Its arguments are not JSON: it never runs.
    NoJson,
}

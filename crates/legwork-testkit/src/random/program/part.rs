//! Criteria, hooks, and parts of an agent that go wrong.

use legwork_port::Trigger;

/// A criterion with a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CriterionPlan {
    /// At most so many steps.
    Steps(u64),
    /// At most so many tokens.
    Tokens(u64),
    /// At most so many errors in a row.
    Retries(u32),
    /// Tool errors are tried again so often.
    ToolErrors(u32),
    /// Any error stops.
    StopOnAny,
}

/// A part of the agent that goes wrong once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartPlan {
    /// The part that fails.
    pub part: AgentPart,
    /// At which of its calls; the first is 0.
    pub nth: usize,
    /// The way in which it fails.
    pub goes: Goes,
}

/// A part of an agent that users of the library implement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentPart {
    /// The observer, at a live event.
    Live,
    /// The observer, at committed entries.
    Committed,
    /// A criterion.
    Criterion,
    /// The error handler.
    ErrorHandler,
    /// A toolset, as it is opened.
    Open,
    /// A toolset, as it is asked for its tools.
    Specs,
    /// The driver, as it makes a request.
    Request,
    /// The driver, as it reads a response.
    Read,
    /// The driver, when it has made a step, and before it hands that back.
    Step,
}

/// How a part of an agent goes wrong; what cannot fail or wait panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    /// It panics.
    Panics,
    /// It fails.
    Fails,
    /// It never returns.
    Hangs,
}

/// A hook of the random agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlan {
    /// The trigger that it runs on.
    pub on: Trigger,
    /// How many steps ended before, when it does what it does; none = every time.
    pub after: Option<usize>,
    /// Its priority.
    pub priority: i32,
    /// Whether it goes along to subagents.
    pub inherited: bool,
    /// What it does.
    pub does: HookDoes,
}

/// What a hook does; what its trigger does not allow is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDoes {
    /// Nothing, and it takes some turns.
    Wait,
    /// It sets metadata.
    Note,
    /// It adds a message.
    Say,
    /// It adds an assistant message with a call that has no result.
    SayCall,
    /// It fails.
    Fail,
    /// It panics.
    Panic,
    /// It hangs, the first time.
    Stall,
    /// It hands back a state of another session.
    Forge,
    /// It raises a stop.
    Stop,
    /// It votes for going on.
    Request,
    /// It prevents the stop.
    Prevent,
    /// It blocks the call.
    Block,
    /// It answers the call itself.
    Supply,
    /// It answers the call itself, with a value nested too deeply for a journal.
    Deep,
    /// It gives the call other arguments, others each time.
    Rewrite,
    /// It changes what is shown: the request, the response, or the result.
    Change,
    /// It makes a response out of a broken one, with a call in it.
    Mend,
    /// It hides the tool `look`.
    Hide,
}

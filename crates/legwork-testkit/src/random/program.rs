//! A program: what an agent is, what its model and tools do, and what happens to its runs.
//!
//! All of it is plain data without meaning of its own: a part may be left out, and what
//! stays is a program again. So a failing one can be made small.

use legwork_core::{Budget, OnDoubt};
use legwork_port::Trigger;

use crate::fault::{Fault, Operation};

/// A whole scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The root, and the subagents that it and those before each may spawn.
    pub agents: Vec<AgentPlan>,
    /// Tokens that an answer may have.
    pub max_output: u64,
    /// The hooks, in the order they are given.
    pub hooks: Vec<HookPlan>,
    /// How many turns others get at each place where something takes time, in a circle.
    pub pace: Vec<usize>,
    /// What votes beside the guards.
    pub criteria: Vec<CriterionPlan>,
    /// Which other parts of the agent go wrong.
    pub parts: Vec<PartPlan>,
    /// Whether somebody watches: then answers are streamed.
    pub watched: bool,
    /// What happens, one after the other.
    pub acts: Vec<Act>,
}

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
    /// Which part.
    pub part: AgentPart,
    /// At which of its calls; the first is 0.
    pub nth: usize,
    /// How.
    pub goes: Goes,
}

/// A part of an agent that strangers write.
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
    /// How many characters of text.
    pub text: usize,
    /// The calls.
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
    /// Empty ones.
    Empty,
}

/// What a model used, in percent of what was held for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsagePlan {
    /// So much of the input estimate and of the output that it may give.
    Percent(u64, u64),
    /// It does not say.
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
    /// Which tool.
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
    /// `tell`: once, and the model is told in doubt.
    Tell,
    /// `alone`: once, sequential.
    Alone,
    /// `spawn_subagent`: the agent of an index.
    Spawn(usize),
    /// A tool that is not there.
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
    /// Its arguments do not fit the schema: it never runs.
    Misfit,
    /// Its arguments are no JSON: it never runs.
    NoJson,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlan {
    /// When it runs.
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
    /// It adds an assistant message with a call that nobody answers.
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

/// One thing that happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// The process lives: it takes the session up until it ends, is stopped or dies.
    Go(Go),
    /// Somebody leaves something in an inbox while no process lives.
    Post(To, PostPlan),
    /// The head is moved, to an entry in percent of those there are.
    MoveHead(u64),
    /// Somebody resumes the session of a subagent by itself, and wants to remove it.
    TakeChild,
    /// So many milliseconds pass in which no process lives.
    Pass(u64),
    /// Somebody removes the session of the root.
    Remove,
    /// Somebody begins a session of the name that a subagent would get: the entry of the
    /// response, and the index of the call.
    Squat(u64, u32),
}

/// Whose inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// The root's.
    Root,
    /// The last subagent's, if there is any.
    Child,
}

/// What somebody leaves in an inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostPlan {
    /// A steering message.
    Steer,
    /// A follow-up.
    FollowUp,
    /// A stop.
    Stop,
    /// An answer to the first that is pending.
    Answer(Reply),
    /// An answer to nothing that is pending.
    Bogus,
    /// A label, on an entry in percent of those there are.
    Label(u64),
    /// Another head, at an entry in percent of those there are.
    MoveHead(u64),
}

/// How a pending call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// Run it again.
    RunAgain,
    /// Tell the model.
    Tell,
    /// Take this as its result.
    Supply,
}

/// One life of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct Go {
    /// What it is asked for.
    pub start: Start,
    /// Through which face of the library.
    pub by: By,
    /// What it says to calls in doubt.
    pub on_doubt: Option<OnDoubt>,
    /// At which of its polls what happens.
    pub meanwhile: Vec<(usize, Meanwhile)>,
    /// Which of the store's operations go wrong.
    pub faults: Vec<(Operation, usize, Fault)>,
    /// What is done when nothing moves any more.
    pub stuck: Stuck,
}

/// What a process is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new task.
    Task,
    /// A new task that holds a call without its result.
    OpenCall,
    /// A new task that holds a result without its call.
    LoneResult,
    /// To go on.
    Resume,
}

/// Through which face of the library a process runs the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `run(..).await`.
    Await,
    /// `next()` a step at a time.
    Steps,
    /// `stream(..)`.
    Stream,
}

/// What happens at a poll of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meanwhile {
    /// The process dies.
    Die,
    /// The execution is cancelled.
    Cancel,
    /// The execution is interrupted.
    Interrupt,
    /// `next()` is dropped, and called again.
    DropNext,
    /// Somebody leaves something in an inbox.
    Post(To, PostPlan),
    /// Another process wants the session.
    Rival,
    /// So many milliseconds pass at once, as where a machine sleeps.
    Pass(u64),
}

/// What is done when nothing moves any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// The process is killed.
    Die,
    /// The execution is cancelled, which must end it.
    Cancel,
    /// The execution is interrupted, which must end it.
    Interrupt,
}

impl Default for Go {
    fn default() -> Self {
        Self {
            start: Start::Resume,
            by: By::Await,
            on_doubt: None,
            meanwhile: Vec::new(),
            faults: Vec::new(),
            stuck: Stuck::Die,
        }
    }
}

//! What happens to the runs of a program.

use legwork_core::OnDoubt;

use crate::fault::{Fault, Operation};

/// One action of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A process runs the session until it ends, is stopped or dies.
    Go(Go),
    /// An item is posted to an inbox while no process runs the session.
    Post(To, PostPlan),
    /// The head is moved, to an entry in percent of those there are.
    MoveHead(u64),
    /// The session of a subagent is resumed on its own, and its removal is tried.
    TakeChild,
    /// So many milliseconds pass while no process runs the session.
    Pass(u64),
    /// The session of the root is removed.
    Remove,
    /// A session is begun under the name that a subagent would get: the entry of the response,
    /// and the index of the call.
    Squat(u64, u32),
}

/// The session whose inbox an item is posted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// The inbox of the root session.
    Root,
    /// The last subagent's, if there is any.
    Child,
}

/// An item for an inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostPlan {
    /// A steering message.
    Steer,
    /// A follow-up.
    FollowUp,
    /// A request to stop.
    Stop,
    /// An answer to the first pending call.
    Answer(Reply),
    /// An answer to a call that is not pending.
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

/// One process: what it runs, and how it ends.
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
    /// To resume the session.
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
    /// An item is posted to an inbox.
    Post(To, PostPlan),
    /// Another process tries to claim the session.
    Rival,
    /// So many milliseconds pass at once, as when a machine sleeps.
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

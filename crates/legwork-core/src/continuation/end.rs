//! How an execution ended, and how to go on.

use std::fmt;

use crate::budget::{Dimension, Exhausted};
use crate::error::{ErrorKind, ErrorRecord};
use crate::id::SessionId;
use crate::outcome::StopSignal;
use crate::state::{AgentState, ExecutionStatus, Pending, PendingReason};

/// How an execution ended, or what it waits for.
///
/// Its `Display` is a predicate: `stopped: the limit of 3 steps leaves no room: 3 used,
/// 1 wanted`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum End<'a> {
    /// It completed.
    Completed,
    /// A limit, a tool, a hook or a criterion stopped it.
    Stopped(Option<&'a StopSignal>),
    /// An error ended it.
    Failed(Option<&'a ErrorRecord>),
    /// A person or the program cancelled it.
    Cancelled(Option<&'a StopSignal>),
    /// These calls wait for an answer.
    Waiting(&'a [Pending]),
    /// It is in progress: its run was interrupted, or its process died.
    Interrupted,
    /// It is not over, and the session was suspended, for this reason.
    Suspended(&'a str),
    /// There is no execution yet.
    Idle,
}

/// What to do so that a session goes on.
///
/// [`NextAction::of`] words it for the programmer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum NextAction<'a> {
    /// Give it a new task; nothing is left to do.
    Task,
    /// Resume it.
    Resume,
    /// Raise this limit, then resume it.
    Raise(&'a Exhausted),
    /// Answer these calls, then resume it.
    Answer(&'a [Pending]),
}

impl End<'_> {
    /// Whether the execution failed with an error of something that may succeed later, such as a
    /// server that is overloaded.
    pub fn is_retryable(&self) -> bool {
        let Self::Failed(Some(error)) = self else { return false };
        error.retryable || error.kind == ErrorKind::Incomplete
    }
}

impl AgentState {
    /// How the latest execution ended, or what it waits for.
    pub fn end(&self) -> End<'_> {
        let Some(execution) = self.execution() else { return End::Idle };
        if let Some(reason) = &self.facts().suspended
            && !execution.status.is_terminal()
        {
            return End::Suspended(reason);
        }
        let outcome = execution.outcome.as_ref();
        let signal = outcome.and_then(|outcome| outcome.signal.as_ref());
        match &execution.status {
            ExecutionStatus::Completed => End::Completed,
            ExecutionStatus::Failed => {
                End::Failed(signal.and_then(|signal| signal.error.as_deref()))
            }
            ExecutionStatus::Cancelled => End::Cancelled(signal),
            ExecutionStatus::InProgress => End::Interrupted,
            // A run has work to do, although calls wait.
            status if status.is_waiting() && self.asks_model() => End::Interrupted,
            status if status.is_waiting() => End::Waiting(self.pending()),
            _ => End::Stopped(signal),
        }
    }

    /// What to do so that the session goes on.
    pub fn next_action(&self) -> NextAction<'_> {
        match self.end() {
            End::Waiting(pending) => NextAction::Answer(pending),
            End::Interrupted | End::Suspended(_) => NextAction::Resume,
            End::Completed | End::Idle => NextAction::Task,
            End::Stopped(signal) | End::Cancelled(signal) => self.after(signal),
            End::Failed(_) => self.after(None),
        }
    }

    fn after<'a>(&'a self, signal: Option<&'a StopSignal>) -> NextAction<'a> {
        match signal.and_then(|signal| signal.limit.as_ref()) {
            Some(limit) => NextAction::Raise(limit),
            None if self.decide_reopen(&[]).is_ok() => NextAction::Resume,
            None => NextAction::Task,
        }
    }
}

impl fmt::Display for End<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let because = |f: &mut fmt::Formatter<'_>, what: &str, why: Option<&str>| match why {
            Some(why) if !why.is_empty() => write!(f, "{what}: {why}"),
            _ => f.write_str(what),
        };
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Stopped(signal) => because(f, "stopped", signal.map(|signal| &*signal.message)),
            Self::Failed(error) => because(f, "failed", error.map(|error| &*error.message)),
            Self::Cancelled(signal) => {
                because(f, "cancelled", signal.map(|signal| &*signal.message))
            }
            Self::Waiting(pending) => {
                f.write_str("waits for an answer")?;
                pending.iter().try_for_each(|pending| write!(f, ": {}", Asked(pending)))
            }
            Self::Interrupted => f.write_str("interrupted"),
            Self::Suspended(reason) => because(f, "suspended", Some(reason)),
            Self::Idle => f.write_str("not begun"),
        }
    }
}

/// A pending call, with the reason.
struct Asked<'a>(&'a Pending);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pending { id, tool, reason, explanation, .. } = self.0;
        let why = match reason {
            PendingReason::Doubt => "was interrupted and may have run",
            PendingReason::Subagent => "waits for its subagent",
            PendingReason::Approval => "needs approval",
            PendingReason::External => "waits for a result from outside",
            PendingReason::Input => "waits for input",
            PendingReason::Model => "asks the model",
            PendingReason::Until(time) => {
                return write!(f, "the call {id} of `{tool}` waits until {time}");
            }
        };
        write!(f, "the call {id} of `{tool}` {why}")?;
        explanation.iter().try_for_each(|explanation| write!(f, " ({explanation})"))
    }
}

impl NextAction<'_> {
    /// The action as an instruction that names the session and the methods to call.
    pub fn of<'a>(&'a self, session: &'a SessionId) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self {
            NextAction::Task => write!(f, "give session {session} a new task"),
            NextAction::Resume => write!(f, "resume session {session}"),
            NextAction::Raise(limit) => match setter(&limit.dimension) {
                Some(set) => write!(f, "raise `Budget::{set}`, then resume session {session}"),
                None => write!(f, "raise that limit, then resume session {session}"),
            },
            NextAction::Answer(pending) => {
                let all = |reason| pending.iter().all(|call| call.reason == reason);
                match pending.iter().any(|call| call.reason == PendingReason::Doubt) {
                    true => write!(f, "answer with `Session::answer`, or decide with `on_doubt`")?,
                    false if all(PendingReason::Subagent) => {
                        write!(f, "answer in the subagent's session")?;
                    }
                    false => write!(f, "answer with `Session::answer`")?,
                }
                write!(f, ", then resume session {session}")
            }
        })
    }
}

/// The method of a budget that sets a limit.
fn setter(dimension: &Dimension) -> Option<&'static str> {
    Some(match dimension {
        Dimension::Steps => "steps",
        Dimension::ToolCalls => "tool_calls",
        Dimension::InputTokens => "input_tokens",
        Dimension::OutputTokens => "output_tokens",
        Dimension::TotalTokens => "tokens",
        Dimension::Cost => "usd",
        Dimension::ActiveTime => "active_time",
        Dimension::Deadline => "deadline",
        Dimension::Other(_) => return None,
    })
}

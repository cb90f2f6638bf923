//! What goes wrong around an execution; what goes wrong in it is in its state.

use std::fmt;

use legwork_core::state::Refusal;
use legwork_core::{AgentState, SessionId};
use legwork_port::store;

use crate::result::{Run, Unfinished};

/// What is wrong with a state that is none of ours, and what to do.
const FOREIGN: &str = "that does not extend the one that was given out: hand back that one, \
                       changed only by transitions";

/// Why an agent could not be built, or an execution not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The agent is set up wrongly: all that is wrong, each with what to do.
    #[error("the agent cannot be built: {}", .0.join("; "))]
    Build(Vec<String>),
    /// The session says no to what was asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// There is no such session.
    #[error("there is no session {0}: list the sessions to see which there are")]
    UnknownSession(SessionId),
    /// The agent keeps no sessions.
    #[error("nothing is kept of session {0}: the agent has no store; give it one when it is built")]
    NoStore(SessionId),
    /// The session that a subagent was to work in is there, and is not that subagent's.
    #[error(
        "the session {session} is there already and was not spawned by this call of {parent}: \
         remove it, or run the task in a new session"
    )]
    SessionTaken {
        /// The session.
        session: SessionId,
        /// The session whose call wanted it.
        parent: SessionId,
    },
    /// A run was asked for in one session, with the state or the place of another.
    #[error(
        "the run was asked for in session {session}, and given session {other}: give it one of them"
    )]
    OtherSession {
        /// The session that it was asked for in.
        session: SessionId,
        /// The session of what it was given.
        other: SessionId,
    },
    /// A conversation says no to what was asked.
    #[error(transparent)]
    Conversation(#[from] legwork_core::orchestrate::Refusal),
    /// The conversation cannot be compacted, or the path that is left not be summarised.
    #[error(transparent)]
    Context(#[from] legwork_context::compaction::Cannot),
    /// What was asked for between steps was not done, for this reason.
    #[error("{0}")]
    NotDone(String),
    /// A state was handed back that does not extend the one that was given out; nothing of
    /// it is taken over.
    #[error("the caller handed back a state {FOREIGN}")]
    Lineage,
    /// A run was opened step by step after it had been polled as a future.
    #[error("the run has begun already: await it, or open it before it is polled")]
    Begun,
    /// Code that the agent was given panicked, and there is no run to record it in.
    #[error("{who} panicked: {message}")]
    Panicked {
        /// Which code, such as `the source of ids`.
        who: &'static str,
        /// What it said.
        message: String,
    },
    /// The execution was halted before it was over, for what cannot be journaled.
    #[error(transparent)]
    Halted(Box<Halt>),
    /// The execution did not complete: it failed, was stopped or cancelled, or waits.
    #[error(transparent)]
    Unfinished(Box<Unfinished>),
}

impl From<legwork_session::Error> for Error {
    fn from(error: legwork_session::Error) -> Self {
        match error {
            legwork_session::Error::Refused(refusal) => Self::Refused(refusal),
            legwork_session::Error::Store(error) => Self::Store(error),
            legwork_session::Error::Unknown(session) => Self::UnknownSession(session),
            legwork_session::Error::NoStore(session) => Self::NoStore(session),
        }
    }
}

impl Error {
    /// The run as far as it came, if there is one: it was halted, or did not complete.
    pub fn run(&self) -> Option<Run> {
        match self {
            Self::Unfinished(unfinished) => Some(unfinished.run().clone()),
            Self::Halted(halt) => Some(halt.state.clone().into()),
            _ => None,
        }
    }

    /// The error of the store, if that is why nothing could be run, or why the run was halted.
    pub fn as_store(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            Self::Halted(halt) => match &halt.reason {
                HaltReason::Store(error) => Some(error),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the same may succeed later: the store failed or is busy, or what failed the
    /// execution may pass. Resuming the session says whether something of it is left to do.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unfinished(unfinished) => unfinished.run().end().is_retryable(),
            other => other.as_store().is_some_and(store::Error::is_retryable),
        }
    }

    /// Whether another writer has the session, or changed it meanwhile.
    pub fn is_conflict(&self) -> bool {
        self.as_store().is_some_and(store::Error::is_conflict)
    }

    /// Why the run was halted, if it was.
    pub fn halted(&self) -> Option<&HaltReason> {
        match self {
            Self::Halted(halt) => Some(&halt.reason),
            _ => None,
        }
    }

    /// The run that did not complete, if that is what went wrong.
    pub fn unfinished(&self) -> Option<&Unfinished> {
        match self {
            Self::Unfinished(unfinished) => Some(unfinished),
            _ => None,
        }
    }
}

/// Why a step could not go on; carries the state as far as it came.
///
/// The session can be resumed where it was last committed, if anything of it was.
#[derive(thiserror::Error)]
#[error("session {}: {reason}", .state.session())]
pub struct Halt {
    /// The state as far as it came; what was not committed of it is not in the journal.
    pub state: AgentState,
    /// Why.
    pub reason: HaltReason,
}

/// Why a step could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HaltReason {
    /// What happened could not be journaled.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A driver handed back a state that does not extend the one handed in.
    #[error("the driver handed back a state {FOREIGN}")]
    Lineage,
    /// A driver panicked, and there is no journal that says how far it had come.
    #[error("the driver panicked: {0}")]
    Panicked(String),
    /// Somebody asked to leave it here.
    #[error("interrupted: the session can be resumed")]
    Interrupted,
}

impl HaltReason {
    /// What kind of reason it is, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Store(_) => "store",
            Self::Lineage => "lineage",
            Self::Panicked(_) => "panicked",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Debug for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.state.session();
        f.debug_struct("Halt").field("session", session).field("reason", &self.reason).finish()
    }
}

impl Halt {
    pub(crate) fn new(state: AgentState, reason: impl Into<HaltReason>) -> Self {
        Self { state, reason: reason.into() }
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        Self::Halted(Box::new(halt))
    }
}

//! What goes wrong around an execution; what goes wrong in it is in its state.

use legwork_core::state::Refusal;
use legwork_core::{AgentState, SessionId};
use legwork_port::store;

use crate::result::Unfinished;

/// Why an agent could not be built, or an execution not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The agent is set up wrongly.
    #[error("the agent cannot be built: {0}")]
    Build(String),
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
    /// A session could not be spoken to.
    #[error(transparent)]
    Session(legwork_session::Error),
    /// A conversation says no to what was asked.
    #[error(transparent)]
    Conversation(#[from] legwork_core::orchestrate::Refusal),
    /// A state was handed back that does not extend the one that was given out; nothing of
    /// it is taken over.
    #[error(
        "{by} handed back a state that does not extend the one that was given out: hand back that one, changed only by transitions"
    )]
    Lineage {
        /// Who handed it back: `the caller` or `the driver`.
        by: &'static str,
    },
    /// A run was opened step by step after it had been polled as a future.
    #[error("the run has begun already: await it, or open it before it is polled")]
    Begun,
    /// Code that the agent was given panicked where nothing can be recorded.
    #[error("{who} panicked: {message}")]
    Panicked {
        /// Which code: `the driver` or `the source of ids`.
        who: &'static str,
        /// What it said.
        message: String,
    },
    /// The execution was halted before it was over; it can be resumed.
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
            error => Self::Session(error),
        }
    }
}

impl Error {
    /// The run that did not complete, if that is what went wrong.
    pub fn unfinished(&self) -> Option<&Unfinished> {
        match self {
            Self::Unfinished(unfinished) => Some(unfinished),
            _ => None,
        }
    }
}

/// Why a step could not go on; carries the state as far as it came.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Halt {
    /// The state as far as it came.
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
    #[error("{}", Error::Lineage { by: "the driver" })]
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

impl Halt {
    pub(crate) fn new(state: AgentState, reason: impl Into<HaltReason>) -> Self {
        Self { state, reason: reason.into() }
    }

    /// Whether somebody asked to leave it here.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.reason, HaltReason::Interrupted)
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        match halt.reason {
            HaltReason::Store(error) => Self::Store(error),
            HaltReason::Lineage => Self::Lineage { by: "the driver" },
            HaltReason::Panicked(message) => Self::Panicked { who: "the driver", message },
            reason => Self::Halted(Box::new(Halt { state: halt.state, reason })),
        }
    }
}

//! What an execution is opened with.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::{Definition, DefinitionPolicy};
use legwork_core::{AgentId, AgentState, Digest, Message, Seq, SessionId};
use legwork_port::{Ids, Observer, unwind};
use serde_json::Value;

use crate::control::Control;
use crate::driver::Driver;
use crate::error::Error;
use crate::services::{Ancestry, Services};
use crate::wait_policy::WaitPolicy;

/// An agent as the runtime knows it.
#[derive(Clone)]
pub struct Setup {
    /// What its sessions record of it.
    pub identity: Arc<Identity>,
    /// What its runs share.
    pub services: Arc<Services>,
    /// Makes its steps.
    pub driver: Arc<dyn Driver>,
}

/// What the sessions of an agent record of it.
pub struct Identity {
    /// Who works in them.
    pub agent: AgentId,
    /// What it is, as far as it is data.
    pub definition: Arc<Definition>,
    /// The digest of the definition.
    pub digest: Digest,
    /// What happens to sessions of another definition.
    pub on_change: DefinitionPolicy,
    /// The metadata that new sessions begin with.
    pub metadata: BTreeMap<String, Value>,
}

/// How an execution is opened.
pub struct Opening {
    /// What is to be done with the session.
    pub task: Task,
    /// The session.
    pub target: Target,
    /// Observers beside that of the services.
    pub observers: Vec<Arc<dyn Observer>>,
    /// How it is cancelled or interrupted.
    pub control: Control,
    /// What it does where it would have to wait.
    pub waits: WaitPolicy,
    /// Its place in a tree of agents; none = the root.
    pub ancestry: Option<Ancestry>,
}

/// The session that an execution is opened in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target {
    /// A new one, with a new name.
    New,
    /// The one of this id, as the store has it; it is new if the store has none.
    Session(SessionId),
    /// The one of this state, which is taken in place of what the store has.
    State(AgentState),
}

impl Target {
    /// The name of the session, with its state unless the store has that.
    pub(super) fn resolve(self, ids: &dyn Ids) -> Result<(SessionId, Option<AgentState>), Error> {
        let state = match self {
            Self::Session(session) => return Ok((session, None)),
            Self::State(state) => state,
            Self::New => {
                let named = unwind::call(|| ids.session());
                let who = "the source of ids";
                AgentState::new(named.map_err(|message| Error::Panicked { who, message })?)
            }
        };
        Ok((state.session().clone(), Some(state)))
    }
}

/// What is to be done with a session.
#[non_exhaustive]
pub enum Task {
    /// A new execution with this input.
    Start(Vec<Message>),
    /// A new execution with this input if there was none; else what that one is owed.
    StartOrResume(Vec<Message>),
    /// Go on where it stands.
    Resume,
    /// Go on where it stands if that is due ([`AgentState::due_at`]): unlike [`Task::Resume`] it
    /// takes up no session that was suspended, and none that ended, unless a message is queued.
    GoOn,
    /// Put a summary in place of the beginning of the conversation; no step is made.
    Compact {
        /// What the summary is to heed.
        focus: Option<String>,
    },
    /// Move the head to an entry, with a summary of the path that is left; no step is made.
    Branch {
        /// The entry.
        to: Seq,
    },
}

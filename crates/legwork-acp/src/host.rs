//! What the program gives: the agent that works in a directory, and the store of its sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_agent::agent::request::{Run, RunRequest};
use legwork_agent::{Agent, StoredSession};
use legwork_core::approval::Remember;
use legwork_core::state::Pending;
use legwork_core::{AgentState, SessionId};
use legwork_port::{Approver, BoxFuture, Store};
use serde_json::Value;

/// The key of the metadata in which [`Agent`] as a host keeps the directory of a session.
const DIRECTORY: &str = "acp.directory";

/// The program that an editor starts: it makes the agents and keeps the sessions.
///
/// An [`Agent`] with a store is one: the same agent, whatever the directory.
pub trait Host: Send + Sync {
    /// The store of the sessions.
    fn store(&self) -> Arc<dyn Store>;

    /// The agent for a session.
    ///
    /// It is asked once for a session that is opened, and again after its mode was set. Its
    /// calls that wait are to be answered by [`Wanted::approver`], unless the policy of the
    /// program answers them. Nothing of the session may run yet.
    ///
    /// # Errors
    /// When there is no such agent; the editor shows why.
    fn open(&self, wanted: Wanted) -> BoxFuture<'_, Result<Arc<dyn Workplace>, Error>>;

    /// The directory that a stored session was begun in; none if that is not known, and such a
    /// session is not listed.
    fn begun_in<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Option<PathBuf>>;

    /// The modes that a session can be in; none if there are no modes.
    fn modes(&self) -> Vec<Mode> {
        Vec::new()
    }
}

/// The agent of one session, and how it is run.
pub trait Workplace: Send + Sync {
    /// The agent.
    fn agent(&self) -> &Agent;

    /// The mode it was made for; none if there are no modes.
    fn mode(&self) -> Option<&str> {
        None
    }

    /// Runs a turn to where it rests, whatever comes of it.
    ///
    /// # Errors
    /// When it could not begin, or what happened could not be journaled.
    fn run(&self, request: RunRequest) -> BoxFuture<'_, Result<Run, Error>> {
        Box::pin(async move { Ok(request.outcome().await?) })
    }

    /// Which later calls "always" is about where this one is approved; none if no rule can say.
    fn remembers(&self, _pending: &Pending) -> Option<Remember> {
        Some(Remember::Tool)
    }

    /// The text of a file that a call names, so that the person sees what the call would change;
    /// none if it is not to be shown.
    fn text_of(&self, _path: &str) -> Option<String> {
        None
    }
}

/// What an agent is wanted for.
#[non_exhaustive]
pub struct Wanted {
    /// The session.
    pub session: SessionId,
    /// The directory to work in; absolute.
    pub directory: PathBuf,
    /// The state of the session; none if it is new.
    pub state: Option<AgentState>,
    /// The id of the mode that the person chose; none if none was chosen.
    pub mode: Option<String>,
    /// Asks the person in the editor about calls that wait.
    pub approver: Arc<dyn Approver>,
}

/// A mode of a session, such as when a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mode {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
    /// What it means, in a sentence.
    pub description: String,
}

impl Mode {
    /// A mode.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), description: description.into() }
    }
}

/// Why the program has no agent for a session, or could not run it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
#[non_exhaustive]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Error {
    /// An error with what is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<legwork_agent::Error> for Error {
    fn from(error: legwork_agent::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl Host for Agent {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(Agent::store(self))
    }

    fn open(&self, wanted: Wanted) -> BoxFuture<'_, Result<Arc<dyn Workplace>, Error>> {
        Box::pin(async move {
            let directory = wanted.directory.to_string_lossy().into_owned();
            let approver = Arc::clone(&wanted.approver);
            let answers = move |pending: Pending, state: AgentState| {
                let approver = Arc::clone(&approver);
                async move { approver.answer(&pending, &state).await }
            };
            let builder = self.to_builder().metadata(DIRECTORY, Value::String(directory));
            let agent = builder.approver(answers).build()?;
            Ok(Arc::new(Plain(agent)) as Arc<dyn Workplace>)
        })
    }

    fn begun_in<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Option<PathBuf>> {
        Box::pin(async move {
            let stored = StoredSession::new(Host::store(self), session.clone());
            let state = stored.state().await.ok()?;
            let directory = state.context().metadata.get(DIRECTORY)?.as_str()?;
            Some(Path::new(directory).to_owned())
        })
    }
}

/// An agent that is run as it is.
struct Plain(Agent);

impl Workplace for Plain {
    fn agent(&self) -> &Agent {
        &self.0
    }
}

//! A run asked for, and what came of it.

use std::future::IntoFuture;
use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::{AgentState, ContinuationOutcome, ExecutionStatus, Message, OnDoubt, SessionId};
use legwork_port::{BoxFuture, Observer};

use crate::agent::Agent;
use crate::context::Control;
use crate::error::Error;
use crate::open::Active;
use crate::stream::RunStream;
use crate::subagent::Born;

/// A run asked for; await it, or take its events with [`RunRequest::stream`].
#[must_use = "a run does nothing until it is awaited"]
pub struct RunRequest {
    pub(crate) agent: Agent,
    pub(crate) task: Task,
    pub(crate) session: Option<SessionId>,
    pub(crate) state: Option<AgentState>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) control: Control,
    pub(crate) on_doubt: Option<OnDoubt>,
    /// Whose subagent this is, if it is one.
    pub(crate) born: Option<Born>,
}

/// What is to be done with the session.
pub(crate) enum Task {
    Start(Vec<Message>),
    Resume,
}

impl RunRequest {
    pub(crate) fn start(agent: Agent, input: Vec<Message>) -> Self {
        Self::new(agent, Task::Start(input), None)
    }

    pub(crate) fn resume(agent: Agent, session: SessionId) -> Self {
        Self::new(agent, Task::Resume, Some(session))
    }

    pub(crate) fn new(agent: Agent, task: Task, session: Option<SessionId>) -> Self {
        let on_doubt = agent.0.on_doubt;
        let control = Control::default();
        let (state, observer, born) = (None, None, None);
        Self { agent, task, session, state, observer, control, on_doubt, born }
    }

    pub(crate) fn born(self, born: Born) -> Self {
        Self { born: Some(born), ..self }
    }

    /// In this session, new or not, instead of a new one with a random name.
    pub fn in_session(self, session: impl Into<SessionId>) -> Self {
        Self { session: Some(session.into()), ..self }
    }

    /// On this state instead of what the store has.
    pub fn on_state(self, state: AgentState) -> Self {
        Self { session: Some(state.session().clone()), state: Some(state), ..self }
    }

    /// Watched by somebody, beside who watches every run of the agent.
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Under a control that somebody else holds too.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// With this answer to calls in doubt, whatever their tools say.
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        Self { on_doubt: Some(on_doubt), ..self }
    }

    /// Gives the events of the run as they come, and its result last.
    pub fn stream(self) -> RunStream {
        RunStream::new(self)
    }

    /// Takes the claim and loads the session; then steps can be made one at a time.
    ///
    /// # Errors
    /// When the session is in use, its store unusable, or it says no to the task.
    pub async fn open(self) -> Result<Active, Error> {
        Active::open(self).await
    }
}

impl IntoFuture for RunRequest {
    type Output = Result<Run, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut active = self.open().await?;
            while active.advance().await? {}
            Ok(active.into_run())
        })
    }
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Run {
    pub(crate) state: AgentState,
}

impl Run {
    /// The text of the last answer; empty if there is none.
    pub fn text(&self) -> String {
        self.state.final_response().map_or_else(String::new, |response| response.text())
    }

    /// Where the execution stands.
    pub fn status(&self) -> ExecutionStatus {
        self.state.status().cloned().unwrap_or(ExecutionStatus::InProgress)
    }

    /// Why it stopped, explained; none while it waits for somebody.
    pub fn outcome(&self) -> Option<&ContinuationOutcome> {
        self.state.execution()?.outcome.as_deref()
    }

    /// What it used.
    pub fn usage(&self) -> &Amounts {
        self.state.usage()
    }

    /// Its session.
    pub fn session(&self) -> &SessionId {
        self.state.session()
    }

    /// The state that it ended with.
    pub fn state(&self) -> &AgentState {
        &self.state
    }

    /// The state that it ended with.
    pub fn into_state(self) -> AgentState {
        self.state
    }
}

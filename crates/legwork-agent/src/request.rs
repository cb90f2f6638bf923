//! A run asked for, and what came of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use legwork_core::budget::Amounts;
use legwork_core::{AgentState, ContinuationOutcome, ExecutionStatus, Message, OnDoubt, SessionId};
use legwork_port::{BoxFuture, Observer};

use crate::agent::Agent;
use crate::context::Control;
use crate::error::Error;
use crate::open::Active;
use crate::stream::RunStream;
use crate::subagent::Born;

/// A run asked for: a future that is awaited, spawned or joined with others. Or take its
/// events with [`RunRequest::stream`], or its steps with [`RunRequest::open`].
///
/// Nothing happens before it is first polled. Dropping it leaves the session resumable.
///
/// ```
/// # use legwork_agent::{Agent, Error};
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use futures_util::future::join_all;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// # let model = ScriptedModel::new(vec![Turn::text("done"); 4]);
/// let agent = Agent::builder(model).build()?;
/// let task = tokio::spawn(agent.run("Sort the mail.").in_session("mail"));
/// let runs = join_all(["one", "two", "three"].map(|task| agent.run(task))).await;
/// for run in runs {
///     assert_eq!(run?.text(), "done");
/// }
/// assert_eq!(task.await.expect("it does not panic")?.text(), "done");
/// # Ok(())
/// # }
/// ```
#[must_use = "a run does nothing until it is polled"]
pub struct RunRequest(Stage);

/// How far a run that was asked for has come.
enum Stage {
    Asked(Box<Asked>),
    /// It was polled.
    Running(BoxFuture<'static, Result<Run, Error>>),
}

/// What is asked for.
pub(crate) struct Asked {
    pub(crate) agent: Agent,
    pub(crate) task: Task,
    pub(crate) session: Option<SessionId>,
    pub(crate) state: Option<AgentState>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
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
        let (state, observers, born) = (None, Vec::new(), None);
        let asked = Asked { agent, task, session, state, observers, control, on_doubt, born };
        Self(Stage::Asked(Box::new(asked)))
    }

    /// The same with a change, unless it was polled already.
    fn with(mut self, change: impl FnOnce(&mut Asked)) -> Self {
        if let Stage::Asked(asked) = &mut self.0 {
            change(asked);
        }
        self
    }

    pub(crate) fn born(self, born: Born) -> Self {
        self.with(|asked| asked.born = Some(born))
    }

    /// In this session, new or not, instead of a new one with a random name.
    pub fn in_session(self, session: impl Into<SessionId>) -> Self {
        self.with(|asked| asked.session = Some(session.into()))
    }

    /// On this state instead of what the store has.
    pub fn on_state(self, state: AgentState) -> Self {
        self.with(|asked| {
            asked.session = Some(state.session().clone());
            asked.state = Some(state);
        })
    }

    /// Watched by an observer, too: beside that of the agent, and those given before.
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        self.with(|asked| asked.observers.push(observer))
    }

    /// Under a control that somebody else holds too.
    pub fn control(self, control: Control) -> Self {
        self.with(|asked| asked.control = control)
    }

    /// With this answer to calls in doubt, whatever their tools say.
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        self.with(|asked| asked.on_doubt = Some(on_doubt))
    }

    /// Gives the events of the run as they come, and its result last. Of a run that was
    /// polled before, only the result.
    pub fn stream(self) -> RunStream {
        RunStream::new(self)
    }

    /// Takes the claim and loads the session; then steps can be made one at a time.
    ///
    /// # Errors
    /// When the session is in use, its store unusable, or it says no to the task, and when
    /// the run was polled already.
    pub async fn open(self) -> Result<Active, Error> {
        match self.0 {
            Stage::Asked(asked) => Active::open(*asked).await,
            Stage::Running(_) => Err(Error::Begun),
        }
    }
}

impl Future for RunRequest {
    type Output = Result<Run, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Stage::Running(run) = &mut self.0 {
            return run.as_mut().poll(cx);
        }
        let begun = Stage::Running(Box::pin(std::future::pending()));
        if let Stage::Asked(asked) = std::mem::replace(&mut self.0, begun) {
            self.0 = Stage::Running(Box::pin(run(*asked)));
        }
        self.poll(cx)
    }
}

async fn run(asked: Asked) -> Result<Run, Error> {
    Active::open(asked).await?.run_to_end().await
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

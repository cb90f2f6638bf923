//! A task with tools, without a session.

use std::sync::OnceLock;

use legwork_agent::{Agent, Builder};
use legwork_core::Message;
use legwork_core::orchestrate::ToolUseState;
use legwork_port::BoxFuture;
use legwork_runtime::{Active, Control, Error};

use crate::StepByStep;

/// A task with tools: an agent without a session, a journal and a store.
///
/// It has the driver, hooks and criteria of an agent. The state after each step is a value: a
/// program that keeps it can go on from there after a crash, with [`ToolUse::resume`]. A step that
/// was interrupted is made again, with its calls; where these must not run twice, use an
/// [`Agent`] with a store.
///
/// ```
/// use legwork_agent::Agent;
/// use legwork_orchestrate::{StepByStep as _, ToolUse};
/// # use legwork_testkit::{ScriptedModel, Turn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("42")]);
/// let adder = ToolUse::new(Agent::builder(model).instructions("You add."))?;
/// assert_eq!(adder.run("What is 17 + 25?").await?.text(), "42");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ToolUse(Agent);

impl ToolUse {
    /// Tasks for the agent of a builder, which must not have a store.
    ///
    /// # Errors
    /// As [`Builder::build`], and if a store was set.
    pub fn new(builder: Builder) -> Result<Self, Error> {
        let builder = match builder.has_store() {
            false => builder,
            true => builder.problem(
                "a task with tools does not use a store: leave the store out and keep the state, or \
                 use an agent",
            ),
        };
        builder.build().map(Self)
    }

    /// Works on a task until it ends or waits for an answer.
    ///
    /// # Errors
    /// Errors that are not part of the state, such as those of the configuration.
    pub fn run(&self, task: impl Into<Message>) -> BoxFuture<'static, Result<ToolUseState, Error>> {
        let request = self.0.run(task);
        Box::pin(async move { ToolUseRun::new(request.open().await?).finish().await })
    }

    /// Begins to work on a task, to run it step by step.
    ///
    /// # Errors
    /// As [`ToolUse::run`].
    pub async fn iterate(&self, task: impl Into<Message>) -> Result<ToolUseRun, Error> {
        Ok(ToolUseRun::new(self.0.iterate(task).await?))
    }

    /// Resumes a task from its state.
    ///
    /// # Errors
    /// If nothing is left to do, or as [`ToolUse::run`].
    pub async fn resume(&self, state: ToolUseState) -> Result<ToolUseRun, Error> {
        let state = state.into_agent_state().committed();
        let session = state.session().clone();
        Ok(ToolUseRun::new(self.0.resume(session).on_state(state).open().await?))
    }
}

/// A task with tools that runs step by step.
pub struct ToolUseRun {
    active: Active,
    /// The state of the loop as a state of the task, converted on demand.
    state: OnceLock<ToolUseState>,
}

impl ToolUseRun {
    fn new(active: Active) -> Self {
        Self { active, state: OnceLock::new() }
    }
}

impl StepByStep for ToolUseRun {
    type State = ToolUseState;

    fn state(&self) -> &ToolUseState {
        self.state.get_or_init(|| self.active.state().clone().into())
    }

    async fn next(&mut self) -> Result<Option<ToolUseState>, Error> {
        // Cleared before the await, in case this future is dropped.
        self.state = OnceLock::new();
        Ok(self.active.next().await?.map(ToolUseState::from))
    }

    fn set(&mut self, state: ToolUseState) -> Result<(), Error> {
        self.active.set(state.into_agent_state())?;
        self.state = OnceLock::new();
        Ok(())
    }

    async fn steer(&mut self, message: impl Into<Message> + Send) -> Result<(), Error> {
        self.active.steer(message).await
    }

    fn control(&self) -> &Control {
        self.active.control()
    }
    async fn finish(self) -> Result<ToolUseState, Error> {
        self.active.finish().await.map(ToolUseState::from)
    }
}

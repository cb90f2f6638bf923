//! One task with tools, without a session.

use std::sync::OnceLock;

use legwork_core::Message;
use legwork_core::orchestrate::ToolUseState;
use legwork_port::BoxFuture;

use crate::StepByStep;
use legwork_agent::Agent;
use legwork_agent::Builder;
use legwork_runtime::Active;
use legwork_runtime::Control;
use legwork_runtime::Error;

/// One task with tools: the driver, executor, hooks and criteria of an agent, without a
/// session, a journal and a store.
///
/// Nothing survives a crash but what the caller kept: the state after each step is a
/// value, and [`ToolUse::resume`] goes on exactly there. A call that ran in the step that
/// was cut off runs again with that step; where that must not be, use an [`Agent`] with a
/// store.
///
/// ```
/// use legwork_agent::Agent;
/// use legwork_orchestrate::{StepByStep as _, ToolUse};
/// # use legwork_testkit::{ScriptedModel, Turn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("42")]);
/// let sums = ToolUse::new(Agent::builder(model).instructions("You add."))?;
/// assert_eq!(sums.run("What is 17 + 25?").await?.text(), "42");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ToolUse(Agent);

impl ToolUse {
    /// Tasks for what is built here: a model with tools, hooks, criteria, limits.
    ///
    /// # Errors
    /// As [`Builder::build`], and when a store was given.
    pub fn new(builder: Builder) -> Result<Self, Error> {
        let builder = match builder.has_store() {
            false => builder,
            true => builder.problem(
                "a task with tools keeps nothing in a store: leave the store out, keep the \
                 state yourself, or use an agent",
            ),
        };
        builder.build().map(Self)
    }

    /// Works on a task until it is done or waits for somebody.
    ///
    /// # Errors
    /// What is no part of the state: a setup that cannot work.
    pub fn run(&self, task: impl Into<Message>) -> BoxFuture<'static, Result<ToolUseState, Error>> {
        let request = self.0.run(task);
        Box::pin(async move { ToolUseRun::new(request.open().await?).finish().await })
    }

    /// Works on a task a step at a time.
    ///
    /// # Errors
    /// As [`ToolUse::run`].
    pub async fn iterate(&self, task: impl Into<Message>) -> Result<ToolUseRun, Error> {
        Ok(ToolUseRun::new(self.0.iterate(task).await?))
    }

    /// Goes on with a state that somebody kept.
    ///
    /// # Errors
    /// When it has nothing left to do, or a setup cannot work.
    pub async fn resume(&self, state: ToolUseState) -> Result<ToolUseRun, Error> {
        let state = state.into_agent_state().committed();
        let session = state.session().clone();
        Ok(ToolUseRun::new(self.0.resume(session).on_state(state).open().await?))
    }
}

/// A task with tools under way.
pub struct ToolUseRun {
    active: Active,
    /// The state of the loop as that of a task, made when somebody looks at it.
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
        // Also when this is dropped: what the loop has then is looked at anew.
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

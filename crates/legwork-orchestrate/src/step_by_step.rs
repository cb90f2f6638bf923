//! Agents, chats, collaborations and tasks, run step by step.

use legwork_core::orchestrate::Progress;
use legwork_core::{AgentState, Message};
use legwork_runtime::{Active, Control, Error, Run};

/// An agent, a task with tools, a chat or a collaboration that runs step by step.
///
/// In each step the criteria are evaluated on the state after its work, again if a hook or
/// observer changed votes or requests to stop, and the step is recorded with its outcome. The
/// state after it is a value that can be kept.
///
/// ```no_run
/// # use legwork_agent::{Agent, Error};
/// # use legwork_orchestrate::StepByStep;
/// # use legwork_core::Progress;
/// # async fn program(agent: Agent) -> Result<(), Error> {
/// let mut run = agent.iterate("Tidy up the folder.").await?;
/// while let Some(state) = run.next().await? {
///     println!("{} steps, {} tokens", state.step_count(), state.used().total_tokens());
///     if state.step_count() == 3 {
///         run.steer("Leave the photos alone.").await?;
///     }
/// }
/// println!("{:?}", run.state().status());
/// # Ok(())
/// # }
/// ```
pub trait StepByStep: Send + Sized {
    /// The type of the state.
    type State: Progress + Clone + Send;

    /// The current state.
    fn state(&self) -> &Self::State;

    /// Makes the next step and returns the state after it.
    ///
    /// None if it has ended, waits for an answer, or was interrupted. Call it until it returns
    /// none, because that call carries out a stop. Dropping the future loses only what was not
    /// committed; the next call goes on from there.
    ///
    /// # Errors
    /// Errors that are not part of the state: of a store, or of the configuration.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::State>, Error>> + Send;

    /// Replaces the state; the next step goes on from it.
    ///
    /// # Errors
    /// If it does not extend the current state; nothing is changed then.
    fn set(&mut self, state: Self::State) -> Result<(), Error>;

    /// Adds a message that is taken up before the next inference.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn steer(
        &mut self,
        message: impl Into<Message> + Send,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// The tokens that cancel or interrupt it, also from elsewhere.
    fn control(&self) -> &Control;

    /// Whether another step follows, by the latest outcome.
    fn has_next(&self) -> bool {
        self.state().has_next()
    }

    /// Cancels it; a second call is a no-op.
    fn cancel(&self) {
        self.control().cancel.cancel();
    }

    /// Interrupts it: it stays in progress.
    fn interrupt(&self) {
        self.control().interrupt.cancel();
    }

    /// Makes all remaining steps, and returns the state in which it ends or waits.
    ///
    /// # Errors
    /// As [`StepByStep::next`].
    fn finish(mut self) -> impl Future<Output = Result<Self::State, Error>> + Send {
        async move {
            while self.next().await?.is_some() {}
            Ok(self.state().clone())
        }
    }
}

/// The loop of an agent, which commits each step to its journal.
impl StepByStep for Active {
    type State = AgentState;

    fn state(&self) -> &AgentState {
        self.state()
    }

    async fn next(&mut self) -> Result<Option<AgentState>, Error> {
        self.next().await
    }

    fn set(&mut self, state: AgentState) -> Result<(), Error> {
        self.set(state)
    }

    async fn steer(&mut self, message: impl Into<Message> + Send) -> Result<(), Error> {
        Self::steer(self, message).await
    }

    fn control(&self) -> &Control {
        self.control()
    }
    async fn finish(self) -> Result<AgentState, Error> {
        self.run_to_end().await.map(Run::into_state)
    }
}

//! The handle of whatever goes on step by step.

use legwork_core::orchestrate::Progress;
use legwork_core::{AgentState, Message};

use legwork_runtime::Control;
use legwork_runtime::Error;
use legwork_runtime::{Active, Run};

/// The handle of something that goes on step by step: an agent, a task with tools, a
/// chat, a collaboration.
///
/// A step is made, the criteria are evaluated on the state with the step pending (once
/// more if somebody who was shown its end changed votes or requests to stop), and the
/// step with its outcome is recorded as one result. What stands then is a value, the
/// same for whoever keeps it.
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
    /// What stands after each step.
    type State: Progress + Clone + Send;

    /// The state as it is now.
    fn state(&self) -> &Self::State;

    /// Makes the next step and gives a snapshot of the state after it; none when it is
    /// over, waits for somebody, or was interrupted.
    ///
    /// A stop that was decided is carried out by the call that gives none: call it until
    /// then. Dropping the future loses only what was not committed: the next call goes on.
    ///
    /// # Errors
    /// What is no part of the state: a store that said no, a setup that cannot work.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::State>, Error>> + Send;

    /// Feeds a changed state back: the next step goes on from it.
    ///
    /// # Errors
    /// When it does not extend the state as it is now; nothing is changed then.
    fn set(&mut self, state: Self::State) -> Result<(), Error>;

    /// Says something that is taken up before the very next inference.
    ///
    /// # Errors
    /// When it cannot be kept for that.
    fn steer(
        &mut self,
        message: impl Into<Message> + Send,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// How to cancel or interrupt it from elsewhere.
    fn control(&self) -> &Control;

    /// Whether another step is to be made, by the latest outcome.
    fn has_next(&self) -> bool {
        self.state().has_next()
    }

    /// Ends it as cancelled; a second time is nothing.
    fn cancel(&self) {
        self.control().cancel.cancel();
    }

    /// Leaves it where it is, in progress.
    fn interrupt(&self) {
        self.control().interrupt.cancel();
    }

    /// Makes all steps that are left; gives the state that it ended or waits with.
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

/// The loop of an agent, journaled: the session stands where its last commit left it.
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

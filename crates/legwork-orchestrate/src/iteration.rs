//! A conversation that runs turn by turn.

use std::sync::Arc;

use legwork_core::orchestrate::{ChatState, Conversation};
use legwork_core::{Message, SessionId};
use legwork_port::{Ids, unwind};
use legwork_runtime::{Control, Error};

use crate::StepByStep;
use crate::turn_driver::{TurnDriver, Turned};

/// The speaker of the opening and of steering messages.
pub(super) const USER: &str = "user";

/// A conversation that runs turn by turn; a turn is a step.
pub struct Iteration<S> {
    driver: Arc<TurnDriver<S>>,
    state: S,
    control: Control,
    /// The panic of the source of ids, without which it cannot begin.
    unnamed: Option<String>,
}

/// A chat that runs turn by turn.
pub type ChatRun = Iteration<ChatState>;

impl<S> Iteration<S> {
    /// One that begins or goes on with a state.
    pub(super) fn new(driver: Arc<TurnDriver<S>>, state: S) -> Self {
        Self { driver, state, control: Control::default(), unnamed: None }
    }

    /// One that begins, with a new id.
    pub(super) fn begin(
        driver: Arc<TurnDriver<S>>,
        ids: &dyn Ids,
        state: impl FnOnce(SessionId) -> S,
    ) -> Self {
        match unwind::call(|| ids.session()) {
            Ok(name) => Self::new(driver, state(name)),
            Err(panic) => {
                let unnamed = Some(panic);
                Self { unnamed, ..Self::new(driver, state(SessionId::from(""))) }
            }
        }
    }
}

impl<S: Conversation> Iteration<S> {
    /// Sets the message of the person whose turn it is; the next step records it.
    ///
    /// # Errors
    /// If it does not wait for a person, or the message is empty.
    pub fn answer(&mut self, message: impl Into<Message>) -> Result<(), Error> {
        let chat = self.state.chat().clone().with_answer(message)?;
        self.state = self.state.clone().map_chat(|_| chat);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.state.status().is_some_and(|status| status.is_terminal())
    }
}

impl<S: Conversation> StepByStep for Iteration<S> {
    type State = S;

    fn state(&self) -> &S {
        &self.state
    }

    async fn next(&mut self) -> Result<Option<S>, Error> {
        if let Some(message) = self.unnamed.clone() {
            return Err(Error::Panicked { who: "the source of ids", message });
        }
        if self.is_over() || self.control.interrupt.is_cancelled() {
            return Ok(None);
        }
        // The state is set only after the turn: dropping the future loses only the turn.
        match self.driver.next(self.state.clone(), &self.control).await? {
            Turned::Recorded(state) => {
                self.state = state.clone();
                Ok(Some(state))
            }
            Turned::Unfinished(state) => {
                self.state = state;
                Ok(None)
            }
        }
    }

    fn set(&mut self, state: S) -> Result<(), Error> {
        if !state.chat().extends(&self.state.chat().mark()) {
            return Err(Error::Lineage);
        }
        self.state = state;
        Ok(())
    }

    /// Appends a line of `user`, which the next speaker is shown.
    async fn steer(&mut self, message: impl Into<Message> + Send) -> Result<(), Error> {
        let message = message.into();
        self.state = self.state.clone().map_chat(|chat| chat.with_message(USER, message));
        Ok(())
    }

    fn control(&self) -> &Control {
        &self.control
    }
}

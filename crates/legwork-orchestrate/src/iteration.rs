//! A conversation under way.

use std::sync::Arc;

use legwork_core::orchestrate::{ChatState, Conversation};
use legwork_core::{Message, SessionId};
use legwork_port::Ids;

use crate::StepByStep;
use crate::turn_driver::{Made, TurnDriver};
use legwork_port::unwind;
use legwork_runtime::Control;
use legwork_runtime::Error;

/// Who opens a conversation and steers it.
pub(super) const USER: &str = "user";

/// A conversation under way: a turn a step.
pub struct Iteration<S> {
    maker: Arc<TurnDriver<S>>,
    state: S,
    control: Control,
    /// What kept it from beginning: there is no name that it could be kept under.
    unnamed: Option<String>,
}

/// A chat under way.
pub type ChatRun = Iteration<ChatState>;

impl<S> Iteration<S> {
    /// One that goes on with a state.
    pub(super) fn new(maker: Arc<TurnDriver<S>>, state: S) -> Self {
        Self { maker, state, control: Control::default(), unnamed: None }
    }

    /// One that begins, under a name that none has.
    pub(super) fn begin(
        maker: Arc<TurnDriver<S>>,
        ids: &dyn Ids,
        state: impl FnOnce(SessionId) -> S,
    ) -> Self {
        match unwind::call(|| ids.session()) {
            Ok(name) => Self::new(maker, state(name)),
            Err(panic) => {
                let unnamed = Some(panic);
                Self { unnamed, ..Self::new(maker, state(SessionId::from(""))) }
            }
        }
    }
}

impl<S: Conversation> Iteration<S> {
    /// What a person says whose turn it is; it is that person's turn of the next step.
    ///
    /// # Errors
    /// When nobody is waited for.
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
        // Until it is made the state stays as it was: dropping this loses only the turn.
        match self.maker.next(self.state.clone(), &self.control).await? {
            Made::Step(state) => {
                self.state = state.clone();
                Ok(Some(state))
            }
            Made::Rest(state) => {
                self.state = state;
                Ok(None)
            }
        }
    }

    fn set(&mut self, state: S) -> Result<(), Error> {
        if !state.chat().extends(&self.state.chat().mark()) {
            return Err(Error::Lineage { by: "the caller" });
        }
        self.state = state;
        Ok(())
    }

    /// The next speaker hears it, from `user`.
    async fn steer(&mut self, message: impl Into<Message> + Send) -> Result<(), Error> {
        let message = message.into();
        self.state = self.state.clone().map_chat(|chat| chat.with_message(USER, message));
        Ok(())
    }

    fn control(&self) -> &Control {
        &self.control
    }
}

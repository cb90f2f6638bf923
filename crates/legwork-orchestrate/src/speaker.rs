//! Speakers, which take turns in a conversation.

use std::sync::Arc;

use legwork_account::SharedBudget;
use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::orchestrate::ChatState;
use legwork_core::{AgentState, ExecutionStatus, Message, StopSignal};
use legwork_port::BoxFuture;
use legwork_runtime::{Control, Error};

/// A speaker: an agent, a person, a script, or an implementation of the program.
pub trait Speaker: Send + Sync {
    /// Takes the current turn of the state in the context.
    ///
    /// Errors of the turn itself are part of the result. After the future is dropped the same
    /// turn may be taken again.
    ///
    /// # Errors
    /// Errors outside of the conversation, such as those of a store; the turn can be taken again.
    fn speak<'a>(&'a self, cx: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>>;

    /// Whether it watches [`TurnContext::control`] itself and ends by itself.
    ///
    /// Otherwise the future of its turn is dropped when the conversation is cancelled or
    /// interrupted.
    fn ends_itself(&self) -> bool {
        false
    }
}

/// The context of a turn.
pub struct TurnContext {
    /// The state of the conversation, with its current turn.
    pub state: ChatState,
    /// The name of the speaker.
    pub name: Arc<str>,
    /// A description of the conversation and the speaker's role, for a model.
    pub preface: String,
    /// The tokens that cancel or interrupt the turn.
    pub control: Control,
    pub(crate) budget: SharedBudget,
}

/// The result of a turn.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Spoken {
    pub(crate) message: Option<Message>,
    pub(crate) used: Amounts,
    pub(crate) errors: Vec<ErrorRecord>,
    pub(crate) execution: Option<u64>,
    pub(crate) next: Option<Arc<str>>,
    pub(crate) concludes: bool,
    /// A limit of the conversation that the turn reached.
    pub(crate) limit: Option<StopSignal>,
    pub(crate) rests: Option<(ExecutionStatus, Option<AgentState>)>,
}

impl Spoken {
    /// The speaker said this.
    pub fn message(message: impl Into<Message>) -> Self {
        Self { message: Some(message.into()), ..Self::default() }
    }

    /// The speaker said nothing; the turn is over.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The turn failed, with this message.
    pub fn failed(words: impl Into<String>) -> Self {
        Self::nothing().error(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Model, words))
    }

    /// The turn is not over: it waits for a person.
    pub fn waits() -> Self {
        let rests = Some((ExecutionStatus::AwaitingInput, None));
        Self { rests, ..Self::default() }
    }

    /// The same with what it used.
    pub fn used(self, used: Amounts) -> Self {
        Self { used, ..self }
    }

    /// The same with an error.
    pub fn error(mut self, error: ErrorRecord) -> Self {
        self.errors.push(error);
        self
    }

    /// The same, naming the next speaker.
    pub fn gives_to(self, name: impl Into<Arc<str>>) -> Self {
        Self { next: Some(name.into()), ..self }
    }

    /// The same, saying that the goal is reached.
    pub fn concludes(self) -> Self {
        Self { concludes: true, ..self }
    }
}

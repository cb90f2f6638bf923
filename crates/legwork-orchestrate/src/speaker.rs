//! Who can have the floor in a conversation.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::orchestrate::ChatState;
use legwork_core::{AgentState, ExecutionStatus, Message, StopSignal};
use legwork_port::BoxFuture;

use legwork_runtime::Control;
use legwork_runtime::Error;
use legwork_runtime::account::SharedBudget;

/// Somebody who can have the floor: an agent, a person, a script, or what a program makes.
pub trait Speaker: Send + Sync {
    /// Takes the turn that is under way in the state of the floor.
    ///
    /// What goes wrong in the turn is a part of what is spoken. Dropping the future must
    /// leave nothing behind that the same turn, taken again, would not expect.
    ///
    /// # Errors
    /// What is no part of the conversation, like a store that said no: the turn is not
    /// over then, and can be taken again.
    fn speak<'a>(&'a self, floor: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>>;

    /// Whether it watches the control of the floor itself, and ends in good order. The future
    /// of any other is dropped when the conversation is cancelled or interrupted.
    fn ends_itself(&self) -> bool {
        false
    }
}

/// What a speaker has whose turn it is.
pub struct TurnContext {
    /// The conversation, its turn under way.
    pub state: ChatState,
    /// The name of the speaker.
    pub name: Arc<str>,
    /// Who is there and what is asked of the speaker, in words for a model.
    pub preface: String,
    /// How the turn is cancelled or interrupted.
    pub control: Control,
    pub(crate) share: SharedBudget,
}

/// What came of a turn.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Spoken {
    pub(crate) message: Option<Message>,
    pub(crate) used: Amounts,
    pub(crate) errors: Vec<ErrorRecord>,
    pub(crate) execution: Option<u64>,
    pub(crate) next: Option<Arc<str>>,
    pub(crate) concludes: bool,
    /// A limit of the conversation that the turn came to.
    pub(crate) limit: Option<StopSignal>,
    pub(crate) rests: Option<(ExecutionStatus, Option<AgentState>)>,
}

impl Spoken {
    /// Something was said.
    pub fn message(message: impl Into<Message>) -> Self {
        Self { message: Some(message.into()), ..Self::default() }
    }

    /// Nothing was said; the turn is over all the same.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The turn went wrong, in these words.
    pub fn failed(words: impl Into<String>) -> Self {
        Self::nothing().error(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Model, words))
    }

    /// A person has to answer; the turn is not over.
    pub fn waits() -> Self {
        let rests = Some((ExecutionStatus::AwaitingInput, None));
        Self { rests, ..Self::default() }
    }

    /// The same with what it used.
    pub fn used(self, used: Amounts) -> Self {
        Self { used, ..self }
    }

    /// The same with something that went wrong.
    pub fn error(mut self, error: ErrorRecord) -> Self {
        self.errors.push(error);
        self
    }

    /// The same, giving the floor to somebody.
    pub fn gives_to(self, name: impl Into<Arc<str>>) -> Self {
        Self { next: Some(name.into()), ..self }
    }

    /// The same, saying that the goal is reached.
    pub fn concludes(self) -> Self {
        Self { concludes: true, ..self }
    }
}

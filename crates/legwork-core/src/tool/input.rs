//! Input that the body of a call asks for in the middle of its work.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::nesting::shallow;
use crate::time::Micros;
use crate::tool::{Prompt, ToolOutcome};

/// Characters of a prompt that people are shown.
const SHOWN: usize = 200;

/// A request of the body of a call for input: the body runs again with what a person supplies, or
/// with what the model answers.
///
/// ```
/// use legwork_core::ToolOutcome;
/// use legwork_core::tool::InputRequest;
///
/// let outcome: ToolOutcome = InputRequest::new("Which branch is to be deleted?").into();
/// assert!(!outcome.is_answer());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputRequest {
    /// What is asked, for the person.
    pub message: String,
    /// The JSON Schema of what is asked for; none if any value will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
    /// What the body needs to go on; nobody is shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<Value>,
    /// How long it can be answered; none = for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<Micros>,
    /// What the model is asked, in place of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<Box<Prompt>>,
}

impl InputRequest {
    /// A request for any value, which never expires.
    pub fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message, schema: None, state: None, expires_in: None, prompt: None }
    }

    /// A request that the model of the session answers; the body runs again with a
    /// [`Prompted`](crate::tool::Prompted).
    pub fn of_model(prompt: Prompt) -> Self {
        let last = prompt.messages().last().map(|message| message.text()).unwrap_or_default();
        let shown: String = last.chars().take(SHOWN).collect();
        Self { prompt: Some(Box::new(prompt)), ..Self::new(shown) }
    }

    /// The same for a value that fits a JSON Schema, such as an object with a property for each
    /// thing that the person is asked.
    ///
    /// Nothing checks that what is supplied fits: programs that ask people do, and the body.
    #[must_use]
    pub fn with_schema(self, schema: Value) -> Self {
        Self { schema: Some(shallow(schema)), ..self }
    }

    /// The same with what the body needs to go on where it was; it is journaled.
    ///
    /// A value that is nested too deeply for a journal is kept as its JSON text.
    #[must_use]
    pub fn with_state(self, state: Value) -> Self {
        Self { state: Some(shallow(state)), ..self }
    }

    /// The same with a time after which it cannot be answered any more, and the call is denied.
    #[must_use]
    pub fn expires_in(self, time: impl Into<Micros>) -> Self {
        Self { expires_in: Some(time.into()), ..self }
    }

    /// The JSON Schema of what is asked for; none if any value will do.
    pub fn schema(&self) -> Option<&Value> {
        self.schema.as_ref()
    }

    /// What the model is asked; none if a person is asked.
    pub fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_deref()
    }

    /// What the body needs to go on.
    pub fn state(&self) -> Option<&Value> {
        self.state.as_ref()
    }
}

impl From<InputRequest> for ToolOutcome {
    fn from(request: InputRequest) -> Self {
        Self::NeedsInput(Box::new(request))
    }
}

/// Input that was supplied to a call, with the request that it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Supplied {
    /// What the body asked for.
    pub request: InputRequest,
    /// What was supplied.
    pub value: Value,
}

impl Supplied {
    /// The value, as a type that it is read as.
    ///
    /// # Errors
    /// When it does not fit the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.value)
    }
}

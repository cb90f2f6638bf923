//! What a service asks of a client while it answers a request.

use std::collections::BTreeMap;
use std::fmt;

use rmcp::model::{InputRequest, TASKS_EXTENSION_ID};
use serde_json::{Value, json};

/// Questions by keys that the service chooses.
pub type Questions = BTreeMap<String, Question>;

/// The results of questions by their keys, as the protocol has them.
pub type Answers = BTreeMap<String, Value>;

/// A question to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub(crate) request: Value,
    pub(crate) needs: Ability,
}

/// What a client has to be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ability {
    /// Show a form to a person.
    Forms,
    /// Ask its model.
    Sampling,
    /// Say which directories are worked in.
    Roots,
    /// Poll tasks, so that a call may become one.
    Tasks,
}

impl fmt::Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forms => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
            Self::Tasks => TASKS_EXTENSION_ID,
        })
    }
}

impl Ability {
    /// The capabilities of a client that can do this, and nothing else.
    pub(crate) fn capabilities(self) -> Value {
        match self {
            Self::Tasks => json!({"extensions": {TASKS_EXTENSION_ID: {}}}),
            ability => json!({ability.to_string(): {}}),
        }
    }
}

impl Question {
    /// A form that a person fills in: what is asked, and a JSON Schema of flat fields.
    ///
    /// The answer has an `action` (`accept`, `decline` or `cancel`) and, if it is `accept`, the
    /// fields in `content`.
    pub fn form(message: impl Into<String>, schema: &Value) -> Self {
        let message: String = message.into();
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        Self::new("elicitation/create", Some(params), Ability::Forms)
    }

    /// A text for the client's model, and the most tokens of its answer.
    pub fn sampling(text: impl Into<String>, max_tokens: u32) -> Self {
        let text: String = text.into();
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        let params = json!({"messages": [message], "maxTokens": max_tokens});
        Self::new("sampling/createMessage", Some(params), Ability::Sampling)
    }

    /// The directories that are worked in.
    pub fn roots() -> Self {
        Self::new("roots/list", None, Ability::Roots)
    }

    fn new(method: &str, params: Option<Value>, needs: Ability) -> Self {
        let mut request = json!({"method": method});
        if let (Some(params), Some(request)) = (params, request.as_object_mut()) {
            request.insert("params".to_owned(), params);
        }
        Self { request, needs }
    }

    /// The request of the protocol.
    ///
    /// # Errors
    /// When its schema is not one that a form may have.
    pub(crate) fn to_request(&self) -> Result<InputRequest, serde_json::Error> {
        serde_json::from_value(self.request.clone())
    }

    /// Whether a value has the form of an answer.
    pub(crate) fn takes(&self, answer: &Value) -> bool {
        let key = match self.needs {
            Ability::Forms => "action",
            Ability::Sampling => "content",
            Ability::Roots => "roots",
            // No question needs this.
            Ability::Tasks => return false,
        };
        let has_content = self.needs != Ability::Forms
            || answer.get("action").and_then(Value::as_str) != Some("accept")
            || answer.get("content").is_some_and(Value::is_object);
        answer.get(key).is_some() && has_content
    }
}

/// The fields of a form that was filled in; none if the person declined or dismissed it.
pub fn accepted(answer: &Value) -> Option<&Value> {
    let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    answer.get("content").filter(|_| is_accepted)
}

//! An error as the editor reads it.

use serde_json::{Value, json};

use crate::host;

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    code: i32,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// The line is no JSON.
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::of(-32700, message)
    }

    /// The request is not one that can be made now.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::of(-32600, message)
    }

    /// There is no such method.
    pub(crate) fn method(name: &str) -> Self {
        Self::of(-32601, format!("there is no method {name}"))
    }

    /// The parameters do not fit.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::of(-32602, message)
    }

    /// What was asked for went wrong.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::of(-32603, message)
    }

    /// What was named is not there.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::of(-32002, message)
    }

    fn of(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// As it is written.
    pub(crate) fn to_value(&self) -> Value {
        match &self.hint {
            None => json!({"code": self.code, "message": self.message}),
            Some(hint) => {
                let message = format!("{}: {hint}", self.message);
                json!({"code": self.code, "message": message, "data": {"hint": hint}})
            }
        }
    }
}

impl From<host::Error> for Failure {
    fn from(error: host::Error) -> Self {
        Self { hint: error.hint, ..Self::internal(error.message) }
    }
}

impl From<legwork_agent::Error> for Failure {
    fn from(error: legwork_agent::Error) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<legwork_port::store::Error> for Failure {
    fn from(error: legwork_port::store::Error) -> Self {
        Self::internal(error.to_string())
    }
}

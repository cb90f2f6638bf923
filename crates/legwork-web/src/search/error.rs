//! Why there are no results.

use crate::{address, client};

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no engine of that name.
    #[error("there is no search engine {name:?}: they are {known}")]
    UnknownEngine {
        /// The name that was given.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The engine needs a key.
    #[error("{engine} needs a key: set {variable}, or [keys.{engine}] in legwork.toml")]
    NoKey {
        /// The engine.
        engine: &'static str,
        /// The variable that may hold it.
        variable: &'static str,
    },
    /// The engine has no address of its own.
    #[error("{engine} has no address of its own: give the one of a server as base_url")]
    NoAddress {
        /// The engine.
        engine: &'static str,
    },
    /// The key cannot be sent.
    #[error("the key of {engine} holds characters that no header may have")]
    Key {
        /// The engine.
        engine: &'static str,
    },
    /// The address of the engine is none.
    #[error("the base URL of {engine}: {source}")]
    Address {
        /// The engine.
        engine: &'static str,
        /// What is wrong with it.
        source: address::Error,
    },
    /// The engine was not reached, or broke off.
    #[error("{engine} did not answer: {source}")]
    Client {
        /// The engine.
        engine: &'static str,
        /// What went wrong.
        source: client::Error,
    },
    /// The engine refuses the key.
    #[error("{engine} refuses the key ({status}){said}: a person has to set a valid one")]
    Unauthorized {
        /// The engine.
        engine: &'static str,
        /// The status of the answer.
        status: u16,
        /// What it said, behind a colon; may be empty.
        said: String,
    },
    /// There were too many requests, or none are left.
    #[error("{engine} takes no more requests for now (429){said}{}", after(retry_after))]
    RateLimited {
        /// The engine.
        engine: &'static str,
        /// What it said, behind a colon; may be empty.
        said: String,
        /// When to ask again, as it said it.
        retry_after: Option<String>,
    },
    /// The engine answered with an error.
    #[error("{engine} answered {status}{said}")]
    Status {
        /// The engine.
        engine: &'static str,
        /// The status of the answer.
        status: u16,
        /// What it said, behind a colon; may be empty.
        said: String,
    },
    /// The answer is none that can be read.
    #[error("the answer of {engine} cannot be read: {why}")]
    Malformed {
        /// The engine.
        engine: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Another provider's error, in words.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Whether the same may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Client { source, .. } => source.is_retryable(),
            Self::RateLimited { .. } => true,
            Self::Status { status, .. } => *status >= 500,
            _ => false,
        }
    }
}

fn after(retry_after: &Option<String>) -> String {
    retry_after.as_ref().map_or_else(String::new, |when| format!("; ask again after {when} s"))
}

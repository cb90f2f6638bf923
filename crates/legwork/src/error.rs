//! The error of this crate.

use legwork_port::store;

use crate::model::Problem;

/// An error outside of an execution; errors in an execution are in its state.
///
/// The methods of an agent return the narrower [`legwork_agent::Error`], which knows neither names
/// of models nor addresses of stores; `?` makes this one of it:
///
/// ```
/// use legwork::prelude::*;
///
/// async fn ask(agent: &Agent) -> legwork::Result<Run> {
///     Ok(agent.run("What is 17 + 25?").await?)
/// }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The agent cannot be built or run.
    #[error(transparent)]
    Agent(#[from] legwork_agent::Error),
    /// The model cannot be used.
    #[error("the model `{model}` cannot be used: {reason}")]
    Model {
        /// The name that was given.
        model: String,
        /// Why, and what to do.
        reason: Problem,
    },
    /// The run of an agent with an output type completed, and its output is no value of that type.
    #[error("session {}: there is no value: {problem}", .run.session())]
    Output {
        /// The run.
        run: Box<legwork_agent::Run>,
        /// What is wrong with its output.
        problem: String,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A result whose error is [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Formats it as `Display` does, for a `main` that returns it.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The run as far as it came, if there is one.
    pub fn run(&self) -> Option<legwork_agent::Run> {
        match self {
            Self::Agent(error) => error.run(),
            Self::Output { run, .. } => Some((**run).clone()),
            _ => None,
        }
    }

    /// The run that did not complete, if this is the error.
    pub fn unfinished(&self) -> Option<&legwork_agent::Unfinished> {
        match self {
            Self::Agent(error) => error.unfinished(),
            _ => None,
        }
    }

    /// Whether the same may succeed later: the store failed or is busy, or what failed the
    /// execution may pass. Resuming the session says whether something of it is left to do.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Agent(error) => error.is_retryable(),
            Self::Store(error) => error.is_retryable(),
            Self::Model { .. } | Self::Output { .. } => false,
        }
    }

    /// The error of the store, if it is one.
    pub fn as_store(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            Self::Agent(error) => error.as_store(),
            _ => None,
        }
    }
}

/// The reason for an error that a missing feature causes.
pub(crate) fn feature(name: &str) -> String {
    format!(
        "it needs the feature `{name}` of the crate `legwork`: add it to that dependency's \
         `features` in Cargo.toml"
    )
}

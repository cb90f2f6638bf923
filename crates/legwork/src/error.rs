//! What goes wrong before and around an execution.

use legwork_port::store;

/// What goes wrong before and around an execution; what goes wrong in it is in its state.
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
    /// The agent or its session says no.
    #[error(transparent)]
    Agent(#[from] legwork_agent::Error),
    /// The model cannot be set up.
    #[error("the model `{model}` cannot be used: {reason}")]
    Model {
        /// The model, as it was asked for.
        model: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The same as its text, for a `main` that returns it.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The run that did not complete, if that is what went wrong.
    pub fn unfinished(&self) -> Option<&legwork_agent::Unfinished> {
        match self {
            Self::Agent(error) => error.unfinished(),
            _ => None,
        }
    }

    /// The store's error, if that is what went wrong.
    pub fn as_store(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) | Self::Agent(legwork_agent::Error::Store(error)) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong where a feature is off that something needs.
#[cfg(not(all(feature = "openai", feature = "sqlite", feature = "tools")))]
pub(crate) fn feature(name: &str) -> String {
    format!(
        "it needs the feature `{name}` of the crate `legwork`: add it to that dependency's \
         `features` in Cargo.toml"
    )
}

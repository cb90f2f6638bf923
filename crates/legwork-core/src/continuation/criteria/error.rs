//! Why a criterion gave no decision.

/// Why a criterion gave no decision.
///
/// A text converts into [`Error::Failed`], so a closure can end with `?` or `.into()`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It failed, for this reason.
    #[error("{0}")]
    Failed(String),
    /// It failed for now, for this reason: something that it needs was unavailable.
    #[error("{0}")]
    Temporary(String),
    /// It panicked, with this message.
    #[error("it panicked: {0}")]
    Panicked(String),
}

impl Error {
    /// Whether the criterion may decide when it is asked again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Temporary(_))
    }
}

impl From<String> for Error {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<&str> for Error {
    fn from(reason: &str) -> Self {
        Self::Failed(reason.to_owned())
    }
}

/// The error for a name that no criterion has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no criterion `{name}`: there are {}", .known.join(", "))]
pub struct UnknownCriterion {
    /// The name that no criterion has.
    pub name: String,
    /// The names that there are.
    pub known: Vec<String>,
}

//! Why a hook failed.

use std::time::Duration;

/// Why a hook failed.
///
/// A text converts into [`Error::Failed`], so a hook can end with `?` or `.into()`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It failed, for this reason.
    #[error("{0}")]
    Failed(String),
    /// It failed for now, for this reason: something that it needs was unavailable.
    #[error("{0}")]
    Temporary(String),
    /// It ran longer than it may.
    #[error("it ran longer than its limit of {0:.1?}")]
    TimedOut(Duration),
    /// It panicked, with this message.
    #[error("it panicked: {0}")]
    Panicked(String),
}

impl Error {
    /// It failed, for this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }

    /// It failed for now, for this reason: something that it needs was unavailable.
    pub fn temporary(reason: impl Into<String>) -> Self {
        Self::Temporary(reason.into())
    }

    /// Whether the hook may succeed when it runs again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Temporary(_) | Self::TimedOut(_))
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

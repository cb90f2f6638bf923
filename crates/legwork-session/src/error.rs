//! What goes wrong with a session that nothing runs.

use legwork_core::SessionId;
use legwork_core::state::Refusal;
use legwork_port::store;

/// Why a session could not be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session refuses what was asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed, or refuses what was asked.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// There is no such session.
    #[error("there is no session {0}: list the sessions to see which there are")]
    Unknown(SessionId),
    /// The store keeps no sessions.
    #[error("nothing is kept of session {0}: the agent has no store; give it one when it is built")]
    NoStore(SessionId),
}

impl Error {
    /// Whether the same may succeed later: the store failed, or is busy.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_retryable())
    }
}

//! What a list of sessions says of one.

use legwork_core::{SessionId, Summary, Timestamp};

/// What a list of sessions says of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// The session.
    pub session: SessionId,
    /// When its first entry was made.
    pub created_at: Timestamp,
    /// When its last entry was made.
    pub updated_at: Timestamp,
    /// How many entries it has.
    pub entries: u64,
    /// What was said of it last; empty if nothing ever was.
    pub summary: Summary,
}

//! A session in a listing.

use legwork_core::{SessionId, Summary, Timestamp};

/// A session in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// The id of the session.
    pub session: SessionId,
    /// When its first entry was made.
    pub created_at: Timestamp,
    /// When its last entry was made.
    pub updated_at: Timestamp,
    /// The number of its entries.
    pub entries: u64,
    /// Its summary as last stored; empty if none ever was.
    pub summary: Summary,
}

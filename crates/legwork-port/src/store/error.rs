//! Why a store did not do what it was asked for.

use legwork_core::id::Unfit;
use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId};

/// Why a store did not do it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else writes the session, or wrote it meanwhile.
    #[error("session {session} is in use or was changed meanwhile: {reason}")]
    Conflict {
        /// The session.
        session: SessionId,
        /// What exactly was found, and what to do.
        reason: String,
    },
    /// A newer Legwork wrote an entry of the session, so this one must not write to it.
    #[error(
        "session {session} was not changed, for this Legwork cannot read entry {entry} of its \
         journal: {reason}; use a newer Legwork"
    )]
    Unreadable {
        /// The session.
        session: SessionId,
        /// The number of the first entry that cannot be read.
        entry: Seq,
        /// What of it cannot be read.
        reason: String,
    },
    /// The id is none that a store takes: people read it, and copy it into commands.
    #[error("{:?} cannot be the id of a session: {unfit}; choose another", .session.as_str())]
    Id {
        /// The id.
        session: SessionId,
        /// What is wrong with it.
        unfit: Unfit,
    },
    /// The inbox has an item that the writer of a batch did not know of.
    #[error("session {session} was not changed, for its inbox has items up to {}", .inbox.0)]
    NewItems {
        /// The session.
        session: SessionId,
        /// The last item in its inbox.
        inbox: Cursor,
    },
    /// The place in a listing is none that this store gave out.
    #[error("{cursor:?} is no place in a listing of the store {store}; begin at the start")]
    PageCursor {
        /// The store, as the user named it.
        store: String,
        /// The cursor.
        cursor: String,
    },
    /// There is no such session.
    #[error("there is no session {session}")]
    Unknown {
        /// The session.
        session: SessionId,
    },
    /// The store cannot be used as it is.
    #[error("the store {store} cannot be used: {reason}")]
    Unusable {
        /// The store, as the user named it.
        store: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A newer Legwork wrote it.
    #[error(
        "the store {store} is of version {found}, this Legwork knows up to {known}: use a newer Legwork"
    )]
    Newer {
        /// The store, as the user named it.
        store: String,
        /// The version found.
        found: u32,
        /// The newest version known.
        known: u32,
    },
    /// Reading or writing failed.
    #[error("the store {store} failed: {reason}")]
    Failed {
        /// The store, as the user named it.
        store: String,
        /// What happened, and what to do.
        reason: String,
    },
}

impl Error {
    /// Whether it is a conflict with another writer.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }

    /// Whether nothing was written because the inbox has new items.
    pub fn is_new_items(&self) -> bool {
        matches!(self, Self::NewItems { .. })
    }
}

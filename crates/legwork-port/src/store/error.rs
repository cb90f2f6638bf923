//! The errors of stores.

use legwork_core::id::Unfit;
use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId};

/// The error of an operation of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another writer holds the session, or has written to it.
    #[error("session {session} is in use or was changed meanwhile: {reason}")]
    Conflict {
        /// The id of the session.
        session: SessionId,
        /// What was found, and what to do.
        reason: String,
    },
    /// The journal has an entry that this version cannot read, so it must not be written.
    #[error(
        "session {session} was not changed, because this Legwork cannot read entry {entry} of its \
         journal: {reason}; use a newer Legwork"
    )]
    Unreadable {
        /// The id of the session.
        session: SessionId,
        /// The number of the first entry that cannot be read.
        entry: Seq,
        /// Why it cannot be read.
        reason: String,
    },
    /// The session id is invalid.
    #[error("{:?} cannot be the id of a session: {unfit}; choose another", .session.as_str())]
    Id {
        /// The invalid id.
        session: SessionId,
        /// What is wrong with it.
        unfit: Unfit,
    },
    /// The inbox has items after those that the writer of a batch knew of.
    #[error("session {session} was not changed, because its inbox has items up to {}", .inbox.0)]
    NewItems {
        /// The id of the session.
        session: SessionId,
        /// The last item in its inbox.
        inbox: Cursor,
    },
    /// The cursor was not made by this store.
    #[error("{cursor:?} is not a page cursor of the store {store}: list from the start")]
    PageCursor {
        /// The store, as the user named it.
        store: String,
        /// The text of the cursor.
        cursor: String,
    },
    /// There is no such session.
    #[error("there is no session {session}")]
    Unknown {
        /// The id of the session.
        session: SessionId,
    },
    /// The store cannot be used.
    #[error("the store {store} cannot be used: {reason}")]
    Unusable {
        /// The store, as the user named it.
        store: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The store has a newer version.
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
    /// Whether it is [`Error::Conflict`].
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }

    /// Whether it is [`Error::NewItems`].
    pub fn is_new_items(&self) -> bool {
        matches!(self, Self::NewItems { .. })
    }
}

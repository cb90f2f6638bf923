//! The errors of stores.

use std::fmt;

use legwork_core::id::Unfit;
use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId};

/// The error of an operation of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The claim of the session is held.
    #[error("session {session} is in use: {by}")]
    Held {
        /// The id of the session.
        session: SessionId,
        /// Its holder.
        by: Holder,
    },
    /// The claim of the session was lost: nothing can be written under it any more.
    #[error("the claim of session {session} was lost: {cause}")]
    Lost {
        /// The id of the session.
        session: SessionId,
        /// How it was lost.
        cause: Loss,
    },
    /// The journal does not end where the writer expected it to.
    #[error(
        "session {session} was changed meanwhile: its last entry is {found}, not {expected}; \
         load it again to go on"
    )]
    Moved {
        /// The id of the session.
        session: SessionId,
        /// The number of the last entry that the writer knew of.
        expected: Seq,
        /// The number of the last entry in the journal.
        found: Seq,
    },
    /// There is a session of this id already, and it is not replaced.
    #[error(
        "there is a session {session} already, which is not replaced; give the new one another id"
    )]
    Exists {
        /// The id of the session.
        session: SessionId,
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
    /// The code of the store panicked; whether it wrote anything is not known.
    #[error("the store panicked: {message}; load the session again to see how far it came")]
    Panicked {
        /// What it said.
        message: String,
    },
}

/// Who holds the claim of a session, as far as the store can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// This process.
    ThisProcess,
    /// The process with this id on this machine.
    Process(u32),
    /// A process of which nothing is known.
    Unknown,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisProcess => {
                f.write_str("this process works in it already; wait until that has ended")
            }
            Self::Process(id) => {
                write!(f, "process {id} works in it; wait until that has ended, or end it")
            }
            Self::Unknown => {
                f.write_str("another process works in it; wait until that has ended, or end it")
            }
        }
    }
}

/// How a claim was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Another writer has claimed the session since.
    Claimed,
    /// The session was removed since.
    Removed,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claimed => "another writer has claimed it since; load it again to go on",
            Self::Removed => "it was removed since; begin a new one",
        })
    }
}

impl Error {
    /// Whether the same operation may succeed later: the claim is held now, or reading or writing
    /// failed.
    ///
    /// A writer that lost its claim, or whose journal was changed, has to load the session again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Held { .. } | Self::Failed { .. })
    }

    /// Whether it is a conflict with another writer: the claim is held or was lost, the journal
    /// was changed, or the session exists.
    pub fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::Held { .. } | Self::Lost { .. } | Self::Moved { .. } | Self::Exists { .. }
        )
    }

    /// Whether it is [`Error::NewItems`].
    pub fn is_new_items(&self) -> bool {
        matches!(self, Self::NewItems { .. })
    }
}

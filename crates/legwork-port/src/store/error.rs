//! Why a store did not do what it was asked for.

use std::fmt;

use legwork_core::id::Unfit;
use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId};

/// Why a store did not do it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody holds the claim of the session.
    #[error("session {session} is in use: {by}")]
    Held {
        /// The session.
        session: SessionId,
        /// Who holds it.
        by: Holder,
    },
    /// The claim of the session was lost: nothing can be written under it any more.
    #[error("the claim of session {session} was lost: {cause}")]
    Lost {
        /// The session.
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
        /// The session.
        session: SessionId,
        /// The number of the last entry that the writer knew of.
        expected: Seq,
        /// The number of the last entry that is there.
        found: Seq,
    },
    /// There is a session of this id already, and it is not replaced.
    #[error(
        "session {session} was not restored, for it is here already; restore it under another id"
    )]
    Exists {
        /// The session.
        session: SessionId,
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

/// Who holds the claim of a session, as far as the store can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// This process.
    ThisProcess,
    /// The process with this id on this machine.
    Process(u32),
    /// Another one.
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
    /// Somebody claimed the session since.
    Claimed,
    /// Somebody removed the session since.
    Removed,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claimed => "somebody claimed it since; load it again to go on",
            Self::Removed => "somebody removed it since; begin a new one",
        })
    }
}

impl Error {
    /// Whether it is a conflict with another writer, who is at work or was: the claim is held
    /// or was lost, the journal has moved on, or the session exists.
    pub fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::Held { .. } | Self::Lost { .. } | Self::Moved { .. } | Self::Exists { .. }
        )
    }

    /// Whether nothing was written because the inbox has new items.
    pub fn is_new_items(&self) -> bool {
        matches!(self, Self::NewItems { .. })
    }
}

//! Where journals and inboxes live.

use std::fmt;
use std::sync::Arc;

use legwork_core::id::Unfit;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::journal::Journal;
use legwork_core::{Entry, Fence, Seq, SessionId, Timestamp};

use crate::BoxFuture;

/// Keeps journals and inboxes. Reading needs no claim.
pub trait Store: Send + Sync {
    /// Takes the right to write a session's journal.
    ///
    /// When it returns, nobody else holds it, and its fence is higher than that of every
    /// claim before. A claim whose process died is taken over. The session need not exist,
    /// and its journal is not looked at: whether it can be written shows when it is read.
    ///
    /// # Errors
    /// [`Error::Id`] when the id is none ([`check_id`]), [`Error::Conflict`] when another
    /// holds it, before anything happened.
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>>;

    /// Whether a session's claim is held; none if the store cannot tell.
    ///
    /// It does not take the claim. The answer may be outdated when this returns: it is for
    /// display, and no decision may depend on it.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn is_claimed<'a>(
        &'a self,
        _session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Reads a session's journal; empty if there is no such session.
    ///
    /// A damaged tail is left out and reported, and so is the first entry that this version
    /// cannot read with all that follows it. Nothing is written.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn read<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Loaded, Error>>;

    /// Lists sessions, the one changed last first, at most `limit` of them.
    ///
    /// # Errors
    /// When the store cannot be read. One damaged session never hides the others.
    fn sessions(&self, limit: usize) -> BoxFuture<'_, Result<Vec<SessionInfo>, Error>>;

    /// Leaves an item for a session. When it returns, the item is durable.
    ///
    /// The journal is not looked at: a newer version may take up what an older one leaves.
    /// The same key again changes nothing and returns the first one's number.
    ///
    /// # Errors
    /// [`Error::Id`] when the id is none ([`check_id`]), else when the store cannot be written.
    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>>;

    /// Reads the items after a cursor, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>>;

    /// Removes sessions for good, all of them or none; one named twice counts once.
    ///
    /// When it returns `Ok`, their journals, inboxes and claims' tokens are durably gone,
    /// all at one moment: no reader sees a part of a session. Their ids are free, and a
    /// session that takes one begins anew. While it works it holds the claim of each. That
    /// a journal is damaged or unreadable does not keep it from being removed.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is no session of an id, [`Error::Conflict`] when
    /// somebody holds the claim of one; else what the store said. Nothing was removed then.
    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>>;
}

/// Refuses an id that no store takes, as [`Store::claim`] and [`Store::post`] do. What is in a
/// store all the same can be listed, read and removed.
///
/// # Errors
/// [`Error::Id`].
pub fn check_id(session: &SessionId) -> Result<(), Error> {
    match session.unfit() {
        None => Ok(()),
        Some(unfit) => Err(Error::Id { session: session.clone(), unfit }),
    }
}

/// The right to write one session's journal. Dropping it gives it back.
pub trait Claim: Send + Sync {
    /// Its fencing token: higher than that of every claim before.
    fn fence(&self) -> Fence;

    /// Appends entries after the one numbered `expected`.
    ///
    /// When it returns `Ok`, all of them are durable; else none of them is there. They
    /// are numbered without a gap from `expected + 1`. They take the place of a damaged
    /// tail, of which nothing that is whole is deleted.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when there is an entry after `expected` that this version
    /// cannot read, [`Error::Conflict`] when the claim was lost or the journal's last entry
    /// is not `expected`; else what the store said. Nothing was changed then.
    fn append<'a>(
        &'a self,
        expected: Seq,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<Appended, Error>>;
}

/// What an append tells beside that it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Appended {
    /// The last item in the session's inbox: whoever is behind it reads the inbox.
    pub inbox: Cursor,
}

/// A session's journal as it was read.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The entries up to the last that is whole and can be read.
    pub journal: Journal,
    /// What was damaged and left out, in words. The next append takes its place.
    pub damage: Option<String>,
    /// Where the journal goes on with what this version cannot read. It must not be written.
    pub unreadable: Option<Unreadable>,
    /// The last item in the session's inbox.
    pub inbox: Cursor,
}

impl Loaded {
    /// The same, if the session may be written: what everybody asks who is going to.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when there is an entry that this version cannot read.
    pub fn writable(self, session: &SessionId) -> Result<Self, Error> {
        match self.unreadable {
            None => Ok(self),
            Some(unreadable) => Err(unreadable.refuses(session)),
        }
    }
}

/// The first entry of a journal that is whole, but which this version cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its number.
    pub entry: Seq,
    /// What of it cannot be read.
    pub reason: String,
}

impl Unreadable {
    /// The error of whoever wants to write the session.
    pub fn refuses(self, session: &SessionId) -> Error {
        let Self { entry, reason } = self;
        Error::Unreadable { session: session.clone(), entry, reason }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, reason } = self;
        write!(
            f,
            "this Legwork cannot read entry {entry} and what follows it: {reason}; \
             use a newer Legwork"
        )
    }
}

/// How thoroughly sessions were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Nothing of what they said can be found in the store's own files or memory.
    Complete,
    /// They are gone for all who use the store, but whoever reads its files byte by byte
    /// may still find some of what they said: why, and what to do.
    Traces(String),
}

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
}

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
}

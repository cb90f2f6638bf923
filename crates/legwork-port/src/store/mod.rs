//! Where journals and inboxes live.
//!
//! [`Store`] keeps sessions, and a [`Claim`] is the right to write one. A [`Batch`] is what
//! one append writes, a [`Range`] what one read reads, a [`Query`] what one list lists.

mod batch;
mod claim;
mod error;
mod loaded;
mod page;
mod query;
mod range;
mod removal;
mod session_info;
mod watchers;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};

pub use batch::Batch;
pub use claim::{Appended, Claim};
pub use error::{Error, Holder, Loss};
pub use loaded::{Loaded, Unreadable};
pub use page::{Page, PageCursor};
pub use query::{Parent, Query};
pub use range::Range;
pub use removal::Removal;
pub use session_info::SessionInfo;
pub use watchers::Watchers;

use crate::BoxFuture;

/// Keeps journals and inboxes. Reading needs no claim.
///
/// Nothing happens before a future is polled. What a future that is dropped later may have
/// done, the methods say that write.
pub trait Store: Send + Sync {
    /// Takes the right to write a session's journal.
    ///
    /// When it returns, nobody else holds it, and its fence is higher than that of every
    /// claim before. A claim whose process died is taken over. The session need not exist,
    /// and its journal is not looked at: whether it can be written shows when it is read.
    ///
    /// # Errors
    /// [`Error::Id`] when the id is none ([`check_id`]), [`Error::Held`] when another
    /// holds it, before anything happened.
    ///
    /// # Cancel safety
    /// A dropped future gives back what it took, as a dropped [`Claim`] does. The fence may
    /// have risen.
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

    /// Reads a range of a session's journal; empty if there is no such session, or no such
    /// entry.
    ///
    /// When it returns, the entries are in the order of their numbers and without a gap. A
    /// damaged tail is left out and reported, and so is the first entry that this version
    /// cannot read with all that follows it. What comes before the range is not looked at.
    /// Nothing is written.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>>;

    /// Lists sessions that have an entry, the one changed last first.
    ///
    /// No journal is read for it: what a list says of a session, an append brought. Whoever
    /// goes from page to page finds each session that does not change meanwhile once.
    ///
    /// # Errors
    /// [`Error::PageCursor`] when the cursor is none that this store gave out, else when the
    /// store cannot be read. One damaged session never hides the others.
    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>>;

    /// Leaves an item for a session. When it returns, the item is durable.
    ///
    /// The journal is not looked at: a newer version may take up what an older one leaves.
    /// The same key again changes nothing and returns the first one's number.
    ///
    /// # Errors
    /// [`Error::Id`] when the id is none ([`check_id`]), else when the store cannot be written.
    ///
    /// # Cancel safety
    /// A dropped post may still happen. To know its number, post again with the same key.
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

    /// Waits for a change of a session's journal or inbox; none if the store cannot.
    ///
    /// The future completes after the first change that came since this was called, at the
    /// latest when a change of this process is durable. It may complete without one, and miss
    /// those of other processes. Whoever waits for something calls this first, then looks
    /// whether it is there, and awaits the future if it is not. Dropping it is safe.
    fn watch(&self, _session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Removes sessions for good, all of them or none; one named twice counts once.
    ///
    /// When it returns `Ok`, their journals, inboxes and claims' tokens are durably gone,
    /// all at one moment: no reader sees a part of a session. Their ids are free, and a
    /// session that takes one begins anew. While it works it holds the claim of each. That
    /// a journal is damaged or unreadable does not keep it from being removed.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is no session of an id, [`Error::Held`] when
    /// somebody holds the claim of one; else what the store said. Nothing was removed then.
    ///
    /// # Cancel safety
    /// A dropped removal may still happen: all of it, as if it had been awaited, or nothing.
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

//! Stores, which keep journals and inboxes.
//!
//! A [`Store`] keeps sessions; a [`Claim`] is the right to write one. An append writes a
//! [`Batch`], a read returns a [`Range`] of entries, a listing is the answer to a [`Query`], and
//! the sessions with work to do are the answer to a [`DueQuery`].

mod batch;
mod claim;
mod due;
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
pub use due::DueQuery;
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
/// Nothing happens before a future is polled. The methods that write say what a future that is
/// dropped later may have done.
pub trait Store: Send + Sync {
    /// Claims a session: acquires the right to write its journal.
    ///
    /// When it returns, no other claim is held, and its fence is higher than that of every
    /// earlier one. A claim whose process died is taken over. The session need not exist, and its
    /// journal is not read: whether it can be written is known after reading it.
    ///
    /// # Errors
    /// [`Error::Id`] if the id is invalid ([`check_id`]), [`Error::Held`] if the session is
    /// claimed already. Nothing was changed then.
    ///
    /// # Cancel safety
    /// A dropped future gives back what it took, as a dropped [`Claim`] does. The fence may
    /// have risen.
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>>;

    /// Whether a session is claimed; none if the store does not know.
    ///
    /// The result may be outdated when it returns: use it for display only.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn is_claimed<'a>(
        &'a self,
        _session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Reads a range of a session's journal; empty if there is no such session or entry.
    ///
    /// When it returns, the entries are in the order of their numbers, without a gap. A damaged
    /// tail is left out and reported, and so are the first entry that this version cannot read
    /// and all that follow it. Entries before the range are not read. Nothing is written.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>>;

    /// Lists sessions that have an entry, those changed last first.
    ///
    /// It reads no journals: summaries are stored by appends. Going through all pages yields each
    /// session that does not change meanwhile exactly once.
    ///
    /// # Errors
    /// [`Error::PageCursor`] if the cursor was not made by this store; else if the store cannot
    /// be read. A damaged session never hides the others.
    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>>;

    /// Returns sessions that have work to do and that no process works in, those due longest
    /// first.
    ///
    /// A session is due by [`SessionInfo::due_since`] and if its claim is not held. It reads no
    /// journals. The result may be outdated when it returns: a caller claims a session and asks
    /// its journal. Going through all pages yields each session that stays due at least once.
    ///
    /// The provided method goes through the list of all sessions; a store that keeps many
    /// replaces it by one that looks at those that may be due only.
    ///
    /// # Errors
    /// [`Error::PageCursor`] if the cursor was not made by this store; else if the store cannot
    /// be read.
    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            let mut due = Vec::new();
            for info in self.sessions(&Query::all()).await?.sessions {
                let is_due = info.due_since(query.now).is_some();
                if is_due && self.is_claimed(&info.session).await? != Some(true) {
                    due.push(info);
                }
            }
            query.page("of sessions", due)
        })
    }

    /// Posts an item to the inbox of a session. When it returns, the item is durable.
    ///
    /// The journal is not read, so a version that cannot read it can still post. If the inbox has
    /// an item of this key, nothing changes and the number of that item is returned. Its number
    /// is one more than that of the last item, and of the last that an appended summary says was
    /// taken up: a journal may come from another store, without the items of its inbox.
    ///
    /// # Errors
    /// [`Error::Id`] if the id is invalid ([`check_id`]); else if the store cannot be written.
    ///
    /// # Cancel safety
    /// A dropped post may still happen. To learn its number, post again with the same key.
    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>>;

    /// Reads the items after a cursor, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>>;

    /// Waits for a change of a session's journal or inbox; none if the store does not support it.
    ///
    /// The future completes after the first change since the call; for a change of this process,
    /// at the latest when that is durable. It may complete without a change, and may miss changes
    /// of other processes. To wait for something, call this first, then check whether it is
    /// there, and await the future if it is not. Cancel-safe.
    fn watch(&self, _session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Removes sessions permanently, all or none; duplicate ids are ignored.
    ///
    /// When it returns `Ok`, their journals, inboxes and fencing tokens are durably and
    /// atomically gone: no reader sees a part of a session. Their ids are free, and a session
    /// with one of them begins anew. During the call it holds the claim of each. Damaged and
    /// unreadable journals can be removed.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no session of an id, [`Error::Held`] if one is claimed;
    /// else the store's own error. Nothing was removed then.
    ///
    /// # Cancel safety
    /// A dropped removal may still happen: all of it, as if it had been awaited, or nothing.
    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>>;
}

/// Checks that a session id is valid, for [`Store::claim`] and [`Store::post`].
///
/// A session that is stored under an invalid id can still be listed, read and removed.
///
/// # Errors
/// [`Error::Id`] if it is not.
pub fn check_id(session: &SessionId) -> Result<(), Error> {
    match session.unfit() {
        None => Ok(()),
        Some(unfit) => Err(Error::Id { session: session.clone(), unfit }),
    }
}

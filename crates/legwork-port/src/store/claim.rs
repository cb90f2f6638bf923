//! The right to write one session's journal.

use std::time::Duration;

use legwork_core::inbox::Cursor;
use legwork_core::{Fence, Seq};

use super::batch::Batch;
use super::error::Error;
use crate::BoxFuture;

/// The right to write one session's journal.
///
/// Whoever holds it gives it back with [`Claim::release`]. Dropping it gives it back too, as
/// far as that can be done without waiting; a lease that expires ends otherwise. Nothing
/// happens before a future is polled.
pub trait Claim: Send + Sync {
    /// Its fencing token: higher than that of every claim before.
    fn fence(&self) -> Fence;

    /// Appends a batch after the entry numbered `expected`.
    ///
    /// When it returns `Ok`, all entries are durable, and lists say what the batch says of the
    /// session; else nothing of it is there. The entries are numbered without a gap from
    /// `expected + 1`. They take the place of a damaged tail, of which nothing that is whole
    /// is deleted. A batch without entries writes its summary alone.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when there is an entry after `expected` that this version
    /// cannot read, [`Error::Lost`] when the claim was lost, [`Error::Moved`] when the
    /// journal's last entry is not `expected`, [`Error::NewItems`] when the inbox has an item that the batch does
    /// not know of; else what the store said. Nothing was changed then.
    ///
    /// # Cancel safety
    /// A dropped append may still happen: all of it or nothing. It does not happen any more
    /// once a later append or claim of the session has returned `Ok`. If it did happen, a
    /// later append that expects the same entry fails with [`Error::Moved`].
    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>>;

    /// How often the claim must be renewed, counted from the last renewal to the next; none
    /// if it holds until it is given back or its process ends.
    ///
    /// It is well below the lease of the store, so that a renewal which fails can be tried
    /// again.
    fn renew_every(&self) -> Option<Duration>;

    /// Renews the claim. When it returns `Ok`, the claim holds for at least the store's lease
    /// from when it was called.
    ///
    /// # Errors
    /// [`Error::Lost`] when the claim was lost: nothing can be written under it any more.
    /// Else what the store said; then the claim holds as long as it did before.
    ///
    /// # Cancel safety
    /// A dropped renewal may have happened or not; the claim holds at least as long as before.
    fn renew(&self) -> BoxFuture<'_, Result<(), Error>>;

    /// Gives the claim back. When it returns `Ok`, the session can be claimed by anybody. One
    /// that was lost gives nothing back and disturbs nobody.
    ///
    /// # Errors
    /// What the store said. The claim ends as one that was dropped.
    ///
    /// # Cancel safety
    /// With a dropped future the claim ends as one that was dropped.
    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>>;
}

/// What an append tells beside that it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Appended {
    /// The last item in the session's inbox: whoever is behind it reads the inbox.
    pub inbox: Cursor,
}

impl Appended {
    /// An append to a session whose inbox ends with this item.
    pub fn new(inbox: Cursor) -> Self {
        Self { inbox }
    }
}

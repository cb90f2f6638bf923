//! The right to write one session's journal.

use std::time::Duration;

use legwork_core::inbox::Cursor;
use legwork_core::{Fence, Seq};

use super::batch::Batch;
use super::error::Error;
use crate::BoxFuture;

/// The right to write one session's journal.
///
/// Its holder gives it back with [`Claim::release`]. Dropping it gives it back too if that needs
/// no waiting; otherwise it ends when its lease expires. Nothing happens before a future is
/// polled.
pub trait Claim: Send + Sync {
    /// Its fencing token, which is higher than that of every earlier claim.
    fn fence(&self) -> Fence;

    /// Appends a batch after the entry numbered `expected`.
    ///
    /// When it returns `Ok`, all entries are durable and the summary is stored; otherwise nothing
    /// was written. The entries are numbered without a gap from `expected + 1`. They replace a
    /// damaged tail, of which no undamaged line is deleted. A batch without entries writes only
    /// its summary.
    ///
    /// # Errors
    /// [`Error::Unreadable`] if there is an entry after `expected` that this version cannot
    /// read, [`Error::Lost`] if the claim was lost, [`Error::Moved`] if the journal's last entry
    /// is not `expected`, [`Error::NewItems`] if the inbox has an item after [`Batch::seen`];
    /// else the store's own error. Nothing was changed then.
    ///
    /// # Cancel safety
    /// A dropped append may still happen: all of it or nothing. It no longer happens once a
    /// later append or claim of the session has returned `Ok`. If it did happen, a later append
    /// that expects the same entry fails with [`Error::Moved`].
    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>>;

    /// The interval at which the claim must be renewed; none if it needs no renewal.
    ///
    /// It is well below the lease of the store, so that a failed renewal can be retried. A claim
    /// that needs none lasts until it is given back or its process ends.
    fn renew_every(&self) -> Option<Duration>;

    /// Renews the claim.
    ///
    /// When it returns `Ok`, the claim lasts for at least the store's lease, counted from the
    /// call.
    ///
    /// # Errors
    /// [`Error::Lost`] if the claim was lost: nothing can be written under it any more. Else the
    /// store's own error; then the claim lasts as long as before.
    ///
    /// # Cancel safety
    /// A dropped renewal may have happened or not; the claim lasts at least as long as before.
    fn renew(&self) -> BoxFuture<'_, Result<(), Error>>;

    /// Gives the claim back.
    ///
    /// When it returns `Ok`, the session can be claimed again. For a claim that was lost it is a
    /// no-op.
    ///
    /// # Errors
    /// The store's own error. The claim then ends as if it was dropped.
    ///
    /// # Cancel safety
    /// If the future is dropped, the claim ends as if it was dropped.
    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>>;
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Appended {
    /// The last item in the session's inbox, by which the writer knows whether to read it.
    pub inbox: Cursor,
}

impl Appended {
    /// An append to a session whose inbox ends with this item.
    pub fn new(inbox: Cursor) -> Self {
        Self { inbox }
    }
}

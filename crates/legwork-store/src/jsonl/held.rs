//! A session that is claimed: its locks, and the files that stay open meanwhile.

use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use legwork_core::{Fence, SessionId};

use super::files;
use super::index::Index;
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;
use crate::lock::Lock;

/// A session that is claimed. The claim ends when the last operation with it has ended.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) session: SessionId,
    pub(super) place: Place,
    pub(super) fence: Fence,
    pub(super) head: Arc<File>,
    open: Mutex<Open>,
}

/// What a claim has open.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// Held until it is given back.
    pub(super) lock: Option<Lock>,
    pub(super) journal: Option<File>,
    pub(super) index: Option<Index>,
    /// Whether an append failed whose bytes may be in the journal.
    pub(super) undone: bool,
    /// Whether the head has a summary that was not synced.
    pub(super) unsynced: bool,
}

impl Held {
    /// Claims a session whose lock was taken; the lock stays if the session is busy.
    pub(super) fn claim(
        layout: &Layout,
        session: &SessionId,
        lock: &mut Option<Lock>,
        wait: Wait,
    ) -> Result<Self, Refused> {
        let place = layout.place(session);
        let mut entered = layout.enter(session, &place, wait)?;
        let failed = |error| layout.refused("claiming", &place.folder, error);
        let len = files::length(&place.journal()).map_err(failed)?;
        // What is damaged or unreadable concerns those who read it and append.
        entered.catch_up(session, len)?;
        entered.catch_up_inbox(None).map_err(failed)?;
        if entered.head.may_be_due() {
            entered.mark_due()?;
        }
        let written = entered.void_claims();
        written.and_then(|()| entered.file.sync_data()).map_err(failed)?;
        let (fence, head) = (Fence(entered.head.fence), Arc::clone(&entered.file));
        drop(entered);
        let open = Mutex::new(Open { lock: lock.take(), ..Open::default() });
        Ok(Self { session: session.clone(), place, fence, head, open })
    }

    /// What it has open, for one append at a time.
    pub(super) fn open(
        &self,
        layout: &Layout,
        wait: Wait,
    ) -> Result<MutexGuard<'_, Open>, Refused> {
        let open = match (self.open.try_lock(), wait) {
            (Ok(open), _) => open,
            (Err(TryLockError::WouldBlock), Wait::No) => {
                return Err(Refused::Busy(layout.name.failed("another append is under way")));
            }
            _ => self.open.lock().unwrap_or_else(PoisonError::into_inner),
        };
        match open.lock {
            Some(_) => Ok(open),
            None => Err(layout.name.failed("the claim was given back").into()),
        }
    }

    /// Gives the claim back, after the append that is under way.
    pub(super) fn release(&self, layout: &Layout, wait: Wait) -> Result<(), Refused> {
        let mut open = self.open(layout, wait)?;
        open.lock = None;
        if open.unsynced {
            // What lists say follows the journal in any case; this only makes it last.
            let _ = self.head.sync_data();
        }
        Ok(())
    }
}

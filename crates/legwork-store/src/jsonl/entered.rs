//! A session while one operation has its files to itself.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use legwork_core::SessionId;
use legwork_port::store::Error;

use super::files::{self, Access};
use super::head::Head;
use super::layout::{Layout, Place};
use super::lock::{Locked, Wait};
use super::refused::Refused;
use crate::private::is_named;

/// A session whose files no other operation changes until this is dropped.
#[derive(Debug)]
pub(super) struct Entered<'l> {
    pub(super) layout: &'l Layout,
    pub(super) place: &'l Place,
    pub(super) head: Head,
    pub(super) file: Arc<File>,
    _locked: Locked,
}

/// Whether a head was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    Yes,
    /// The files have more than it says.
    No,
}

impl Layout {
    /// Enters a session to change it; makes it if it is missing.
    pub(super) fn enter<'l>(
        &'l self,
        session: &SessionId,
        place: &'l Place,
        wait: Wait,
    ) -> Result<Entered<'l>, Refused> {
        let failed = |error| self.refused("opening", &place.head(), error);
        loop {
            self.finish_removal_of(place, wait)?;
            let file = match self.open_head(session, place) {
                // It was removed just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => Arc::new(opened.map_err(failed)?),
            };
            let entered = self.enter_by(place, file, wait)?;
            let Some(mut entered) = entered else { continue };
            if entered.head.fence == 0 {
                entered.begin().map_err(|error| self.refused("making", &place.folder, error))?;
            }
            return Ok(entered);
        }
    }

    /// Enters a session by its open head; none if that is not the session's head any more.
    pub(super) fn enter_by<'l>(
        &'l self,
        place: &'l Place,
        file: Arc<File>,
        wait: Wait,
    ) -> Result<Option<Entered<'l>>, Refused> {
        let failed = |error| self.refused("locking", &place.head(), error);
        let locked = self.waiting.exclusive(&file, wait).map_err(failed)?;
        let is_here = is_named(&file, &place.head()).map_err(failed)?;
        // A removal that was begun while this waited, and whose process died, is not finished yet.
        if !is_here || self.is_being_removed(place)? {
            return Ok(None);
        }
        self.entered(place, file, locked).map(Some)
    }

    /// Enters a session under a claim; none if it was removed.
    ///
    /// A removal takes the claim and makes older ones void before it decides, so the fence of the
    /// head tells of those that were begun.
    pub(super) fn enter_claimed<'l>(
        &'l self,
        place: &'l Place,
        file: Arc<File>,
        wait: Wait,
    ) -> Result<Option<Entered<'l>>, Refused> {
        let failed = |error| self.refused("locking", &place.head(), error);
        let locked = self.waiting.exclusive(&file, wait).map_err(failed)?;
        match files::has_name(&file.metadata().map_err(failed)?) {
            true => self.entered(place, file, locked).map(Some),
            false => Ok(None),
        }
    }

    fn entered<'l>(
        &'l self,
        place: &'l Place,
        file: Arc<File>,
        locked: Locked,
    ) -> Result<Entered<'l>, Refused> {
        let read = Head::read(&file);
        let head = read.map_err(|error| self.refused("reading", &place.head(), error))?;
        let head = head.unwrap_or_default();
        Ok(Entered { layout: self, place, head, file, _locked: locked })
    }

    fn open_head(&self, session: &SessionId, place: &Place) -> io::Result<File> {
        let path = place.head();
        match files::if_there(files::open(&path, Access::Write))? {
            Some(file) => Ok(file),
            None => {
                place.make(session)?;
                files::open_or_create(&path, Access::Write)
            }
        }
    }

    /// The error of something that was tried with a file.
    pub(super) fn refused(&self, tried: &str, path: &Path, error: io::Error) -> Refused {
        Refused::of(&self.name, tried, path, error)
    }
}

impl Entered<'_> {
    /// Makes the session: its files have names that last, and its fences begin.
    ///
    /// They begin with the time: the name may have been that of a session that was removed, and
    /// the holder of a lost claim of that one must not write here.
    fn begin(&mut self) -> io::Result<()> {
        files::sync_folder(&self.place.folder)?;
        files::sync_folder(&self.layout.sessions())?;
        self.head.fence = now();
        self.head.write(&self.file, None)?;
        self.file.sync_data()
    }

    /// Writes the next fence: older claims are lost.
    pub(super) fn void_claims(&mut self) -> io::Result<()> {
        self.head.fence = now().max(self.head.fence + 1);
        self.head.write(&self.file, None)
    }

    pub(super) fn refused(&self, tried: &str, path: &Path, error: io::Error) -> Refused {
        self.layout.refused(tried, path, error)
    }

    /// Writes the head, which follows what is durable already.
    ///
    /// What fails here is not lost: the lengths of the files show it.
    pub(super) fn note(&mut self, summary: Option<&[u8]>) -> Noted {
        let Err(error) = self.head.write(&self.file, summary) else { return Noted::Yes };
        let path = self.place.head();
        tracing::warn!(path = %path.display(), %error, "a head was not written");
        Noted::No
    }

    /// Whether the head lacks something that the files have.
    pub(super) fn is_behind(&self) -> io::Result<bool> {
        let journal = files::length(&self.place.journal())?;
        Ok(journal != self.head.journal || files::length(&self.place.inbox())? != self.head.inbox)
    }

    /// Enters the session into the index of those that may be due, before it is due.
    pub(super) fn mark_due(&mut self) -> Result<(), Refused> {
        let folder = self.layout.due();
        let path = folder.join(&self.place.key);
        let mark = || {
            if self.head.marked && path.exists() {
                return Ok(());
            }
            files::open_or_create(&path, Access::Write)?;
            files::sync_folder(&folder)
        };
        mark().map_err(|error| self.layout.refused("creating", &path, error))?;
        self.head.marked = true;
        Ok(())
    }

    /// Takes the session out of that index if it is not due; after its head says so.
    pub(super) fn unmark_due(&self) {
        // One that stays is found not to be due, and taken away then.
        let _ = fs::remove_file(self.layout.due().join(&self.place.key));
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX).max(1)
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Busy(error) | Refused::Failed(error) => error,
        }
    }
}

//! The sessions that have work to do, by an index of those that may have some.
//!
//! The index is a folder with an empty file a session. The file is there before the session is
//! due, and is taken away once it is not: one that a crash left is taken away here.

use std::fs;
use std::sync::Arc;

use legwork_core::Timestamp;
use legwork_port::store::{DueQuery, Page, SessionInfo};

use super::files::{self, Access};
use super::head::Head;
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;
use crate::lock::Lock;
use crate::private::make_folder;

impl Layout {
    pub(super) fn find_due(&self, query: &DueQuery) -> Result<Page, Refused> {
        let mut infos = Vec::new();
        for key in self.keys(&self.due())? {
            let place = self.place_of(key);
            let found = self.candidate(&place)?;
            if let Some(info) = found.filter(|info| info.due_since(query.now).is_some())
                && !Lock::is_held(&self.name, &self.claims(), &info.session)?
            {
                infos.push(info);
            }
        }
        Ok(query.page(self.name.as_str(), infos)?)
    }

    /// A session that may be due; one that is not leaves the index.
    fn candidate(&self, place: &Place) -> Result<Option<SessionInfo>, Refused> {
        let Some(session) = place.session() else { return Ok(None) };
        let Some(snapshot) = self.look(place.clone())? else { return Ok(None) };
        let failed = |error| self.refused("reading", &place.head(), error);
        let is_behind = snapshot.is_behind();
        if !is_behind && !snapshot.head.may_be_due() {
            self.sweep(place);
            return Ok(None);
        }
        let head = files::if_there(files::open(&place.head(), Access::Read)).map_err(failed)?;
        let read = head.map(|head| Head::read_all(&head)).transpose().map_err(failed)?.flatten();
        let Some((mut head, mut summary)) = read else { return Ok(None) };
        if is_behind {
            head.posted = snapshot.posted().map_err(failed)?;
        }
        if head.journal != snapshot.journal_len {
            // It was worked in when its process died: its next claim finds what there is to do.
            let at = Timestamp(head.updated);
            summary.due_at = Some(summary.due_at.map_or(at, |due| due.min(at)));
            head.entries = head.entries.max(1);
        }
        Ok(Some(head.info(session, summary)))
    }

    /// Makes the index anew if its folder is missing.
    pub(super) fn restore_due(&self) -> Result<(), Refused> {
        let folder = self.due();
        let failed = |error| self.refused("making", &folder, error);
        if folder.exists() {
            return Ok(());
        }
        let _alone = Lock::wait(&self.claims(), "new").map_err(failed)?;
        let draft = self.root.join("due.draft");
        make_folder(&draft).map_err(failed)?;
        for key in self.keys(&self.sessions())? {
            let Some(snapshot) = self.look(self.place_of(key))? else { continue };
            if snapshot.is_behind() || snapshot.head.may_be_due() {
                let path = draft.join(&snapshot.place.key);
                files::open_or_create(&path, Access::Write).map_err(failed)?;
            }
        }
        files::sync_folder(&draft).map_err(failed)?;
        if !folder.exists() {
            fs::rename(&draft, &folder).map_err(failed)?;
        }
        files::sync_folder(&self.root).map_err(failed)
    }

    /// Takes a session out of the index that is not due, if nobody changes it now.
    fn sweep(&self, place: &Place) {
        if self.read_only {
            return;
        }
        let Ok(head) = files::open(&place.head(), Access::Write) else { return };
        if let Ok(Some(mut entered)) = self.enter_by(place, Arc::new(head), Wait::No)
            && !entered.head.may_be_due()
            && matches!(entered.is_behind(), Ok(false))
        {
            if entered.head.marked {
                entered.head.marked = false;
                entered.note(None);
            }
            entered.unmark_due();
        }
    }
}

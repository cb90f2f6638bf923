//! The list of sessions, made of their heads alone: no journal is read.

use std::fs;

use legwork_core::inbox::Cursor;
use legwork_core::{SessionId, Summary, Timestamp};
use legwork_port::store::{Page, PageCursor, Query, Range, SessionInfo};
use tracing::warn;

use super::files::{self, Access};
use super::head::Head;
use super::layout::{Layout, Place};
use super::refused::Refused;

impl Layout {
    pub(super) fn list(&self, query: &Query) -> Result<Page, Refused> {
        let keys = self.keys(&self.sessions())?;
        let places = keys.into_iter().map(|key| self.place_of(key));
        let infos: Vec<_> = match self.may_end_early(query)? {
            true => self.first(query, places),
            false => places.filter_map(|place| self.listed(place)).collect(),
        };
        // After they were read: of several that are removed at once, all are left out.
        let removed = self.being_removed()?;
        let is_there = |info: &SessionInfo| {
            removed.is_empty() || !removed.contains(&self.place(&info.session).key)
        };
        Ok(query.page(self.name.as_str(), infos.into_iter().filter(is_there))?)
    }

    /// Whether fewer sessions are wanted than there are; then most summaries are not read.
    fn may_end_early(&self, query: &Query) -> Result<bool, Refused> {
        // While sessions are removed, some of those that are read are not listed.
        Ok(query.limit < usize::MAX && self.being_removed()?.is_empty())
    }

    /// The sessions of a page and the one behind it, by their times first.
    fn first(&self, query: &Query, places: impl Iterator<Item = Place>) -> Vec<SessionInfo> {
        let after = query.after.as_ref().and_then(PageCursor::place);
        let timed = places.filter_map(|place| {
            let session = place.session()?;
            let path = place.head();
            let head = files::open(&path, Access::Read).and_then(|file| Head::read(&file));
            // One that is not whole is looked at in any case.
            let updated = head.ok().flatten().map_or(u64::MAX, |head| head.updated);
            Some(((Timestamp(updated), session), place))
        });
        let is_later = |at: &(Timestamp, SessionId)| {
            at.0 == Timestamp(u64::MAX) || after.as_ref().is_none_or(|after| at < after)
        };
        let mut timed: Vec<_> = timed.filter(|(at, _)| is_later(at)).collect();
        timed.sort_by(|(a, _), (b, _)| b.cmp(a));
        let (mut infos, mut found) = (Vec::new(), 0);
        for ((updated, _), place) in timed {
            if found > query.limit {
                break;
            }
            let info = self.listed(place).filter(|info| query.admits(info));
            found += usize::from(info.is_some() && updated != Timestamp(u64::MAX));
            infos.extend(info);
        }
        infos
    }

    /// The names in a folder.
    pub(super) fn keys(&self, folder: &std::path::Path) -> Result<Vec<String>, Refused> {
        let failed = |error| self.refused("listing", folder, error);
        let Some(found) = files::if_there(fs::read_dir(folder)).map_err(failed)? else {
            return Ok(Vec::new());
        };
        let mut keys = Vec::new();
        for file in found {
            // Names that are not text were not made here.
            keys.extend(file.map_err(failed)?.file_name().into_string().ok());
        }
        Ok(keys)
    }

    /// A session as its head says; none if it has no entry, or cannot be read.
    fn listed(&self, place: Place) -> Option<SessionInfo> {
        let session = place.session()?;
        let path = place.head();
        let read = files::if_there(files::open(&path, Access::Read));
        let read = read.and_then(|file| match file {
            Some(file) => Head::read_all(&file),
            None => Ok(None),
        });
        let found = match read {
            // One that somebody copied there, or whose head is destroyed, is looked at; so is a
            // new one, whose head may not say yet that it has entries.
            Ok(None) => self.surveyed(place),
            Ok(Some((head, _))) if head.entries == 0 => self.surveyed(place),
            found => found,
        };
        let (head, summary) = found
            .inspect_err(|error| warn!(path = %path.display(), %error, "a head cannot be read"))
            .ok()
            .flatten()?;
        Some(head.info(session, summary)).filter(|info| info.entries > 0)
    }

    /// The head that a session without one would have.
    fn surveyed(&self, place: Place) -> std::io::Result<Option<(Head, Summary)>> {
        let failed = |refused: Refused| {
            std::io::Error::other(legwork_port::store::Error::from(refused).to_string())
        };
        let Some(snapshot) = self.look(place).map_err(failed)? else { return Ok(None) };
        let whole = snapshot.read(Range::ALL)?;
        let mut head = snapshot.head.clone();
        head.posted = snapshot.posted()?;
        head.entries = whole.last.0 + u64::from(whole.unreadable.is_some());
        head.created = whole.entries.first().map_or(0, |entry| entry.at.0);
        head.updated = whole.entries.last().map_or(0, |entry| entry.at.0);
        Ok(Some((head, Summary::default())))
    }
}

impl Head {
    pub(super) fn info(&self, session: SessionId, summary: Summary) -> SessionInfo {
        SessionInfo::new(session)
            .with_entries(self.entries, Timestamp(self.created), Timestamp(self.updated))
            .with_inbox(Cursor(self.posted))
            .with_summary(summary)
    }
}

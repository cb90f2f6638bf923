//! A store in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::journal::Journal;
use legwork_core::{Entry, Fence, Seq, SessionId, Summary, Timestamp};
use legwork_port::store::{
    DueQuery, Error, Holder, Loaded, Page, Query, Range, Removal, SessionInfo, Unreadable,
    Watchers, check_id,
};
use legwork_port::{BoxFuture, Claim, Store};

use crate::claim::MemoryClaim;

/// Keeps journals and inboxes as long as it lives.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    sessions: Mutex<BTreeMap<SessionId, Kept>>,
    forgets: bool,
    watchers: Watchers,
}

#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) entries: Vec<Arc<Entry>>,
    /// What follows the entries where a newer version wrote it, and its lines as they came.
    pub(super) unreadable: Option<(Unreadable, Vec<u8>)>,
    /// The last entry; none before the first append.
    pub(super) version: Option<Seq>,
    /// What lists say of it.
    pub(super) summary: Summary,
    pub(super) inbox: Vec<Posted>,
    /// The item that who keeps the state took up last, once that was said.
    taken: Option<Cursor>,
    pub(super) fence: u64,
    pub(super) claimed: bool,
}

impl MemoryStore {
    /// A store that keeps everything until it is dropped.
    pub fn new() -> Self {
        Self::default()
    }

    /// A store that forgets a session when its claim is given back.
    ///
    /// For programs that keep the state themselves, or need none.
    pub fn forgetful() -> Self {
        Self(Arc::new(Shared { forgets: true, ..Shared::default() }))
    }

    /// Wakes the tasks that wait for a change of a session.
    pub(super) fn notify(&self, session: &SessionId) {
        self.0.watchers.notify(session);
    }

    pub(super) fn forgets(&self) -> bool {
        self.0.forgets
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Kept>> {
        // Nothing panics while it holds the lock, so what it guards is whole.
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        Box::pin(async move {
            check_id(session)?;
            let mut sessions = self.lock();
            let kept = sessions.entry(session.clone()).or_default();
            if kept.claimed {
                return Err(in_use(session));
            }
            kept.claimed = true;
            kept.fence += 1;
            let claim = MemoryClaim::new(self.clone(), session.clone(), Fence(kept.fence));
            Ok(Box::new(claim) as Box<dyn Claim>)
        })
    }

    fn is_claimed<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        Box::pin(async { Ok(Some(self.lock().get(session).is_some_and(|kept| kept.claimed))) })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        Box::pin(async move {
            let sessions = self.lock();
            Ok(sessions.get(session).map(|kept| kept.load(range)).unwrap_or_default())
        })
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async {
            let sessions = self.lock();
            let all = sessions.iter().filter_map(|(session, kept)| kept.info(session));
            query.page("memory", all)
        })
    }

    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async {
            let sessions = self.lock();
            let free = sessions.iter().filter(|(_, kept)| !kept.claimed);
            query.page("memory", free.filter_map(|(session, kept)| kept.info(session)))
        })
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        Box::pin(async move {
            check_id(session)?;
            let mut sessions = self.lock();
            let kept = sessions.entry(session.clone()).or_default();
            if let Some(known) = kept.inbox.iter().find(|posted| posted.key == key) {
                return Ok(known.cursor);
            }
            let cursor = Cursor(kept.last_item().0 + 1);
            kept.inbox.push(Posted { cursor, key: key.to_owned(), item: item.clone() });
            drop(sessions);
            self.notify(session);
            Ok(cursor)
        })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        Box::pin(async move {
            let mut sessions = self.lock();
            if let Some(kept) = sessions.get_mut(session).filter(|_| self.0.forgets) {
                kept.count_from(after);
            }
            let items = sessions.get(session).map(|kept| {
                kept.inbox.iter().filter(|posted| posted.cursor > after).cloned().collect()
            });
            Ok(items.unwrap_or_default())
        })
    }

    fn watch(&self, session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        Some(self.0.watchers.watch(session))
    }

    fn remove<'a>(&'a self, removed: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        Box::pin(async move {
            let mut sessions = self.lock();
            for session in removed {
                match sessions.get(session) {
                    Some(kept) if kept.claimed => return Err(in_use(session)),
                    Some(kept) if kept.is_something() => {}
                    _ => return Err(Error::Unknown { session: session.clone() }),
                }
            }
            for session in removed {
                sessions.remove(session);
            }
            drop(sessions);
            removed.iter().for_each(|session| self.notify(session));
            Ok(Removal::Complete)
        })
    }
}

impl Kept {
    /// Numbers items after those that were taken up under an earlier claim: who keeps the
    /// state says how many that were, and is believed once.
    pub(super) fn count_from(&mut self, taken: Cursor) {
        if self.taken.is_none() {
            self.inbox.iter_mut().for_each(|posted| posted.cursor.0 += taken.0);
            self.taken = Some(taken);
        }
    }

    fn load(&self, range: Range) -> Loaded {
        let first = usize::try_from(range.after.0).unwrap_or(usize::MAX);
        let rest = self.entries.get(first..).unwrap_or_default();
        let part = rest.get(..range.limit).unwrap_or(rest);
        let mut loaded = Loaded::new(Journal::new(part.to_vec()), self.last_item());
        match part.len() < rest.len() {
            true => loaded.next = Some(range.rest(part.len())),
            false => {
                loaded.unreadable = self.unreadable.as_ref().map(|(first, _)| first.clone());
            }
        }
        loaded
    }

    fn info(&self, session: &SessionId) -> Option<SessionInfo> {
        let at = |entry: Option<&Arc<Entry>>| entry.map_or(Timestamp(0), |entry| entry.at);
        self.has_journal().then(|| {
            let (first, last) = (at(self.entries.first()), at(self.entries.last()));
            SessionInfo::new(session.clone())
                .with_entries(self.entries.len() as u64, first, last)
                .with_inbox(self.last_item())
                .with_summary(self.summary.clone())
        })
    }

    /// The last item in the inbox, or the last that was taken up elsewhere.
    pub(super) fn last_item(&self) -> Cursor {
        let posted = self.inbox.last().map(|posted| posted.cursor).unwrap_or_default();
        posted.max(self.taken.unwrap_or_default()).max(self.summary.taken)
    }

    fn has_journal(&self) -> bool {
        !self.entries.is_empty() || self.unreadable.is_some()
    }

    /// Whether anybody but a claim left something here.
    pub(super) fn is_something(&self) -> bool {
        self.has_journal() || !self.inbox.is_empty()
    }
}

fn in_use(session: &SessionId) -> Error {
    Error::Held { session: session.clone(), by: Holder::ThisProcess }
}

//! A store in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::journal::Journal;
use legwork_core::{Entry, Fence, Seq, SessionId, Timestamp};
use legwork_port::store::{Appended, Error, Loaded, Removal, SessionInfo, Unreadable, check_id};
use legwork_port::{BoxFuture, Claim, Store};

/// Keeps journals and inboxes as long as it lives.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    sessions: Mutex<BTreeMap<SessionId, Kept>>,
    forgets: bool,
}

#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) entries: Vec<Arc<Entry>>,
    /// What follows the entries where a newer version wrote it, and its lines as they came.
    pub(super) unreadable: Option<(Unreadable, Vec<u8>)>,
    /// The last entry; none before the first append.
    pub(super) version: Option<Seq>,
    inbox: Vec<Posted>,
    /// The item that who keeps the state took up last, once that was told.
    taken: Option<Cursor>,
    fence: u64,
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

    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Kept>> {
        // Nothing panics while it holds the lock, so what it guards is whole.
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, T> {
    Box::pin(std::future::ready(value))
}

impl Store for MemoryStore {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        if let Err(error) = check_id(session) {
            return ready(Err(error));
        }
        let mut sessions = self.lock();
        let kept = sessions.entry(session.clone()).or_default();
        if kept.claimed {
            return ready(Err(in_use(session)));
        }
        kept.claimed = true;
        kept.fence += 1;
        let fence = Fence(kept.fence);
        let claim = MemoryClaim { store: self.clone(), session: session.clone(), fence };
        ready(Ok(Box::new(claim)))
    }

    fn is_claimed<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        ready(Ok(Some(self.lock().get(session).is_some_and(|kept| kept.claimed))))
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Loaded, Error>> {
        let sessions = self.lock();
        let loaded = sessions.get(session).map(|kept| Loaded {
            journal: Journal::new(kept.entries.clone()),
            damage: None,
            unreadable: kept.unreadable.as_ref().map(|(unreadable, _)| unreadable.clone()),
            inbox: last(&kept.inbox),
        });
        ready(Ok(loaded.unwrap_or_default()))
    }

    fn sessions(&self, limit: usize) -> BoxFuture<'_, Result<Vec<SessionInfo>, Error>> {
        let sessions = self.lock();
        let mut all: Vec<_> = sessions
            .iter()
            .filter(|(_, kept)| kept.has_journal())
            .map(|(session, kept)| SessionInfo {
                session: session.clone(),
                created_at: kept.entries.first().map_or(Timestamp(0), |entry| entry.at),
                updated_at: kept.entries.last().map_or(Timestamp(0), |entry| entry.at),
                entries: kept.entries.len() as u64,
            })
            .collect();
        all.sort_by_key(|info| std::cmp::Reverse(info.updated_at));
        all.truncate(limit);
        ready(Ok(all))
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        if let Err(error) = check_id(session) {
            return ready(Err(error));
        }
        let mut sessions = self.lock();
        let kept = sessions.entry(session.clone()).or_default();
        if let Some(known) = kept.inbox.iter().find(|posted| posted.key == key) {
            return ready(Ok(known.cursor));
        }
        let before = kept.taken.unwrap_or_default().max(last(&kept.inbox));
        let cursor = Cursor(before.0 + 1);
        kept.inbox.push(Posted { cursor, key: key.to_owned(), item: item.clone() });
        ready(Ok(cursor))
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        let mut sessions = self.lock();
        if let Some(kept) = sessions.get_mut(session).filter(|_| self.0.forgets) {
            kept.count_from(after);
        }
        let items = sessions.get(session).map(|kept| {
            kept.inbox.iter().filter(|posted| posted.cursor > after).cloned().collect()
        });
        ready(Ok(items.unwrap_or_default()))
    }

    fn remove<'a>(&'a self, removed: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        let mut sessions = self.lock();
        for session in removed {
            match sessions.get(session) {
                Some(kept) if kept.claimed => return ready(Err(in_use(session))),
                Some(kept) if kept.is_something() => {}
                _ => return ready(Err(Error::Unknown { session: session.clone() })),
            }
        }
        for session in removed {
            sessions.remove(session);
        }
        ready(Ok(Removal::Complete))
    }
}

impl Kept {
    /// Numbers items after those that were taken up under an earlier claim: who keeps the
    /// state says how many that were, and is believed once.
    fn count_from(&mut self, taken: Cursor) {
        if self.taken.is_none() {
            self.inbox.iter_mut().for_each(|posted| posted.cursor.0 += taken.0);
            self.taken = Some(taken);
        }
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
    let reason = "another run of this process holds its claim: wait for that to end";
    Error::Conflict { session: session.clone(), reason: reason.to_owned() }
}

fn last(inbox: &[Posted]) -> Cursor {
    inbox.last().map_or_else(Cursor::default, |posted| posted.cursor)
}

struct MemoryClaim {
    store: MemoryStore,
    session: SessionId,
    fence: Fence,
}

impl Claim for MemoryClaim {
    fn fence(&self) -> Fence {
        self.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        let mut sessions = self.store.lock();
        let kept = sessions.entry(self.session.clone()).or_default();
        if let Some((unreadable, _)) = &kept.unreadable {
            return ready(Err(unreadable.clone().refuses(&self.session)));
        }
        // Who keeps the state says where it stands: a forgetful store believes it once.
        let unknown = if self.store.0.forgets { expected } else { Seq::ZERO };
        let at = kept.version.unwrap_or(unknown);
        if Fence(kept.fence) != self.fence || at != expected {
            let reason = format!("its last entry is {at}, expected was {expected}: load it anew");
            let error = Error::Conflict { session: self.session.clone(), reason };
            return ready(Err(error));
        }
        if !(expected.0 + 1..).zip(entries).all(|(number, entry)| entry.seq.0 == number) {
            let (store, reason) = ("memory".to_owned(), format!("entries after {at} have a gap"));
            return ready(Err(Error::Failed { store, reason }));
        }
        kept.version = entries.last().map(|entry| entry.seq).or(kept.version);
        if !self.store.0.forgets {
            kept.entries.extend(entries.iter().cloned());
        }
        ready(Ok(Appended { inbox: last(&kept.inbox) }))
    }
}

impl Drop for MemoryClaim {
    fn drop(&mut self) {
        let mut sessions = self.store.lock();
        if self.store.0.forgets {
            sessions.remove(&self.session);
            return;
        }
        if let Some(kept) = sessions.get_mut(&self.session) {
            kept.claimed = false;
        }
    }
}

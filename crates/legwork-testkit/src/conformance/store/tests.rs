//! The suite finds what is broken.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::{Fence, Seq, SessionId};
use legwork_port::store::{Appended, Batch, Error, Loaded, Page, Query, Range, Removal};
use legwork_port::{BoxFuture, Claim, Store};

use super::{check, check_fencing, check_listing, check_shared, check_unreadable};

/// Says yes to everything and keeps nothing.
#[derive(Clone, Copy)]
struct Void;

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T, Error>> {
    Box::pin(std::future::ready(Ok(value)))
}

impl Store for Void {
    fn claim<'a>(&'a self, _: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        ready(Box::new(*self))
    }

    fn read<'a>(&'a self, _: &'a SessionId, _: Range) -> BoxFuture<'a, Result<Loaded, Error>> {
        ready(Loaded::default())
    }

    fn sessions<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        ready(Page::default())
    }

    fn post<'a>(
        &'a self,
        _: &'a SessionId,
        _: &'a str,
        _: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        ready(Cursor(1))
    }

    fn inbox<'a>(
        &'a self,
        _: &'a SessionId,
        _: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        ready(Vec::new())
    }

    fn remove<'a>(&'a self, _: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        ready(Removal::Complete)
    }
}

impl Claim for Void {
    fn fence(&self) -> Fence {
        Fence(1)
    }

    fn append<'a>(&'a self, _: Seq, _: Batch<'a>) -> BoxFuture<'a, Result<Appended, Error>> {
        ready(Appended::default())
    }

    fn renew_every(&self) -> Option<Duration> {
        None
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        ready(())
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        ready(())
    }
}

#[tokio::test]
async fn a_store_that_keeps_nothing_is_found_out() {
    let found = check(async || Void).await.unwrap_err();
    // It is as empty as it should be where nothing is expected.
    let kept = [
        "s8_3_dropping_a_claim_frees_the_session",
        "an_unknown_session_is_empty",
        "s8_2_a_key_is_a_sessions_own",
        // It does not watch.
        "s8_2_a_change_wakes_watchers",
        "a_session_without_entries_is_not_listed",
        "s13_9_an_id_that_is_seen_is_taken",
        "s8_9_a_session_without_entries_is_not_due",
    ];
    assert!(found.0.iter().all(|violation| !kept.contains(&violation.check)), "{found}");
    assert_eq!(found.0.len() + kept.len(), 64, "{found}");
    let shared = check_shared(async || Void).await.unwrap_err();
    assert_eq!(shared.0.len(), 9, "{shared}");
    let fencing = check_fencing(async || Void, async |_| ()).await.unwrap_err();
    assert_eq!(fencing.0.len(), 3, "{fencing}");
    let unreadable = check_unreadable(async || Void, async |_, _, _| (), async |_, _| Vec::new());
    assert_eq!(unreadable.await.unwrap_err().0.len(), 5);
    let listing = check_listing(async || Void, async |_| ()).await.unwrap_err();
    assert_eq!(listing.0.len(), 1, "{listing}");
    assert!(found.to_string().contains("s8_3_fences_rise: Fence(1) comes after"), "{found}");
}

/// A store in memory whose journals can be overwritten.
#[derive(Clone)]
struct Overwritable {
    kept: Arc<MemoryStore>,
    overwritten: Arc<Mutex<BTreeSet<SessionId>>>,
    /// Whether listing counts entries by reading journals.
    counts_by_reading: bool,
}

impl Overwritable {
    fn new(counts_by_reading: bool) -> Self {
        Self { kept: Arc::default(), overwritten: Arc::default(), counts_by_reading }
    }

    fn overwrite(&self, session: SessionId) {
        self.overwritten.lock().unwrap().insert(session);
    }
}

impl Store for Overwritable {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        self.kept.claim(session)
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        if self.overwritten.lock().unwrap().contains(session) {
            return ready(Loaded::default());
        }
        self.kept.read(session, range)
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            let mut page = self.kept.sessions(query).await?;
            for info in page.sessions.iter_mut().filter(|_| self.counts_by_reading) {
                let journal = self.read(&info.session, Range::ALL).await?.journal;
                info.entries = journal.entries().len() as u64;
            }
            Ok(page)
        })
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        self.kept.post(session, key, item)
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        self.kept.inbox(session, after)
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        self.kept.remove(sessions)
    }
}

#[tokio::test]
async fn s8_7_a_list_that_reads_journals_is_found_out() {
    let store = Overwritable::new(false);
    let overwrite = async |session| store.overwrite(session);
    check_listing(async || store.clone(), overwrite).await.unwrap();

    let store = Overwritable::new(true);
    let overwrite = async |session| store.overwrite(session);
    let found = check_listing(async || store.clone(), overwrite).await.unwrap_err();
    assert!(found.to_string().contains("and before it was overwritten"), "{found}");

    let store = Overwritable::new(false);
    let found = check_listing(async || store.clone(), async |_| ()).await.unwrap_err();
    assert!(found.to_string().contains("3 entries of ended can be read"), "{found}");
}

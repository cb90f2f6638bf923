//! The list of sessions.

use std::sync::Arc;

use legwork_core::{Entry, SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{Query, SessionInfo};

use super::super::{Outcome, ensure};
use super::samples::{NOON, append, claim, post, said, session, tried};

type Subject = Arc<dyn Store>;

/// Appends an entry that was made some milliseconds after noon.
async fn work(store: &dyn Store, name: &SessionId, seq: u64, time: u64) -> Outcome {
    let held = claim(store, name).await?;
    let at = Timestamp(NOON + time);
    let entry = Arc::new(Entry { at, ..(*said(seq, "work")).clone() });
    append(&*held, seq - 1, &[entry]).await.map(|_| ())
}

async fn listed(store: &dyn Store, limit: usize) -> Result<Vec<SessionInfo>, String> {
    tried("listing", store.sessions(&Query::first(limit)).await).map(|page| page.sessions)
}

pub(super) async fn the_session_changed_last_comes_first(store: &Subject) -> Outcome {
    let [a, b, c] = ["a", "b", "c"].map(session);
    for (name, seq, time) in [(&b, 1, 10), (&a, 1, 20), (&c, 1, 30), (&b, 2, 40), (&a, 2, 50)] {
        work(&**store, name, seq, time).await?;
    }
    let info = |session: &SessionId, created, updated, entries| {
        let (first, last) = (Timestamp(NOON + created), Timestamp(NOON + updated));
        SessionInfo::new(session.clone()).with_entries(entries, first, last)
    };
    let wanted = [info(&a, 20, 50, 2), info(&b, 10, 40, 2), info(&c, 30, 30, 1)];
    let found = listed(&**store, 10).await?;
    ensure!(found == wanted, "listed {found:?}, not {wanted:?}");
    Ok(())
}

pub(super) async fn a_list_is_no_longer_than_asked(store: &Subject) -> Outcome {
    for number in 0..5 {
        work(&**store, &session(&number.to_string()), 1, number).await?;
    }
    for (limit, wanted) in [(0, &[][..]), (2, &["4", "3"]), (9, &["4", "3", "2", "1", "0"])] {
        let found = listed(&**store, limit).await?;
        let names: Vec<_> = found.iter().map(|info| info.session.as_str()).collect();
        ensure!(names == wanted, "the first {limit} are {names:?}, not {wanted:?}");
    }
    let all = listed(&**store, usize::MAX).await?.len();
    ensure!(all == 5, "{all} of 5 sessions are listed");
    Ok(())
}

pub(super) async fn a_session_without_entries_is_not_listed(store: &Subject) -> Outcome {
    let _held = claim(&**store, &session("claimed")).await?;
    post(&**store, &session("posted"), "key").await?;
    let found = listed(&**store, 10).await?;
    ensure!(found.is_empty(), "listed {found:?}");
    Ok(())
}

//! Lists of sessions whose journals were overwritten.

use legwork_core::{ExecutionStatus, SessionId};
use legwork_port::Store;
use legwork_port::store::{Query, Range, SessionInfo};

use super::super::{Outcome, ensure};
use super::samples::{append, claim, said_all, session, tried};
use super::summaries::{Work, finished, labelled, note, started};

/// A session that ended, one in progress, and one without a summary.
async fn fill(store: &dyn Store) -> Result<[SessionId; 3], String> {
    let [ended, in_progress, silent] = ["ended", "in progress", "silent"].map(session);
    let held = claim(store, &ended).await?;
    let mut work = Work::new(&ended, &*held);
    let events =
        [started("a task"), labelled(1, Some("good")), finished(ExecutionStatus::Completed)];
    for (time, event) in (1..).zip(events) {
        work.happens(time, event).await?;
    }
    let held = claim(store, &in_progress).await?;
    let mut work = Work::new(&in_progress, &*held);
    work.happens(10, started("another task")).await?;
    work.goes_on(11, note()).await?;
    append(&*claim(store, &silent).await?, 0, &said_all(1..=2)).await?;
    Ok([ended, in_progress, silent])
}

/// What lists say of all sessions, and of some that are found by their summary.
async fn lists(store: &dyn Store) -> Result<Vec<Vec<SessionInfo>>, String> {
    let all = Query::all();
    let queries = [
        all.clone(),
        all.clone().title("task"),
        all.clone().label("good"),
        all.status(ExecutionStatus::InProgress),
    ];
    let mut lists = Vec::new();
    for query in queries {
        lists.push(tried("listing", store.sessions(&query).await)?.sessions);
    }
    Ok(lists)
}

pub(super) async fn s8_7_a_list_reads_no_journal<S: Store>(
    (open, overwrite): &(impl AsyncFn() -> S, impl AsyncFn(SessionId)),
) -> Outcome {
    let store = open().await;
    let names = fill(&store).await?;
    let before = lists(&store).await?;
    let found: Vec<_> = before.iter().map(Vec::len).collect();
    ensure!(found == [3, 2, 1, 1], "lists have {found:?} sessions, not 3, 2, 1 and 1");
    for name in names {
        overwrite(name.clone()).await;
        // An error would do as well: the entries are gone.
        let left = store.read(&name, Range::ALL).await;
        let left = left.map_or(0, |loaded| loaded.journal.entries().len());
        ensure!(left == 0, "{left} entries of {name} can be read, though it was overwritten");
    }
    for store in [store, open().await] {
        let after = lists(&store).await?;
        ensure!(after == before, "lists say {after:?}, and before it was overwritten {before:?}");
    }
    Ok(())
}

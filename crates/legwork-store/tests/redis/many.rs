//! Many sessions, and long journals.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use legwork_core::inbox::Item;
use legwork_core::{ExecutionStatus, Seq, Summary, Timestamp};
use legwork_port::Store as _;
use legwork_port::store::{Batch, DueQuery, Query, Range};

use crate::sample::{Place, append, entries, said, session};

const MANY: u64 = 700;

fn summary(number: u64) -> Summary {
    let mut summary = Summary::default();
    summary.status = Some(ExecutionStatus::Completed);
    summary.title = format!("number {number}");
    summary.due_at = number.is_multiple_of(2).then_some(Timestamp(number));
    summary
}

#[tokio::test]
async fn s8_7_pages_and_filters_of_many_sessions() {
    let Some(place) = Place::shared() else { return };
    let store = place.store();
    let work = |number: u64| {
        let store = store.clone();
        async move {
            let claim = store.claim(&session(&format!("s{number}"))).await.unwrap();
            let (entry, summary) = ([said(1, "x")], summary(number));
            let batch = Batch::of(&entry).with_summary(&summary);
            claim.append(Seq(0), batch).await.unwrap();
            claim.release().await.unwrap();
        }
    };
    join_all((0..MANY).map(work)).await;
    let all = store.sessions(&Query::all()).await.unwrap();
    assert_eq!((all.sessions.len() as u64, all.next), (MANY, None));
    let mut query = Query::first(300);
    let mut pages = Vec::new();
    while let Some(next) = {
        let page = store.sessions(&query).await.unwrap();
        pages.extend(page.sessions);
        page.next
    } {
        query = query.after(next);
    }
    assert_eq!(pages, all.sessions);
    // The one that comes last of all.
    let last = all.sessions.last().unwrap();
    let one = store.sessions(&Query::first(1).title(&last.summary.title)).await.unwrap();
    assert_eq!(one.sessions, std::slice::from_ref(last));

    let due = store.due(&DueQuery::at(Timestamp(MANY)).limit(300)).await.unwrap();
    let since: Vec<_> = due.sessions.iter().map(|info| info.summary.due_at.unwrap().0).collect();
    assert_eq!(since, (0..600).step_by(2).collect::<Vec<_>>());
    let query = DueQuery::at(Timestamp(MANY)).after(due.next.unwrap());
    let rest = store.due(&query).await.unwrap();
    assert_eq!((rest.sessions.len() as u64, rest.next), (MANY / 2 - 300, None));
    let before = store.due(&DueQuery::at(Timestamp(100))).await.unwrap();
    assert_eq!(before.sessions.len(), 51);
}

#[tokio::test]
async fn s8_9_an_item_makes_a_session_due_that_waits_for_a_time() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("s"));
    let entry = said(1, "x");
    let (now, later) = (Timestamp(entry.at.0 + 10), Timestamp(entry.at.0 + 1_000));
    let mut summary = Summary::default();
    summary.due_at = Some(later);
    let claim = store.claim(&name).await.unwrap();
    claim.append(Seq(0), Batch::of(&[entry]).with_summary(&summary)).await.unwrap();
    claim.release().await.unwrap();
    let due = async |now| store.due(&DueQuery::at(now)).await.unwrap().sessions.len();
    assert_eq!((due(now).await, due(later).await), (0, 1));
    let item = store.post(&name, "key", &Item::Stop("enough".into())).await.unwrap();
    assert_eq!((due(now).await, due(later).await), (1, 1));
    summary.taken = item;
    let claim = store.claim(&name).await.unwrap();
    claim.append(Seq(1), Batch::of(&[]).with_summary(&summary)).await.unwrap();
    claim.release().await.unwrap();
    assert_eq!((due(now).await, due(later).await), (0, 1));
}

#[tokio::test]
async fn s8_8_a_long_journal_is_read_in_ranges() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    for start in (1..=1_800).step_by(600) {
        append(&*claim, start..=start + 599).await;
    }
    for (after, limit) in [(0, usize::MAX), (0, 512), (0, 513), (511, 1_025), (1_799, 9), (5, 0)] {
        let read = store.read(&name, Range::after(Seq(after)).limit(limit)).await.unwrap();
        let last = after.saturating_add(limit as u64).min(1_800);
        assert_eq!(read.journal.entries(), entries(after + 1..=last), "{after} {limit}");
        let next = (last < 1_800).then_some(Range::after(Seq(last)).limit(limit));
        assert_eq!((read.next, read.damage), (next, None));
    }
}

/// How often each command ran on the server.
async fn ran(place: &Place) -> BTreeMap<String, u64> {
    let info: String = place.run("INFO", "commandstats").await;
    let count = |line: &str| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), rest.split_once(',')?.0.parse().ok()?))
    };
    info.lines().filter_map(count).collect()
}

#[tokio::test]
async fn an_append_asks_the_same_of_the_server_however_long_the_journal_is() {
    let Some(place) = Place::own() else { return };
    let (store, name) = (place.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    let mut costs = Vec::new();
    for last in [1, 2, 2_000] {
        if last == 2_000 {
            append(&*claim, 4..=2_000).await;
        }
        let before = ran(&place).await;
        append(&*claim, last + 1..=last + 1).await;
        let mut cost = ran(&place).await;
        cost.iter_mut().for_each(|(name, count)| *count -= before.get(name).unwrap_or(&0));
        // What this test asks.
        let own = ["info", "auth", "client|setinfo", "config|get", "select"];
        cost.retain(|name, count| *count > 0 && !own.contains(&name.as_str()));
        costs.push(cost);
    }
    assert_eq!(costs[0]["evalsha"], 1);
    assert_eq!(costs[0]["xadd"], 1);
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0], costs[2]);
}

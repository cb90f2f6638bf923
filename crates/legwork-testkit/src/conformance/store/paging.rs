//! Pages of the list of sessions, and what they leave out.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::{Entry, ExecutionStatus, SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{Error, PageCursor, Query, SessionInfo};

use super::super::{Outcome, ensure};
use super::samples::{NOON, append, claim, remove, said, session, tried};
use super::summaries::{Work, finished, labelled, note, spawned, started};

type Subject = Arc<dyn Store>;

/// Sessions of all kinds, several of one moment.
async fn fill(store: &dyn Store, count: u64) -> Outcome {
    for number in 0..count {
        let name = session(&format!("session {number}"));
        let held = claim(store, &name).await?;
        let time = number / 3;
        if number % 5 == 4 {
            // Nothing was ever said of this one.
            append(&*held, 0, &[said(1, "alone")]).await?;
            continue;
        }
        let mut work = Work::new(&name, &*held);
        if number % 2 == 1 {
            work.happens(time, spawned(&name, &session("session 0"))).await?;
        }
        work.happens(time, started(&format!("Task Nümber {number}"))).await?;
        match number % 3 {
            0 => work.happens(time, finished(ExecutionStatus::Completed)).await?,
            1 => work.happens(time, finished(ExecutionStatus::Failed)).await?,
            // In progress, and changed since that was said.
            _ => work.goes_on(time + 40, note()).await?,
        }
        if number % 4 == 0 {
            work.happens(time + 1, labelled(1, Some("fourth"))).await?;
        }
    }
    Ok(())
}

/// All sessions of a query, page by page.
async fn walk(store: &dyn Store, query: &Query) -> Result<Vec<SessionInfo>, String> {
    let (mut query, mut all) = (query.clone(), Vec::new());
    loop {
        let page = tried("listing a page", store.sessions(&query).await)?;
        ensure!(page.sessions.len() <= query.limit, "a page has {}", page.sessions.len());
        all.extend(page.sessions);
        ensure!(all.len() < 1_000, "the pages do not end");
        let Some(next) = page.next else { return Ok(all) };
        query = query.after(next);
    }
}

fn is_ordered(listed: &[SessionInfo]) -> bool {
    listed.is_sorted_by_key(|info| std::cmp::Reverse(info.updated_at))
}

pub(super) async fn s8_7_pages_hold_every_session_once(store: &Subject) -> Outcome {
    fill(&**store, 23).await?;
    let whole = tried("listing", store.sessions(&Query::all()).await)?;
    ensure!(whole.next.is_none() && whole.sessions.len() == 23, "{} of 23", whole.sessions.len());
    ensure!(is_ordered(&whole.sessions), "not the one changed last first: {whole:?}");
    for limit in [1, 2, 5, 22, 23, 24] {
        let pages = walk(&**store, &Query::first(limit)).await?;
        ensure!(pages == whole.sessions, "pages of {limit} differ from the whole: {pages:?}");
    }
    Ok(())
}

pub(super) async fn s8_7_what_changes_meanwhile_moves_nothing_else(store: &Subject) -> Outcome {
    fill(&**store, 23).await?;
    let before = walk(&**store, &Query::all()).await?;
    ensure!(before.len() == 23, "{} of 23 are listed", before.len());
    let names: Vec<_> = before.iter().map(|info| info.session.clone()).collect();
    let changes = |at: usize| at % 6 == 1;
    let mut seen: BTreeMap<SessionId, usize> = BTreeMap::new();
    let (mut query, mut turn) = (Query::first(2), 0);
    loop {
        let page = tried("listing a page", store.sessions(&query).await)?;
        page.sessions.iter().for_each(|info| *seen.entry(info.session.clone()).or_default() += 1);
        let Some(next) = page.next else { break };
        query = query.after(next);
        // One that was listed before, and one that was not.
        for at in [turn * 6 + 1, 19 - (turn * 6).min(18)] {
            let Some((name, info)) = names.get(at).zip(before.get(at)) else { continue };
            if changes(at) && turn < 2 {
                let held = claim(&**store, name).await?;
                let entries = entries_of(&**store, name).await?;
                let at = Timestamp(NOON + 1_000 + turn as u64);
                let entry = Entry { at, ..(*said(entries + 1, "meanwhile")).clone() };
                append(&*held, entries, &[Arc::new(entry)]).await?;
                ensure!(info.entries <= entries, "entries are gone");
            }
        }
        turn += 1;
    }
    for (at, name) in names.iter().enumerate().filter(|(at, _)| !changes(*at)) {
        let times = seen.get(name).copied().unwrap_or_default();
        ensure!(times == 1, "{name}, {at} in the list, did not change and is on {times} pages");
    }
    Ok(())
}

async fn entries_of(store: &dyn Store, name: &SessionId) -> Result<u64, String> {
    let all = walk(store, &Query::all()).await?;
    Ok(all.iter().find(|info| info.session == *name).map_or(0, |info| info.entries))
}

pub(super) async fn s8_7_a_page_that_ended_with_a_removed_session_goes_on(
    store: &Subject,
) -> Outcome {
    fill(&**store, 9).await?;
    let whole = walk(&**store, &Query::all()).await?;
    let page = tried("listing", store.sessions(&Query::first(4)).await)?;
    let Some(last) = page.sessions.last() else { return Err("nothing is listed".to_owned()) };
    remove(&**store, &[&last.session]).await?;
    let Some(next) = page.next else { return Err("there is no next page".to_owned()) };
    let rest = walk(&**store, &Query::first(2).after(next)).await?;
    ensure!(Some(&*rest) == whole.get(4..), "the rest is {rest:?} of {whole:?}");
    Ok(())
}

pub(super) async fn s8_7_a_list_can_be_filtered(store: &Subject) -> Outcome {
    fill(&**store, 23).await?;
    let whole = walk(&**store, &Query::all()).await?;
    let (root, since) = (session("session 0"), Timestamp(NOON + 4));
    let queries = [
        Query::all().status(ExecutionStatus::Completed),
        Query::all().status(ExecutionStatus::InProgress),
        Query::all().label("fourth"),
        Query::all().roots(),
        Query::all().children_of(root.clone()),
        Query::all().since(since),
        Query::all().title("nÜMBER 1"),
        Query::all().since(since).children_of(root).title("task"),
    ];
    for query in queries {
        let wanted: Vec<_> = whole.iter().filter(|info| query.admits(info)).cloned().collect();
        ensure!(!wanted.is_empty() && wanted.len() < whole.len(), "{query:?} filters nothing");
        for limit in [1, 3, usize::MAX] {
            let mut query = query.clone();
            query.limit = limit;
            let found = walk(&**store, &query).await?;
            ensure!(found == wanted, "{query:?} finds {found:?}, not {wanted:?}");
        }
    }
    let none = Query::all().label("four").status(ExecutionStatus::Completed);
    let found = walk(&**store, &none).await?;
    ensure!(found.is_empty(), "a part of a label finds {found:?}");
    Ok(())
}

pub(super) async fn s8_7_a_cursor_from_elsewhere_is_refused(store: &Subject) -> Outcome {
    fill(&**store, 2).await?;
    for text in ["", "here", "x.y"] {
        let query = Query::all().after(PageCursor::new(text));
        match store.sessions(&query).await {
            Err(Error::PageCursor { cursor, .. }) if cursor == text => {}
            other => return Err(format!("{text:?} gives {other:?}")),
        }
    }
    Ok(())
}

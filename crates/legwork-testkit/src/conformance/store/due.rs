//! Sessions that have work to do and that no process works in.

use std::sync::Arc;

use legwork_core::event::{InboxTaken, SessionStarted};
use legwork_core::inbox::Cursor;
use legwork_core::{Event, ExecutionStatus, Seq, SessionId, Summary, Timestamp};
use legwork_port::Store;
use legwork_port::store::{Batch, DueQuery, PageCursor};

use super::super::{Outcome, ensure};
use super::samples::{NOON, claim, keys, post, remove, said_all, session, tried};
use super::summaries::{Work, finished, started};

type Subject = Arc<dyn Store>;

/// The sessions that are due some milliseconds after noon.
async fn due(store: &dyn Store, time: u64) -> Result<Vec<String>, String> {
    let query = DueQuery::at(Timestamp(NOON + time));
    let page = tried("asking which sessions are due", store.due(&query).await)?;
    Ok(page.sessions.iter().map(|info| info.session.as_str().to_owned()).collect())
}

async fn are_due(store: &dyn Store, time: u64, wanted: &[&str]) -> Outcome {
    let found = due(store, time).await?;
    ensure!(found == wanted, "{found:?} are due {time} ms after noon, not {wanted:?}");
    Ok(())
}

/// The same while a session is claimed, for a store that knows its claims.
async fn are_due_beside(
    store: &dyn Store,
    claimed: &SessionId,
    time: u64,
    wanted: &[&str],
) -> Outcome {
    match tried("asking for a claim", store.is_claimed(claimed).await)? {
        None => Ok(()),
        Some(_) => are_due(store, time, wanted).await,
    }
}

/// A session with one entry, which has work to do by itself at a time after noon.
async fn due_at(store: &dyn Store, name: &SessionId, time: Option<u64>) -> Outcome {
    let held = claim(store, name).await?;
    let mut summary = Summary::default();
    summary.status = Some(ExecutionStatus::AwaitingInput);
    summary.due_at = time.map(|time| Timestamp(NOON + time));
    let entries = said_all(1..=1);
    let batch = Batch::of(&entries).with_summary(&summary);
    tried("appending", held.append(Seq::ZERO, batch).await)?;
    tried("releasing", held.release().await)
}

fn begun(name: &SessionId) -> Event {
    let (session, agent) = (name.clone(), "clerk".into());
    Event::SessionStarted(SessionStarted { session, agent, parent: None, forked_from: None })
}

fn taken(cursor: Cursor) -> Event {
    Event::InboxTaken(InboxTaken { cursor, key: "taken".to_owned(), refused: None }.into())
}

pub(super) async fn s8_9_an_execution_in_progress_is_due_while_no_process_runs_it(
    store: &Subject,
) -> Outcome {
    let name = session("interrupted");
    let held = claim(&**store, &name).await?;
    let mut work = Work::new(&name, &*held);
    work.happens(1, begun(&name)).await?;
    work.happens(2, started("go")).await?;
    are_due_beside(&**store, &name, 100, &[]).await?;
    let state = work.state;
    tried("releasing", held.release().await)?;
    are_due(&**store, 100, &["interrupted"]).await?;
    let held = claim(&**store, &name).await?;
    are_due_beside(&**store, &name, 100, &[]).await?;
    let mut work = Work { state, held: &*held };
    work.happens(3, finished(ExecutionStatus::Completed)).await?;
    tried("releasing", held.release().await)?;
    are_due(&**store, 100, &[]).await
}

pub(super) async fn s8_9_a_session_is_due_until_its_items_are_taken_up(store: &Subject) -> Outcome {
    let name = session("told");
    let held = claim(&**store, &name).await?;
    let mut work = Work::new(&name, &*held);
    work.happens(1, begun(&name)).await?;
    let state = work.state;
    tried("releasing", held.release().await)?;
    are_due(&**store, 100, &[]).await?;
    post(&**store, &name, "first").await?;
    are_due(&**store, 100, &["told"]).await?;
    post(&**store, &name, "first").await?;
    let last = post(&**store, &name, "second").await?;
    let held = claim(&**store, &name).await?;
    are_due_beside(&**store, &name, 100, &[]).await?;
    let mut work = Work { state, held: &*held };
    work.happens(2, taken(Cursor(1))).await?;
    let state = work.state;
    tried("releasing", held.release().await)?;
    are_due(&**store, 100, &["told"]).await?;
    let held = claim(&**store, &name).await?;
    let mut work = Work { state, held: &*held };
    work.happens(3, taken(last)).await?;
    tried("releasing", held.release().await)?;
    are_due(&**store, 100, &[]).await
}

pub(super) async fn s8_9_a_session_is_due_from_a_time_on(store: &Subject) -> Outcome {
    due_at(&**store, &session("later"), Some(50)).await?;
    due_at(&**store, &session("never"), None).await?;
    are_due(&**store, 49, &[]).await?;
    are_due(&**store, 50, &["later"]).await
}

pub(super) async fn s8_9_an_item_makes_a_session_due_that_waits_for_a_time(
    store: &Subject,
) -> Outcome {
    let name = session("deferred");
    due_at(&**store, &name, Some(900)).await?;
    are_due(&**store, 100, &[]).await?;
    post(&**store, &name, "now").await?;
    are_due(&**store, 100, &["deferred"]).await
}

pub(super) async fn s8_9_a_session_without_entries_is_not_due(store: &Subject) -> Outcome {
    post(&**store, &session("not begun"), "early").await?;
    are_due(&**store, 1_000, &[]).await
}

pub(super) async fn s8_9_those_due_longest_come_first_in_pages(store: &Subject) -> Outcome {
    let times = [40, 10, 30, 10, 20, 90];
    for (number, time) in times.into_iter().enumerate() {
        due_at(&**store, &session(&format!("s{number}")), Some(time)).await?;
    }
    let order = ["s1", "s3", "s4", "s2", "s0"];
    are_due(&**store, 80, &order).await?;
    let mut query = DueQuery::at(Timestamp(NOON + 80)).limit(2);
    let mut found = Vec::new();
    loop {
        let page = tried("asking for a page", store.due(&query).await)?;
        ensure!(page.sessions.len() <= 2, "a page of 2 has {}", page.sessions.len());
        found.extend(page.sessions.iter().map(|info| info.session.as_str().to_owned()));
        // What was worked in meanwhile moves nothing else.
        if found.len() == 2 {
            remove(&**store, &[&session("s3")]).await?;
        }
        let Some(next) = page.next else { break };
        query = query.after(next);
    }
    ensure!(found == order, "the pages have {found:?}, not {order:?}");
    let held = claim(&**store, &session("s4")).await?;
    are_due_beside(&**store, &session("s4"), 80, &["s1", "s2", "s0"]).await?;
    drop(held);
    let rubbish = DueQuery::at(Timestamp(NOON)).after(PageCursor::new("rubbish"));
    ensure!(store.due(&rubbish).await.is_err(), "a cursor that no store made was taken");
    Ok(())
}

pub(super) async fn s8_2_items_are_numbered_after_those_that_were_taken_up_elsewhere(
    store: &Subject,
) -> Outcome {
    let name = session("imported");
    let held = claim(&**store, &name).await?;
    let mut summary = Summary::default();
    summary.taken = Cursor(7);
    let entries = said_all(1..=1);
    let batch = Batch::of(&entries).with_summary(&summary);
    let appended = tried("appending", held.append(Seq::ZERO, batch).await)?;
    ensure!(appended.inbox == Cursor(7), "an append gives {:?}", appended.inbox);
    let cursor = post(&**store, &name, "new").await?;
    ensure!(cursor == Cursor(8), "the first item here has the number {cursor:?}, not 8");
    let found = keys(&**store, &name, Cursor(7)).await?;
    ensure!(found == ["new"], "the items after 7 are {found:?}");
    let more = said_all(2..=2);
    let appended = tried("appending", held.append(Seq(1), Batch::of(&more)).await)?;
    ensure!(appended.inbox == Cursor(8), "the next append gives {:?}", appended.inbox);
    Ok(())
}

//! Two handles on one store, as two processes have them.

use std::sync::Arc;

use futures_util::future::{try_join, try_join_all};
use legwork_core::inbox::Cursor;
use legwork_core::{ExecutionStatus, Seq};
use legwork_port::store::{Batch, Query};
use legwork_port::{Claim, Store};

use super::super::{Outcome, ensure};
use super::samples::{
    append, claim, held, holds, keys, moved, post, remove, said_all, session, tried,
};
use super::summaries::{Work, finished, started};

type Subject = [Arc<dyn Store>; 2];

/// Gives a claim back, so that another handle can take it: after a drop that may take a while.
async fn released(held: Box<dyn Claim>) -> Outcome {
    tried("releasing", held.release().await)
}

pub(super) async fn s8_3_a_claim_holds_for_all_handles([one, two]: &Subject) -> Outcome {
    let name = session("claimed by one");
    let first = claim(&**one, &name).await?;
    held("a claim of another handle", &name, two.claim(&name).await)?;
    released(first).await?;
    let second = claim(&**two, &name).await?;
    held("a claim of another handle", &name, one.claim(&name).await)?;
    append(&*second, 0, &said_all(1..=1)).await.map(|_| ())
}

pub(super) async fn s8_3_fences_rise_across_handles(handles: &Subject) -> Outcome {
    let name = session("fenced by turns");
    let mut last = None;
    for handle in handles.iter().cycle().take(6) {
        let held = claim(&**handle, &name).await?;
        let fence = held.fence();
        ensure!(last < Some(fence), "{fence:?} comes after {last:?}");
        released(held).await?;
        last = Some(fence);
    }
    Ok(())
}

pub(super) async fn s8_3_what_one_appends_another_reads([one, two]: &Subject) -> Outcome {
    let name = session("written by turns");
    let first = claim(&**one, &name).await?;
    append(&*first, 0, &said_all(1..=3)).await?;
    holds(&**two, &name, &said_all(1..=3)).await?;
    released(first).await?;
    let second = claim(&**two, &name).await?;
    let behind = second.append(Seq(2), Batch::of(&said_all(3..=3))).await;
    moved("an append after 2 to one that ends at 3", (2, 3), behind)?;
    append(&*second, 3, &said_all(4..=5)).await?;
    holds(&**one, &name, &said_all(1..=5)).await?;
    let listed = tried("listing", two.sessions(&Query::all()).await)?.sessions;
    let entries = listed.iter().find(|info| info.session == name).map(|info| info.entries);
    ensure!(entries == Some(5), "listed with {entries:?} entries, there are 5");
    Ok(())
}

pub(super) async fn s8_2_a_key_is_taken_once_across_handles([one, two]: &Subject) -> Outcome {
    let name = session("keyed by both");
    let first = post(&**one, &name, "key").await?;
    let again = post(&**two, &name, "key").await?;
    ensure!(first == again, "one key is numbered {first:?} and {again:?}");
    let found = keys(&**one, &name, Cursor(0)).await?;
    ensure!(found == ["key"], "the inbox holds {found:?}");
    Ok(())
}

pub(super) async fn s8_2_posts_of_two_handles_are_all_there([one, two]: &Subject) -> Outcome {
    let name = session("posted by both");
    let posting = async |store: &Arc<dyn Store>, who: &str| -> Result<(), String> {
        for number in 0..20 {
            post(&**store, &name, &format!("{who} {number}")).await?;
        }
        Ok(())
    };
    try_join(posting(one, "one"), posting(two, "two")).await?;
    let found = keys(&**two, &name, Cursor(0)).await?;
    for who in ["one", "two"] {
        let own: Vec<_> = found.iter().filter(|key| key.starts_with(who)).cloned().collect();
        let wanted: Vec<_> = (0..20).map(|number| format!("{who} {number}")).collect();
        ensure!(own == wanted, "handle {who} posted {wanted:?}, there are {own:?}");
    }
    Ok(())
}

pub(super) async fn sessions_of_two_handles_append_at_once(handles: &Subject) -> Outcome {
    let work = |(number, store): (usize, &Arc<dyn Store>)| {
        let (store, name) = (Arc::clone(store), session(&format!("at once {number}")));
        async move {
            let held = claim(&*store, &name).await?;
            for seq in 1..=10 {
                append(&*held, seq - 1, &said_all(seq..=seq)).await?;
            }
            holds(&*store, &name, &said_all(1..=10)).await
        }
    };
    try_join_all(handles.iter().cycle().take(10).enumerate().map(work)).await.map(|_| ())
}

pub(super) async fn s8_7_what_one_appends_another_lists([one, two]: &Subject) -> Outcome {
    let name = session("listed elsewhere");
    let held = claim(&**one, &name).await?;
    let mut work = Work::new(&name, &*held);
    for (time, event) in [(1, started("go")), (2, finished(ExecutionStatus::Completed))] {
        work.happens(time, event).await?;
        let page = tried("listing", two.sessions(&Query::all()).await)?;
        let listed = page.sessions.iter().find(|info| info.session == name);
        let wanted = work.state.summary();
        ensure!(listed.is_some_and(|info| info.summary == **wanted), "{listed:?}, not {wanted:?}");
    }
    Ok(())
}

pub(super) async fn s8_6_what_one_removes_is_gone_for_the_other([one, two]: &Subject) -> Outcome {
    let name = session("removed by one");
    let first = claim(&**two, &name).await?;
    append(&*first, 0, &said_all(1..=3)).await?;
    released(first).await?;
    post(&**two, &name, "key").await?;
    holds(&**one, &name, &said_all(1..=3)).await?;
    remove(&**one, &[&name]).await?;
    holds(&**two, &name, &[]).await?;
    let left = keys(&**two, &name, Cursor(0)).await?;
    ensure!(left.is_empty(), "its inbox still holds {left:?}");
    append(&*claim(&**two, &name).await?, 0, &said_all(1..=1)).await?;
    holds(&**one, &name, &said_all(1..=1)).await
}

pub(super) async fn s8_6_what_another_handle_claims_is_not_removed(
    [one, two]: &Subject,
) -> Outcome {
    let name = session("kept by one");
    let first = claim(&**one, &name).await?;
    append(&*first, 0, &said_all(1..=1)).await?;
    let removed = two.remove(std::slice::from_ref(&name)).await;
    held("removing what another handle claims", &name, removed)?;
    append(&*first, 1, &said_all(2..=2)).await?;
    released(first).await?;
    remove(&**two, &[&name]).await
}

//! Appends are whole, in order, durable, and only where they are expected.

use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};
use legwork_core::event::HeadMoved;
use legwork_core::{Entry, Event, Seq};
use legwork_port::Store;
use legwork_port::store::{Batch, Query, Range};

use super::super::{Outcome, ensure};
use super::samples::{append, claim, entry, holds, moved, said, said_all, session, tried, varied};

type Subject = Arc<dyn Store>;

pub(super) async fn an_unknown_session_is_empty(store: &Subject) -> Outcome {
    let name = session("unknown");
    holds(&**store, &name, &[]).await?;
    let loaded = tried("reading", store.read(&name, Range::ALL).await)?;
    ensure!(loaded.inbox == <_>::default(), "its last item is {:?}", loaded.inbox);
    let items = tried("reading its inbox", store.inbox(&name, <_>::default()).await)?;
    ensure!(items.is_empty(), "its inbox holds {items:?}");
    let listed = tried("listing", store.sessions(&Query::first(10)).await)?.sessions;
    ensure!(listed.is_empty(), "an empty store lists {listed:?}");
    Ok(())
}

pub(super) async fn what_is_read_is_what_was_appended(store: &Subject) -> Outcome {
    for name in ["plain", " ", "../up/../and away?#%", "with 'quotes' \" 漢字 🧵"] {
        let name = session(name);
        let mut entries = varied(&name);
        let held = claim(&**store, &name).await?;
        append(&*held, 0, &entries).await?;
        holds(&**store, &name, &entries).await?;
        let more = said_all(5..=5);
        append(&*held, 4, &more).await?;
        entries.extend(more);
        holds(&**store, &name, &entries).await?;
    }
    Ok(())
}

pub(super) async fn a_large_entry_comes_back_whole(store: &Subject) -> Outcome {
    let name = session("large");
    let entries = [said(1, "before"), said(2, &"0123456789é".repeat(500_000)), said(3, "after")];
    let held = claim(&**store, &name).await?;
    append(&*held, 0, &entries).await?;
    holds(&**store, &name, &entries).await
}

pub(super) async fn s8_1_every_branch_of_the_tree_is_kept(store: &Subject) -> Outcome {
    let name = session("tree");
    let held = claim(&**store, &name).await?;
    let mut entries = said_all(1..=3);
    entries.push(entry(4, Event::HeadMoved(HeadMoved { to: Seq(1) })));
    entries.push(Arc::new(Entry { parent: Seq(1), ..(*said(5, "another way")).clone() }));
    append(&*held, 0, &entries).await?;
    holds(&**store, &name, &entries).await?;
    let journal = tried("reading", store.read(&name, Range::ALL).await)?.journal;
    let path: Vec<_> = journal.path(journal.head()).iter().map(|entry| entry.seq.0).collect();
    ensure!(path == [1, 5], "the path to the head is {path:?}");
    Ok(())
}

pub(super) async fn s8_3_an_append_expects_the_last_entry(store: &Subject) -> Outcome {
    let name = session("expected");
    let held = claim(&**store, &name).await?;
    moved(
        "an append after 1 to an empty one",
        (1, 0),
        held.append(Seq(1), Batch::of(&said_all(2..=2))).await,
    )?;
    holds(&**store, &name, &[]).await?;
    append(&*held, 0, &said_all(1..=3)).await?;
    for wrong in [0, 1, 2, 4, 9] {
        let entries = said_all(wrong + 1..=wrong + 2);
        let what = format!("an append after {wrong} to one that ends at 3");
        moved(&what, (wrong, 3), held.append(Seq(wrong), Batch::of(&entries)).await)?;
        holds(&**store, &name, &said_all(1..=3)).await?;
    }
    append(&*held, 3, &said_all(4..=5)).await?;
    holds(&**store, &name, &said_all(1..=5)).await
}

pub(super) async fn s8_3_the_next_claim_goes_on_after_the_last_entry(store: &Subject) -> Outcome {
    let name = session("handed on");
    for holder in 0..5 {
        let held = claim(&**store, &name).await?;
        let (first, last) = (holder * 2 + 1, holder * 2 + 2);
        append(&*held, first - 1, &said_all(first..=last)).await?;
        drop(held);
        holds(&**store, &name, &said_all(1..=last)).await?;
    }
    Ok(())
}

pub(super) async fn entries_without_their_numbers_are_refused_whole(store: &Subject) -> Outcome {
    let name = session("numbers");
    let held = claim(&**store, &name).await?;
    append(&*held, 0, &said_all(1..=1)).await?;
    for wrong in [[2, 4], [3, 4], [2, 2], [1, 2]] {
        let entries = wrong.map(|seq| said(seq, "wrong"));
        let result = held.append(Seq(1), Batch::of(&entries)).await;
        ensure!(result.is_err(), "entries numbered {wrong:?} were taken after 1");
        holds(&**store, &name, &said_all(1..=1)).await?;
    }
    append(&*held, 1, &said_all(2..=2)).await?;
    Ok(())
}

pub(super) async fn an_append_of_nothing_changes_nothing(store: &Subject) -> Outcome {
    let name = session("nothing");
    let held = claim(&**store, &name).await?;
    append(&*held, 0, &[]).await?;
    append(&*held, 0, &said_all(1..=2)).await?;
    append(&*held, 2, &[]).await?;
    holds(&**store, &name, &said_all(1..=2)).await
}

pub(super) async fn many_sessions_append_at_once(store: &Subject) -> Outcome {
    let work = |number: u32| async move {
        let name = session(&format!("worker {number}"));
        let held = claim(&**store, &name).await?;
        for seq in (1..=12).step_by(3) {
            append(&*held, seq - 1, &said_all(seq..=seq + 2)).await?;
        }
        drop(held);
        holds(&**store, &name, &said_all(1..=12)).await
    };
    try_join_all((0..40).map(work)).await?;
    let listed = tried("listing", store.sessions(&Query::first(100)).await)?.sessions;
    ensure!(listed.len() == 40, "{} of 40 sessions are listed", listed.len());
    Ok(())
}

pub(super) async fn a_refused_append_fails_no_other(store: &Subject) -> Outcome {
    let work = |number: u64| async move {
        let name = session(&format!("worker {number}"));
        let held = claim(&**store, &name).await?;
        append(&*held, 0, &said_all(1..=1)).await?;
        let expected = number % 2 * 7 + 1;
        let result =
            held.append(Seq(expected), Batch::of(&said_all(expected + 1..=expected + 1))).await;
        if expected == 1 {
            tried("an append with refused ones", result)?;
            holds(&**store, &name, &said_all(1..=2)).await
        } else {
            moved("an append after 8 to one that ends at 1", (8, 1), result)?;
            holds(&**store, &name, &said_all(1..=1)).await
        }
    };
    join_all((0..24).map(work)).await.into_iter().collect()
}

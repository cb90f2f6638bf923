//! Anyone may post, a key is taken once, and the order is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::{FutureExt as _, try_join_all};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Verdict};
use legwork_core::{Message, Seq};
use legwork_port::Store;
use legwork_port::store::{Batch, Error, Range};
use serde_json::json;

use super::super::{Outcome, ensure};
use super::samples::{append, claim, holds, keys, note, post, remove, said_all, session, tried};

type Subject = Arc<dyn Store>;

pub(super) async fn s8_2_items_come_in_the_order_they_were_posted(store: &Subject) -> Outcome {
    let name = session("inbox");
    let first = post(&**store, &name, "a").await?;
    ensure!(first == Cursor(1), "the first item is numbered {first:?}");
    let second = post(&**store, &name, "c").await?;
    let third = post(&**store, &name, "b").await?;
    ensure!(first < second && second < third, "numbered {first:?}, {second:?}, {third:?}");
    for (after, wanted) in [
        (Cursor(0), &["a", "c", "b"][..]),
        (first, &["c", "b"][..]),
        (second, &["b"][..]),
        (third, &[]),
        (Cursor(u64::MAX), &[]),
    ] {
        let found = keys(&**store, &name, after).await?;
        ensure!(found == wanted, "after {after:?} come {found:?}, not {wanted:?}");
    }
    let items = tried("reading the inbox", store.inbox(&name, first).await)?;
    let cursors: Vec<_> = items.iter().map(|posted| posted.cursor).collect();
    ensure!(cursors == [second, third], "read as {cursors:?}, posted as {second:?}, {third:?}");
    Ok(())
}

pub(super) async fn s8_2_every_kind_of_item_comes_back(store: &Subject) -> Outcome {
    let name = session("kinds");
    let answer = |verdict| Item::Answer(Answer::new("s/4/1", verdict));
    let items = [
        note("look\nthere \u{0} 漢字"),
        Item::FollowUp(Arc::new(Message::user("and then"))),
        Item::Stop("enough".into()),
        answer(Verdict::RunAgain),
        answer(Verdict::Tell),
        answer(Verdict::Supply(json!({"float": 0.1, "none": null}))),
        Item::Label(Label { entry: Seq(3), text: Some("here".into()) }),
        Item::Label(Label { entry: Seq(3), text: None }),
        Item::MoveHead(Seq(2)),
    ];
    for (index, item) in items.iter().enumerate() {
        tried("posting", store.post(&name, &index.to_string(), item).await)?;
    }
    let posted = tried("reading the inbox", store.inbox(&name, Cursor(0)).await)?;
    let found: Vec<_> = posted.into_iter().map(|posted| posted.item).collect();
    ensure!(found == items, "posted {items:?}, read {found:?}");
    Ok(())
}

pub(super) async fn s8_2_a_key_is_taken_once(store: &Subject) -> Outcome {
    let name = session("once");
    let first = tried("posting", store.post(&name, "key", &note("first")).await)?;
    let other = post(&**store, &name, "other").await?;
    let again = tried("posting again", store.post(&name, "key", &note("second")).await)?;
    ensure!(again == first, "the key again is numbered {again:?}, not {first:?}");
    ensure!(other != first, "two keys share the number {first:?}");
    let items = tried("reading the inbox", store.inbox(&name, Cursor(0)).await)?;
    ensure!(items.len() == 2, "{} items, two were posted", items.len());
    let kept = items.first().map(|posted| posted.item.clone());
    ensure!(kept == Some(note("first")), "the key again changed the item to {kept:?}");
    Ok(())
}

pub(super) async fn s8_2_a_key_is_a_sessions_own(store: &Subject) -> Outcome {
    for name in ["one", "two", "three"] {
        let cursor = post(&**store, &session(name), "key").await?;
        ensure!(cursor == Cursor(1), "the first item of {name} is numbered {cursor:?}");
    }
    Ok(())
}

pub(super) async fn s8_2_anyone_may_post_while_a_claim_is_held(store: &Subject) -> Outcome {
    let name = session("held");
    let held = claim(&**store, &name).await?;
    append(&*held, 0, &said_all(1..=1)).await?;
    post(&**store, &name, "steer").await?;
    append(&*held, 1, &said_all(2..=2)).await?;
    let found = keys(&**store, &name, Cursor(0)).await?;
    ensure!(found == ["steer"], "the inbox holds {found:?}");
    Ok(())
}

pub(super) async fn s8_2_posts_at_once_are_all_there(store: &Subject) -> Outcome {
    let name = session("crowd");
    let names: Vec<_> = (0..60).map(|number| format!("key {}", number % 30)).collect();
    let posts = names.iter().map(|key| post(&**store, &name, key));
    let cursors: BTreeSet<_> = try_join_all(posts).await?.into_iter().collect();
    ensure!(cursors.len() == 30, "30 keys got {} numbers", cursors.len());
    let items = tried("reading the inbox", store.inbox(&name, Cursor(0)).await)?;
    let read: Vec<_> = items.iter().map(|posted| posted.cursor).collect();
    ensure!(read.iter().eq(&cursors), "numbered {cursors:?}, read {read:?}");
    Ok(())
}

pub(super) async fn s8_2_an_append_returns_the_last_item(store: &Subject) -> Outcome {
    let name = session("counted");
    let held = claim(&**store, &name).await?;
    let none = append(&*held, 0, &said_all(1..=1)).await?;
    ensure!(none == Cursor(0), "the last item of an empty inbox is {none:?}");
    post(&**store, &session("another"), "elsewhere").await?;
    for seq in 2..=4 {
        let last = post(&**store, &name, &seq.to_string()).await?;
        let last_item = append(&*held, seq - 1, &said_all(seq..=seq)).await?;
        ensure!(last_item == last, "the last item is {last:?}, the append gives {last_item:?}");
        let loaded = tried("reading", store.read(&name, Range::ALL).await)?.inbox;
        ensure!(loaded == last, "the last item is {last:?}, reading gives {loaded:?}");
    }
    Ok(())
}

pub(super) async fn s8_2_an_append_that_missed_an_item_is_refused(store: &Subject) -> Outcome {
    let name = session("missed");
    let held = claim(&**store, &name).await?;
    let none = Batch::of(&[]).if_seen(Cursor(0));
    tried("an append that missed nothing", held.append(Seq(0), none).await)?;
    let last = post(&**store, &name, "item").await?;
    let entries = said_all(1..=1);
    for seen in [Cursor(0), Cursor(last.0 - 1)] {
        match held.append(Seq(0), Batch::of(&entries).if_seen(seen)).await {
            Err(Error::NewItems { inbox, .. }) if inbox == last => {}
            other => {
                return Err(format!("an append that saw {seen:?} of {last:?} gives {other:?}"));
            }
        }
        holds(&**store, &name, &[]).await?;
    }
    let seen = held.append(Seq(0), Batch::of(&entries).if_seen(last)).await;
    ensure!(tried("an append that saw it", seen)?.inbox == last, "it gives another item");
    holds(&**store, &name, &entries).await
}

pub(super) async fn s8_2_a_change_wakes_watchers(store: &Subject) -> Outcome {
    let name = session("watched");
    let held = claim(&**store, &name).await?;
    let Some(posted) = store.watch(&name) else { return Ok(()) };
    post(&**store, &name, "key").await?;
    ensure!(posted.now_or_never().is_some(), "an item was posted, and who watches sleeps on");
    let Some(appended) = store.watch(&name) else { return Err("it watches once".to_owned()) };
    append(&*held, 0, &said_all(1..=1)).await?;
    ensure!(appended.now_or_never().is_some(), "an append was made, and who watches sleeps on");
    drop(held);
    let Some(removed) = store.watch(&name) else { return Err("it watches twice".to_owned()) };
    remove(&**store, &[&name]).await?;
    ensure!(removed.now_or_never().is_some(), "it was removed, and who watches sleeps on");
    Ok(())
}

pub(super) async fn s8_2_an_inbox_needs_no_journal(store: &Subject) -> Outcome {
    let name = session("early");
    let last = post(&**store, &name, "before all").await?;
    let loaded = tried("reading", store.read(&name, Range::ALL).await)?;
    ensure!(loaded.journal.entries().is_empty(), "a post made entries");
    ensure!(loaded.inbox == last, "reading gives {:?}, not {last:?}", loaded.inbox);
    let held = claim(&**store, &name).await?;
    let last_item = append(&*held, 0, &said_all(1..=1)).await?;
    ensure!(last_item == last, "the append gives {last_item:?}, not {last:?}");
    Ok(())
}

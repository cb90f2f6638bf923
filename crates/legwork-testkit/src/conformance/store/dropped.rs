//! Futures that are dropped: before they are polled, and while they wait.

use std::sync::Arc;

use futures_util::future::FutureExt as _;
use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Batch, Error, Range};
use legwork_port::{Claim, Store};

use super::super::{Outcome, ensure};
use super::removal::{filled, is_gone, is_whole};
use super::samples::{append, claim, holds, keys, note, post, said_all, session, tried};

type Subject = Arc<dyn Store>;

/// How often something is tried that an operation which was dropped may still keep from
/// happening.
const TRIES: usize = 10_000;

/// The claim of a session, once what was dropped has given it back.
async fn claim_in_the_end(store: &dyn Store, name: &SessionId) -> Result<Box<dyn Claim>, String> {
    for _ in 1..TRIES {
        match store.claim(name).await {
            Err(Error::Held { .. }) => {}
            other => return tried(&format!("claiming {name}"), other),
        }
    }
    claim(store, name).await
}

/// Appends an entry behind the last; gives its number.
async fn goes_on(store: &dyn Store, name: &SessionId, held: &dyn Claim) -> Result<u64, String> {
    for _ in 0..TRIES {
        let read = tried("reading", store.read(name, Range::ALL).await)?;
        let Seq(last) = read.journal.version();
        let entries = said_all(last + 1..=last + 1);
        match held.append(Seq(last), Batch::of(&entries)).await {
            Ok(_) => return Ok(last + 1),
            // The append that was dropped came between.
            Err(Error::Moved { .. }) => {}
            Err(error) => return Err(format!("appending after {last} failed: {error}")),
        }
    }
    Err(format!("the journal of {name} moves on each time that it is read"))
}

pub(super) async fn nothing_happens_before_the_first_poll(store: &Subject) -> Outcome {
    let (name, other) = (filled(&**store, "unpolled").await?, session("other"));
    let item = note("unpolled");
    drop(store.claim(&name));
    drop(store.remove(std::slice::from_ref(&name)));
    drop(store.post(&name, "another", &item));
    is_whole(&**store, &name).await?;
    let held = claim(&**store, &name).await?;
    let entries = said_all(4..=4);
    drop(held.append(Seq(3), Batch::of(&entries)));
    drop(held.renew());
    is_whole(&**store, &name).await?;
    append(&*held, 3, &entries).await?;
    drop(store.post(&other, "unpolled", &item));
    let items = keys(&**store, &other, Cursor(0)).await?;
    ensure!(items.is_empty(), "a post that was never polled left {items:?}");
    Ok(())
}

pub(super) async fn s8_3_a_dropped_claim_leaves_the_session_free(store: &Subject) -> Outcome {
    let name = session("dropped claim");
    let mut last = None;
    for round in 1..=8 {
        drop(store.claim(&name).now_or_never());
        let held = claim_in_the_end(&**store, &name).await?;
        ensure!(last < Some(held.fence()), "{:?} comes after {last:?}", held.fence());
        append(&*held, round - 1, &said_all(round..=round)).await?;
        last = Some(held.fence());
    }
    holds(&**store, &name, &said_all(1..=8)).await
}

pub(super) async fn s8_3_a_dropped_append_is_there_whole_or_not_at_all(store: &Subject) -> Outcome {
    for round in 0..8 {
        let name = session(&format!("dropped append {round}"));
        let held = claim(&**store, &name).await?;
        drop(held.append(Seq(0), Batch::of(&said_all(1..=3))).now_or_never());
        let next = goes_on(&**store, &name, &*held).await?;
        ensure!(matches!(next, 1 | 4), "{} of 3 entries are there", next - 1);
        // It does not come any more.
        append(&*held, next, &said_all(next + 1..=next + 2)).await?;
        holds(&**store, &name, &said_all(1..=next + 2)).await?;
    }
    Ok(())
}

pub(super) async fn s8_3_a_dropped_append_does_not_come_after_the_next_claim(
    store: &Subject,
) -> Outcome {
    for round in 0..8 {
        let name = session(&format!("dropped run {round}"));
        let held = claim(&**store, &name).await?;
        drop(held.append(Seq(0), Batch::of(&said_all(1..=3))).now_or_never());
        drop(held);
        let held = claim_in_the_end(&**store, &name).await?;
        let read = tried("reading", store.read(&name, Range::ALL).await)?;
        let Seq(last) = read.journal.version();
        ensure!(matches!(last, 0 | 3), "{last} of 3 entries are there");
        append(&*held, last, &said_all(last + 1..=last + 1)).await?;
        holds(&**store, &name, &said_all(1..=last + 1)).await?;
    }
    Ok(())
}

pub(super) async fn s8_2_a_dropped_post_can_be_made_again(store: &Subject) -> Outcome {
    let name = session("dropped post");
    for round in 1..=8 {
        let (key, item) = (round.to_string(), note("dropped"));
        drop(store.post(&name, &key, &item).now_or_never());
        let first = post(&**store, &name, &key).await?;
        let again = post(&**store, &name, &key).await?;
        ensure!(first == again, "one key is numbered {first:?} and {again:?}");
        let items = keys(&**store, &name, Cursor(0)).await?;
        ensure!(items.len() == round, "{round} keys left {items:?}");
    }
    Ok(())
}

pub(super) async fn s8_3_a_dropped_renewal_leaves_the_claim(store: &Subject) -> Outcome {
    let name = session("dropped renewal");
    let held = claim(&**store, &name).await?;
    drop(held.renew().now_or_never());
    append(&*held, 0, &said_all(1..=1)).await?;
    tried("renewing", held.renew().await)?;
    holds(&**store, &name, &said_all(1..=1)).await
}

pub(super) async fn s8_3_a_dropped_release_frees_the_session(store: &Subject) -> Outcome {
    let name = session("dropped release");
    for round in 1..=8 {
        let held = claim_in_the_end(&**store, &name).await?;
        append(&*held, round - 1, &said_all(round..=round)).await?;
        match round % 2 {
            0 => drop(held.release()),
            _ => drop(held.release().now_or_never()),
        }
    }
    drop(claim_in_the_end(&**store, &name).await?);
    holds(&**store, &name, &said_all(1..=8)).await
}

pub(super) async fn s8_6_a_dropped_removal_removes_all_or_none(store: &Subject) -> Outcome {
    for round in 0..4 {
        let one = filled(&**store, &format!("dropped {round}")).await?;
        let two = filled(&**store, &format!("dropped too {round}")).await?;
        let both = [one.clone(), two.clone()];
        drop(store.remove(&both).now_or_never());
        let mut tries = 0..TRIES;
        loop {
            match store.remove(&both).await {
                // The one that was dropped removed them.
                Ok(_) | Err(Error::Unknown { .. }) => break,
                Err(Error::Held { .. }) if tries.next().is_some() => {}
                Err(error) => return Err(format!("removing {both:?} failed: {error}")),
            }
        }
        is_gone(&**store, &one).await?;
        is_gone(&**store, &two).await?;
        let again = filled(&**store, one.as_str()).await?;
        is_whole(&**store, &again).await?;
    }
    Ok(())
}

//! One holder a session, fenced.

use std::sync::Arc;

use futures_util::future::join_all;
use legwork_port::Store;
use legwork_port::store::Query;

use super::super::{Outcome, ensure};
use super::samples::{append, claim, held, holds, note, said_all, session, tried};

type Subject = Arc<dyn Store>;

pub(super) async fn s8_3_a_session_has_one_claim(store: &Subject) -> Outcome {
    let (one, other) = (session("one"), session("other"));
    let _held = claim(&**store, &one).await?;
    held("a second claim", &one, store.claim(&one).await)?;
    held("a third claim", &one, store.claim(&one).await)?;
    claim(&**store, &other).await?;
    Ok(())
}

pub(super) async fn s8_3_of_many_claims_at_once_one_is_given(store: &Subject) -> Outcome {
    let name = session("wanted");
    let claims = join_all((0..16).map(|_| store.claim(&name))).await;
    let mut given = Vec::new();
    for claim in claims {
        match claim {
            Ok(claim) => given.push(claim),
            error => held("a claim that lost", &name, error)?,
        }
    }
    ensure!(given.len() == 1, "{} of 16 claims were given", given.len());
    Ok(())
}

pub(super) async fn s8_3_a_refused_claim_changes_nothing(store: &Subject) -> Outcome {
    let name = session("busy");
    let first = claim(&**store, &name).await?;
    append(&*first, 0, &said_all(1..=1)).await?;
    held("a second claim", &name, store.claim(&name).await)?;
    append(&*first, 1, &said_all(2..=2)).await?;
    holds(&**store, &name, &said_all(1..=2)).await
}

pub(super) async fn s8_3_dropping_a_claim_frees_the_session(store: &Subject) -> Outcome {
    let name = session("freed");
    for round in 0..10 {
        let held = store.claim(&name).await;
        tried(&format!("claim {round}, the one before being dropped,"), held)?;
    }
    Ok(())
}

pub(super) async fn s8_3_a_store_that_reports_claims_reports_them_rightly(
    store: &Subject,
) -> Outcome {
    let (one, other) = (session("one"), session("other"));
    let claimed = async |name| tried("asking for a claim", store.is_claimed(name).await);
    let Some(before) = claimed(&one).await? else { return Ok(()) };
    ensure!(!before, "a session that was never claimed is claimed");
    let held = claim(&**store, &one).await?;
    append(&*held, 0, &said_all(1..=1)).await?;
    let (first, second) = (claimed(&one).await?, claimed(&other).await?);
    ensure!(first == Some(true) && second == Some(false), "{first:?} of the one that is held");
    drop(held);
    let after = claimed(&one).await?;
    ensure!(after == Some(false), "{after:?} of one that was given back");
    Ok(())
}

pub(super) async fn s8_3_a_released_claim_frees_the_session(store: &Subject) -> Outcome {
    let name = session("released");
    for round in 1..=5 {
        let held = claim(&**store, &name).await?;
        append(&*held, round - 1, &said_all(round..=round)).await?;
        tried("releasing", held.release().await)?;
        let claimed = tried("asking for a claim", store.is_claimed(&name).await)?;
        ensure!(claimed != Some(true), "it is claimed after it was released");
    }
    holds(&**store, &name, &said_all(1..=5)).await
}

pub(super) async fn s8_3_a_renewed_claim_holds(store: &Subject) -> Outcome {
    let name = session("renewed");
    let first = claim(&**store, &name).await?;
    for round in 1..=3 {
        tried("renewing", first.renew().await)?;
        held("a second claim after a renewal", &name, store.claim(&name).await)?;
        append(&*first, round - 1, &said_all(round..=round)).await?;
    }
    let every = first.renew_every();
    ensure!(every.is_none_or(|every| !every.is_zero()), "it must be renewed all the time");
    holds(&**store, &name, &said_all(1..=3)).await
}

pub(super) async fn s8_3_fences_rise(store: &Subject) -> Outcome {
    let name = session("fenced");
    let mut last = None;
    for round in 1..=8 {
        let held = claim(&**store, &name).await?;
        let fence = held.fence();
        ensure!(last < Some(fence), "{fence:?} comes after {last:?}");
        append(&*held, round - 1, &said_all(round..=round)).await?;
        last = Some(fence);
    }
    Ok(())
}

pub(super) async fn s8_3_reading_needs_no_claim(store: &Subject) -> Outcome {
    let name = session("read");
    let held = claim(&**store, &name).await?;
    append(&*held, 0, &said_all(1..=3)).await?;
    holds(&**store, &name, &said_all(1..=3)).await?;
    tried("posting while it is claimed", store.post(&name, "key", &note("hello")).await)?;
    let items =
        tried("reading the inbox while it is claimed", store.inbox(&name, <_>::default()).await)?;
    ensure!(items.len() == 1, "{} items in the inbox, one was posted", items.len());
    let listed =
        tried("listing while it is claimed", store.sessions(&Query::first(10)).await)?.sessions;
    ensure!(listed.len() == 1, "{} sessions listed, there is one", listed.len());
    Ok(())
}

//! A claim that was lost.

use std::sync::Arc;

use legwork_core::{Seq, SessionId};
use legwork_port::Store;
use legwork_port::store::Batch;

use super::super::{Outcome, ensure};
use super::samples::{append, claim, held, holds, lost, said_all, session};

type Subject<L> = (Arc<dyn Store>, L);

pub(super) async fn s8_3_an_older_fence_is_refused<L: AsyncFn(SessionId)>(
    (store, lose): &Subject<L>,
) -> Outcome {
    let name = session("fenced off");
    let old = claim(&**store, &name).await?;
    append(&*old, 0, &said_all(1..=1)).await?;
    lose(name.clone()).await;
    let new = claim(&**store, &name).await?;
    ensure!(new.fence() > old.fence(), "{:?} comes after {:?}", new.fence(), old.fence());
    lost("an append with an older fence", old.append(Seq(1), Batch::of(&said_all(2..=2))).await)?;
    append(&*new, 1, &said_all(2..=3)).await?;
    lost("an append with an older fence", old.append(Seq(3), Batch::of(&said_all(4..=4))).await)?;
    holds(&**store, &name, &said_all(1..=3)).await
}

pub(super) async fn s8_3_a_lost_claim_given_back_frees_nothing<L: AsyncFn(SessionId)>(
    (store, lose): &Subject<L>,
) -> Outcome {
    let name = session("given back late");
    let old = claim(&**store, &name).await?;
    lose(name.clone()).await;
    let new = claim(&**store, &name).await?;
    drop(old);
    held("a claim while the new one is held", &name, store.claim(&name).await)?;
    append(&*new, 0, &said_all(1..=1)).await.map(|_| ())
}

pub(super) async fn s8_3_a_lost_claim_is_neither_renewed_nor_released<L: AsyncFn(SessionId)>(
    (store, lose): &Subject<L>,
) -> Outcome {
    let name = session("lost");
    let old = claim(&**store, &name).await?;
    lose(name.clone()).await;
    let new = claim(&**store, &name).await?;
    lost("renewing a lost claim", old.renew().await)?;
    // Whether it fails or not, it changes nothing.
    let _ = old.release().await;
    held("a claim while the new one is held", &name, store.claim(&name).await)?;
    append(&*new, 0, &said_all(1..=1)).await.map(|_| ())
}

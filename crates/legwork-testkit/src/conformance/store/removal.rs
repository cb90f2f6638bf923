//! Removing sessions for good.

use std::sync::Arc;

use legwork_core::SessionId;
use legwork_core::inbox::Cursor;
use legwork_port::Store;
use legwork_port::store::{Error, Query};

use super::super::{Outcome, ensure};
use super::samples::{append, claim, held, holds, keys, post, remove, said_all, session, tried};

type Subject = Arc<dyn Store>;

/// A session with three entries and an item.
pub(super) async fn filled(store: &dyn Store, name: &str) -> Result<SessionId, String> {
    let name = session(name);
    append(&*claim(store, &name).await?, 0, &said_all(1..=3)).await?;
    post(store, &name, "key").await?;
    Ok(name)
}

pub(super) async fn is_whole(store: &dyn Store, name: &SessionId) -> Outcome {
    holds(store, name, &said_all(1..=3)).await?;
    let items = keys(store, name, Cursor(0)).await?;
    ensure!(items == ["key"], "the inbox of {name} holds {items:?}, not its one item");
    Ok(())
}

pub(super) async fn is_gone(store: &dyn Store, name: &SessionId) -> Outcome {
    holds(store, name, &[]).await?;
    let items = keys(store, name, Cursor(0)).await?;
    ensure!(items.is_empty(), "the inbox of {name}, which was removed, holds {items:?}");
    let listed = tried("listing", store.sessions(&Query::all()).await)?.sessions;
    ensure!(listed.iter().all(|info| info.session != *name), "{name}, removed, is listed");
    Ok(())
}

async fn is_unknown(store: &dyn Store, wanted: &SessionId, names: &[SessionId]) -> Outcome {
    match store.remove(names).await {
        Err(Error::Unknown { session }) if session == *wanted => Ok(()),
        other => Err(format!("removing {names:?}, {wanted} being unknown, gave {other:?}")),
    }
}

pub(super) async fn s8_6_what_was_removed_is_gone_and_the_rest_stays(store: &Subject) -> Outcome {
    let before = filled(&**store, "before").await?;
    let removed = filled(&**store, "removed").await?;
    let after = filled(&**store, "after").await?;
    remove(&**store, &[&removed]).await?;
    is_gone(&**store, &removed).await?;
    is_whole(&**store, &before).await?;
    is_whole(&**store, &after).await
}

pub(super) async fn s8_6_a_claimed_session_is_not_removed(store: &Subject) -> Outcome {
    let name = filled(&**store, "in use").await?;
    let first = claim(&**store, &name).await?;
    let removed = store.remove(std::slice::from_ref(&name)).await;
    held("removing a claimed session", &name, removed)?;
    is_whole(&**store, &name).await?;
    append(&*first, 3, &said_all(4..=4)).await?;
    drop(first);
    remove(&**store, &[&name]).await?;
    is_gone(&**store, &name).await
}

pub(super) async fn s8_6_an_unknown_session_is_an_error(store: &Subject) -> Outcome {
    let name = filled(&**store, "known").await?;
    let stranger = session("never seen");
    is_unknown(&**store, &stranger, std::slice::from_ref(&stranger)).await?;
    remove(&**store, &[&name]).await?;
    is_unknown(&**store, &name, std::slice::from_ref(&name)).await
}

pub(super) async fn s8_6_several_are_removed_or_none(store: &Subject) -> Outcome {
    let (one, two) = (filled(&**store, "one").await?, filled(&**store, "two").await?);
    let stranger = session("stranger");
    is_unknown(&**store, &stranger, &[one.clone(), stranger.clone(), two.clone()]).await?;
    let claimed = claim(&**store, &two).await?;
    let both = [one.clone(), two.clone()];
    held("removing two, one of them claimed,", &two, store.remove(&both).await)?;
    drop(claimed);
    is_whole(&**store, &one).await?;
    is_whole(&**store, &two).await?;
    remove(&**store, &[&one, &two, &one]).await?;
    is_gone(&**store, &one).await?;
    is_gone(&**store, &two).await
}

pub(super) async fn s8_6_an_inbox_alone_can_be_removed(store: &Subject) -> Outcome {
    let name = session("only posted to");
    post(&**store, &name, "key").await?;
    remove(&**store, &[&name]).await?;
    is_gone(&**store, &name).await?;
    is_unknown(&**store, &name, std::slice::from_ref(&name)).await
}

pub(super) async fn s8_6_a_removed_session_begins_anew(store: &Subject) -> Outcome {
    let name = filled(&**store, "again").await?;
    remove(&**store, &[&name]).await?;
    let again = filled(&**store, "again").await?;
    is_whole(&**store, &again).await?;
    let items = tried("reading the inbox", store.inbox(&name, Cursor(0)).await)?;
    let cursors: Vec<_> = items.iter().map(|posted| posted.cursor.0).collect();
    ensure!(cursors == [1], "the items of the new inbox are numbered {cursors:?}");
    Ok(())
}

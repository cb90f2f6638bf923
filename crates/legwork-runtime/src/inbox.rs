//! What others leave for a session, and how it is taken up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use legwork_core::event::{InboxTaken, RefusedItem};
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::journal::Journal;
use legwork_core::state::{Input, Refusal};
use legwork_core::{AgentState, Event, Seq, SessionId, entry};
use legwork_port::store::{self, Range};
use legwork_port::{Claim, Emitter, Origin, Store};

use crate::context::StepContext;
use crate::error::{Error, Halt};
use crate::kept::{Kept, NewItems};
use crate::masked::Masked;
use crate::observers::Observers;
use crate::services::Services;
use crate::writer::Writer;

/// Leaves an item in the inbox of a session, durably, whether or not it runs; the same key again
/// changes nothing.
///
/// # Errors
/// When the item is nested too deeply to be journaled, a message holds a tool call or a
/// result, or the store cannot be written.
pub async fn post(
    services: &Services,
    session: &SessionId,
    key: &str,
    item: &Item,
) -> Result<Cursor, Error> {
    if serde_json::to_vec(item).is_ok_and(|json| entry::is_too_deep(&json)) {
        return Err(Refusal::TooDeep.into());
    }
    item.check().map_err(Refusal::from)?;
    let masked = services.mask.masked(item);
    Ok(services.store.post(session, key, masked.as_ref().unwrap_or(item)).await?)
}

/// Leaves an item in the inbox under a key that no other item has.
///
/// # Errors
/// As [`post`].
pub async fn post_once(
    services: &Services,
    session: &SessionId,
    item: &Item,
) -> Result<Cursor, Error> {
    // Not from the source of ids: its names may repeat.
    post(services, session, &uuid::Uuid::now_v7().to_string(), item).await
}

/// Takes up what was left before a step begins. It is known whether there is anything if the
/// store looks when the step's inference is committed, as it did for the last one.
pub(crate) async fn take_before_step(
    cx: &StepContext,
    state: AgentState,
) -> Result<AgentState, Halt> {
    let looked = cx.store_looked.swap(false, Ordering::Relaxed);
    let known = cx.writer.kept.knows_items_for(&state);
    if looked && !known {
        return Ok(state);
    }
    let state = take_inbox(cx, state).await?;
    if known && cx.writer.kept.knows_items_for(&state) {
        // Else the step would begin again without an end.
        let reason = "an append was refused for new items in the inbox, and the inbox has none: \
                      the store must list what its appends are refused for";
        let error = store::Error::Failed { store: "session".to_owned(), reason: reason.to_owned() };
        return Err(Halt::new(state, error));
    }
    Ok(state)
}

/// Takes up what was left for a session that runs: each item moves the cursor, and what it
/// causes is the next entry.
pub(crate) async fn take_inbox(
    cx: &StepContext,
    mut state: AgentState,
) -> Result<AgentState, Halt> {
    let after = state.facts().inbox_cursor;
    let items = match cx.writer.store.inbox(state.session(), after).await {
        Ok(items) => items,
        Err(error) => return Err(Halt::new(state, error)),
    };
    for posted in items {
        let decided = match &posted.item {
            Item::MoveHead(_) => Err(Refusal::HeadInUse),
            _ => state.decide(Input::Take(posted.clone())),
        };
        state = record(state, posted, decided).0;
    }
    Ok(state)
}

/// Takes up what was left for a session that nobody runs, under its claim; tells which items
/// were refused.
///
/// # Errors
/// When the store cannot be read; nothing is written here.
pub(crate) async fn take_idle(
    store: &dyn Store,
    mut state: AgentState,
) -> Result<(AgentState, Vec<(Cursor, Refusal)>), store::Error> {
    let mut refused = Vec::new();
    for posted in store.inbox(state.session(), state.facts().inbox_cursor).await? {
        let cursor = posted.cursor;
        let (taken, refusal) = match posted.item {
            Item::MoveHead(to) => {
                // The path to an entry has none that is newer.
                let journal = store.read(state.session(), Range::up_to(to)).await?.journal;
                move_head(state, posted, to, &journal)
            }
            _ => {
                let decided = state.decide(Input::Take(posted.clone()));
                record(state, posted, decided)
            }
        };
        state = taken;
        refused.extend(refusal.map(|refusal| (cursor, refusal)));
    }
    Ok((state, refused))
}

/// Takes up what waits for a session that no process runs, until nothing waits, and gives the
/// claim back; tells which items were refused.
///
/// # Errors
/// When the store cannot be read or written.
pub async fn take_up_idle(
    services: &Services,
    claim: Box<dyn Claim>,
    state: AgentState,
) -> Result<(AgentState, Vec<(Cursor, Refusal)>), Error> {
    let mut state = state.at(services.clock.now()).masked_by(&services.mask);
    let store = Arc::clone(&services.store);
    let observers = Observers::new([Arc::clone(&services.observer)]);
    let observer = Masked::by(&services.mask, Arc::new(observers));
    let origin = Arc::new(Origin::root(state.session().clone()));
    let (claim, kept) = (Arc::new(claim), Kept::default());
    let writer = Writer { store, claim, events: Emitter::new(origin, observer), kept };
    let mut all = Vec::new();
    let taken = loop {
        let (taken, refused) = match take_idle(&*services.store, state).await {
            Ok(taken) => taken,
            Err(error) => break Err(error.into()),
        };
        all.extend(refused);
        if taken.uncommitted().is_empty() {
            break Ok(taken);
        }
        state = match writer.commit(&taken, NewItems::Wait).await {
            Ok(()) => taken.committed(),
            Err(error) => break Err(Halt::new(taken, error).into()),
        };
    };
    writer.release().await;
    taken.map(|taken| (taken, all))
}

/// Takes up what was posted to a session between the last look at its inbox and the release of its
/// claim: whoever posted it found the claim held, and waits for nothing else.
///
/// # Errors
/// When the store cannot be read or written.
pub async fn take_up_rest(services: &Services, mut state: AgentState) -> Result<AgentState, Error> {
    let session = state.session().clone();
    while !services.store.inbox(&session, state.facts().inbox_cursor).await?.is_empty() {
        let Some(claim) = claim(services, &session).await? else { break };
        state = match caught_up(services, &state).await {
            Ok(Some(state)) => take_up_idle(services, claim, state).await?.0,
            other => {
                services.release(claim, &session).await;
                other?;
                break;
            }
        };
    }
    Ok(state)
}

/// A state with what others appended to its journal since; none where a newer version did,
/// which takes up what waits when it runs the session next.
async fn caught_up(services: &Services, state: &AgentState) -> Result<Option<AgentState>, Error> {
    let session = state.session();
    let news = services.store.read(session, Range::after(state.version())).await?;
    if news.unreadable.is_some() {
        return Ok(None);
    }
    let news = news.journal;
    if news.entries().iter().any(|entry| matches!(entry.event, Event::HeadMoved(_))) {
        // Another path is folded from its start.
        let journal = readable(services, session).await?;
        return Ok(journal.map(|journal| journal.fold(session)));
    }
    Ok(Some(news.entries().iter().fold(state.clone(), |state, entry| state.apply(entry))))
}

/// The journal of a session that may be written; none where the one who held the claim left
/// nothing, or is of a newer version, which takes up what waits when it runs it next.
///
/// # Errors
/// When the store cannot be read.
pub async fn readable(services: &Services, session: &SessionId) -> Result<Option<Journal>, Error> {
    let loaded = services.store.read(session, Range::ALL).await?;
    let begun = loaded.journal.version() != Seq::ZERO;
    Ok((begun && loaded.unreadable.is_none()).then_some(loaded.journal))
}

/// The claim of a session, or none while it is held.
///
/// # Errors
/// When the store cannot be used.
pub async fn claim(
    services: &Services,
    session: &SessionId,
) -> Result<Option<Box<dyn Claim>>, Error> {
    match services.store.claim(session).await {
        Ok(claim) => Ok(Some(claim)),
        Err(error) if error.is_conflict() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Moves the head and folds the path to it, if no step is under way there.
fn move_head(
    state: AgentState,
    posted: Posted,
    to: Seq,
    journal: &Journal,
) -> (AgentState, Option<Refusal>) {
    let all = journal.entries().iter().chain(state.uncommitted().iter());
    let all = Journal::new(all.cloned().collect());
    let decided = state.decide(Input::Take(posted.clone()));
    let (moved, refusal) = record(state.clone(), posted.clone(), decided);
    if refusal.is_some() {
        return (moved, refusal);
    }
    let moved = moved.on_path(all.path(to));
    match moved.current_step() {
        None => (moved, None),
        Some(_) => record(state, posted, Err(Refusal::StepUnderWay)),
    }
}

/// Records what was decided about an item; one that is refused changes nothing but the cursor.
fn record(
    state: AgentState,
    posted: Posted,
    decided: Result<Vec<Event>, Refusal>,
) -> (AgentState, Option<Refusal>) {
    match decided {
        Ok(events) => (events.into_iter().fold(state, AgentState::with), None),
        Err(refusal) => {
            let Posted { cursor, key, item } = posted;
            let refused = Some(RefusedItem { item, reason: refusal.to_string() });
            let taken = Event::InboxTaken(InboxTaken { cursor, key, refused });
            (state.with(taken), Some(refusal))
        }
    }
}

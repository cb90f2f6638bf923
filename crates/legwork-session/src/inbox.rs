//! What others leave for a session, and how it is taken up where nothing runs it.

use std::sync::Arc;

use legwork_core::event::{InboxTaken, RefusedItem};
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::journal::Journal;
use legwork_core::state::{Input, Refusal};
use legwork_core::{AgentState, Event, Seq, SessionId, entry};
use legwork_port::store::{self, Range};
use legwork_port::{Claim, Origin, Store};

use crate::error::Error;
use crate::kept::{Kept, NewItems};
use crate::sessions::Sessions;
use crate::writer::Writer;

/// Leaves an item in the inbox of a session, durably, whether or not it runs; the same key again
/// changes nothing.
///
/// # Errors
/// When the item is nested too deeply to be journaled, a message holds a tool call or a
/// result, or the store cannot be written.
pub async fn post(
    sessions: &Sessions,
    session: &SessionId,
    key: &str,
    item: &Item,
) -> Result<Cursor, Error> {
    if serde_json::to_vec(item).is_ok_and(|json| entry::is_too_deep(&json)) {
        return Err(Refusal::TooDeep.into());
    }
    item.check().map_err(Refusal::from)?;
    let masked = sessions.mask.masked(item);
    Ok(sessions.store.post(session, key, masked.as_ref().unwrap_or(item)).await?)
}

/// Leaves an item in the inbox under a key that no other item has.
///
/// # Errors
/// As [`post`].
pub async fn post_once(
    sessions: &Sessions,
    session: &SessionId,
    item: &Item,
) -> Result<Cursor, Error> {
    // Not from the source of ids: its names may repeat.
    post(sessions, session, &uuid::Uuid::now_v7().to_string(), item).await
}

/// Takes up what was left for a session that nobody runs, under its claim; tells which items
/// were refused.
///
/// # Errors
/// When the store cannot be read; nothing is written here.
pub async fn take_idle(
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
    sessions: &Sessions,
    claim: Box<dyn Claim>,
    state: AgentState,
) -> Result<(AgentState, Vec<(Cursor, Refusal)>), Error> {
    let mut state = state.at(sessions.clock.now()).masked_by(&sessions.mask);
    let store = Arc::clone(&sessions.store);
    let origin = Arc::new(Origin::root(state.session().clone()));
    let events = sessions.events(origin, []);
    let (claim, kept) = (Arc::new(claim), Kept::default());
    let writer = Writer { store, claim, events, kept };
    let mut all = Vec::new();
    let taken = loop {
        let (taken, refused) = match take_idle(&*sessions.store, state).await {
            Ok(taken) => taken,
            Err(error) => break Err(error.into()),
        };
        all.extend(refused);
        if taken.uncommitted().is_empty() {
            break Ok(taken);
        }
        state = match writer.commit(&taken, None, NewItems::Wait).await {
            Ok(()) => taken.committed(),
            Err(error) => break Err(error.into()),
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
pub async fn take_up_rest(sessions: &Sessions, mut state: AgentState) -> Result<AgentState, Error> {
    let session = state.session().clone();
    while !sessions.store.inbox(&session, state.facts().inbox_cursor).await?.is_empty() {
        let Some(claim) = sessions.claim(&session).await? else { break };
        state = match caught_up(sessions, &state).await {
            Ok(Some(state)) => take_up_idle(sessions, claim, state).await?.0,
            other => {
                sessions.release(claim, &session).await;
                other?;
                break;
            }
        };
    }
    Ok(state)
}

/// A state with what others appended to its journal since; none where a newer version did,
/// which takes up what waits when it runs the session next.
async fn caught_up(sessions: &Sessions, state: &AgentState) -> Result<Option<AgentState>, Error> {
    let session = state.session();
    let news = sessions.store.read(session, Range::after(state.version())).await?;
    if news.unreadable.is_some() {
        return Ok(None);
    }
    let news = news.journal;
    if news.entries().iter().any(|entry| matches!(entry.event, Event::HeadMoved(_))) {
        // Another path is folded from its start.
        let journal = readable(sessions, session).await?;
        return Ok(journal.map(|journal| journal.fold(session)));
    }
    Ok(Some(news.entries().iter().fold(state.clone(), |state, entry| state.apply(entry))))
}

/// The journal of a session that may be written; none where the one who held the claim left
/// nothing, or is of a newer version, which takes up what waits when it runs it next.
///
/// # Errors
/// When the store cannot be read.
pub async fn readable(sessions: &Sessions, session: &SessionId) -> Result<Option<Journal>, Error> {
    let loaded = sessions.store.read(session, Range::ALL).await?;
    let begun = loaded.journal.version() != Seq::ZERO;
    Ok((begun && loaded.unreadable.is_none()).then_some(loaded.journal))
}

/// Takes up an item that moves the head.
fn move_head(
    state: AgentState,
    posted: Posted,
    to: Seq,
    journal: &Journal,
) -> (AgentState, Option<Refusal>) {
    let decided = state.decide(Input::Take(posted.clone()));
    match decided.and_then(|events| moved(&state, to, events, journal)) {
        Ok(moved) => (moved, None),
        Err(refusal) => record(state, posted, Err(refusal)),
    }
}

/// The state with the events of a move of its head, and the conversation on the path to an entry.
///
/// # Errors
/// If a step is under way there.
pub fn moved(
    state: &AgentState,
    to: Seq,
    events: Vec<Event>,
    journal: &Journal,
) -> Result<AgentState, Refusal> {
    let all = journal.entries().iter().chain(state.uncommitted().iter());
    let all = Journal::new(all.cloned().collect());
    let moved = events.into_iter().fold(state.clone(), AgentState::with).on_path(all.path(to));
    match moved.current_step() {
        Some(_) if !moved.may_be_left() => Err(Refusal::StepUnderWay),
        _ => Ok(moved),
    }
}

/// Records what was decided about an item; one that is refused changes nothing but the cursor.
pub fn record(
    state: AgentState,
    posted: Posted,
    decided: Result<Vec<Event>, Refusal>,
) -> (AgentState, Option<Refusal>) {
    match decided {
        Ok(events) => (events.into_iter().fold(state, AgentState::with), None),
        Err(refusal) => {
            let Posted { cursor, key, item } = posted;
            let refused = Some(RefusedItem { item, reason: refusal.to_string() });
            let taken = Event::InboxTaken(InboxTaken { cursor, key, refused }.into());
            (state.with(taken), Some(refusal))
        }
    }
}

//! Speaking to a session: at once where nobody runs it, else through its inbox.

use legwork_core::inbox::{Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::state::Refusal;
use legwork_core::{AgentState, Event, Seq, SessionId};
use legwork_port::Claim;
use legwork_port::store::{self, Range};
use legwork_runtime::inbox::{post_once, take_up_idle};
use legwork_runtime::{Error, Services};

/// What became of an item that was left for a session.
#[derive(Debug, Clone)]
pub enum Delivery {
    /// Nobody ran the session: the item was taken up. The state is the one since.
    TakenUp(Box<AgentState>),
    /// Somebody runs the session, or it has not begun: the item waits in its inbox under this
    /// number. Whoever runs it takes it up before the next step, whoever runs it next before
    /// all else.
    Waiting(Cursor),
}

impl Delivery {
    /// The state of the session since the item was taken up; none while it waits.
    pub fn into_state(self) -> Option<AgentState> {
        match self {
            Self::TakenUp(state) => Some(*state),
            Self::Waiting(_) => None,
        }
    }
}

/// Leaves an item for a session, durably, and takes it up if nobody runs the session.
///
/// # Errors
/// As [`post`](legwork_runtime::inbox::post), and when the session refuses the item, or there is no such session.
pub(super) async fn deliver(
    services: &Services,
    session: &SessionId,
    item: Item,
) -> Result<Delivery, Error> {
    if let Some(claim) = claim(services, session).await? {
        return deliver_under(services, claim, session, item).await;
    }
    let cursor = post_once(services, session, &item).await?;
    // The one who held the claim may have given it back without having seen the item.
    let Some(claim) = claim(services, session).await? else { return Ok(Delivery::Waiting(cursor)) };
    match readable(services, session).await {
        Ok(Some(journal)) => take_up(services, claim, &journal, session, cursor).await,
        other => {
            services.release(claim, session).await;
            other.map(|_| Delivery::Waiting(cursor))
        }
    }
}

/// Leaves an item for a session and takes it up, under its claim.
async fn deliver_under(
    services: &Services,
    claim: Box<dyn Claim>,
    session: &SessionId,
    item: Item,
) -> Result<Delivery, Error> {
    let posted = async {
        let journal = begun(services, session, &item).await?;
        Ok((journal, post_once(services, session, &item).await?))
    };
    match posted.await {
        Ok((Some(journal), cursor)) => take_up(services, claim, &journal, session, cursor).await,
        other => {
            services.release(claim, session).await;
            other.map(|(_, cursor)| Delivery::Waiting(cursor))
        }
    }
}

/// The journal of a session that may be written; none where the one who held the claim left
/// nothing, or is of a newer version, which takes up what waits when it runs it next.
async fn readable(services: &Services, session: &SessionId) -> Result<Option<Journal>, Error> {
    let loaded = services.store.read(session, Range::ALL).await?;
    let begun = loaded.journal.version() != Seq::ZERO;
    Ok((begun && loaded.unreadable.is_none()).then_some(loaded.journal))
}

/// The claim of a session, or none while somebody holds it.
async fn claim(services: &Services, session: &SessionId) -> Result<Option<Box<dyn Claim>>, Error> {
    match services.store.claim(session).await {
        Ok(claim) => Ok(Some(claim)),
        Err(store::Error::Held { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The journal of a session that began; none if it has not, and the item may wait for that.
async fn begun(
    services: &Services,
    session: &SessionId,
    item: &Item,
) -> Result<Option<Journal>, Error> {
    let journal = services.store.read(session, Range::ALL).await?.writable(session)?.journal;
    if journal.version() != Seq::ZERO {
        return Ok(Some(journal));
    }
    match item {
        Item::Steer(_) | Item::FollowUp(_) if services.keeps => Ok(None),
        _ => Err(services.no_session(session)),
    }
}

/// Takes up all that waits, and gives the claim back.
async fn take_up(
    services: &Services,
    claimed: Box<dyn Claim>,
    journal: &Journal,
    session: &SessionId,
    cursor: Cursor,
) -> Result<Delivery, Error> {
    let before = taken_before(journal, cursor);
    let (mut state, refused) = take_up_idle(services, claimed, journal.fold(session)).await?;
    let ours = refused.into_iter().find(|(refused, _)| *refused == cursor);
    // What was posted after the last look and before the claim was given back found it taken,
    // and waits for nothing else.
    while !services.store.inbox(session, state.facts().inbox_cursor).await?.is_empty() {
        let Some(claim) = claim(services, session).await? else { break };
        state = match caught_up(services, &state).await {
            Ok(Some(state)) => take_up_idle(services, claim, state).await?.0,
            other => {
                services.release(claim, session).await;
                other?;
                break;
            }
        };
    }
    match before.or(ours.map(|(_, refusal)| refusal)) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(Delivery::TakenUp(Box::new(state))),
    }
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

/// Why an item was refused that a run took up before.
fn taken_before(journal: &Journal, cursor: Cursor) -> Option<Refusal> {
    journal.entries().iter().rev().find_map(|entry| match &entry.event {
        Event::InboxTaken(taken) if taken.cursor == cursor => {
            let reason = taken.refused.as_ref()?.reason.clone();
            Some(Refusal::RefusedBefore { reason })
        }
        _ => None,
    })
}

//! Speaking to a session: at once where nobody runs it, else through its inbox.

use legwork_core::inbox::{Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::state::Refusal;
use legwork_core::{AgentState, Event, Seq, SessionId};
use legwork_port::Claim;
use legwork_port::store::Range;

use crate::error::Error;
use crate::inbox::{post_once, readable, take_up_idle, take_up_rest};
use crate::sessions::Sessions;

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

impl Sessions {
    /// Leaves an item for a session, durably, and takes it up if nothing runs the session.
    ///
    /// # Errors
    /// As [`post`](crate::inbox::post), and when the session refuses the item, or there is no such
    /// session.
    ///
    /// # Cancel safety
    /// Once the item is posted it stays: a dropped future may leave it in the inbox, and the next
    /// run takes it up.
    pub async fn deliver(&self, session: &SessionId, item: Item) -> Result<Delivery, Error> {
        deliver(self, session, item).await
    }
}

/// Leaves an item for a session and takes it up, if its claim is free.
async fn deliver(sessions: &Sessions, session: &SessionId, item: Item) -> Result<Delivery, Error> {
    let _under_way = sessions.deliveries.begin(session);
    if let Some(claim) = sessions.claim(session).await? {
        return deliver_under(sessions, claim, session, item).await;
    }
    let cursor = post_once(sessions, session, &item).await?;
    // The one who held the claim may have given it back without having seen the item.
    let Some(claim) = sessions.claim(session).await? else { return Ok(Delivery::Waiting(cursor)) };
    match readable(sessions, session).await {
        Ok(Some(journal)) => take_up(sessions, claim, &journal, session, cursor).await,
        other => {
            sessions.release(claim, session).await;
            other.map(|_| Delivery::Waiting(cursor))
        }
    }
}

/// Leaves an item for a session and takes it up, under its claim.
async fn deliver_under(
    sessions: &Sessions,
    claim: Box<dyn Claim>,
    session: &SessionId,
    item: Item,
) -> Result<Delivery, Error> {
    let posted = async {
        let journal = begun(sessions, session, &item).await?;
        Ok((journal, post_once(sessions, session, &item).await?))
    };
    match posted.await {
        Ok((Some(journal), cursor)) => take_up(sessions, claim, &journal, session, cursor).await,
        other => {
            sessions.release(claim, session).await;
            other.map(|(_, cursor)| Delivery::Waiting(cursor))
        }
    }
}

/// The journal of a session that began; none if it has not, and the item may wait for that.
async fn begun(
    sessions: &Sessions,
    session: &SessionId,
    item: &Item,
) -> Result<Option<Journal>, Error> {
    let journal = sessions.store.read(session, Range::ALL).await?.writable(session)?.journal;
    if journal.version() != Seq::ZERO {
        return Ok(Some(journal));
    }
    match item {
        Item::Steer(_) | Item::FollowUp(_) | Item::Task(_) if sessions.keeps => Ok(None),
        _ => Err(sessions.no_session(session)),
    }
}

/// Takes up all that waits, and gives the claim back.
async fn take_up(
    sessions: &Sessions,
    claimed: Box<dyn Claim>,
    journal: &Journal,
    session: &SessionId,
    cursor: Cursor,
) -> Result<Delivery, Error> {
    let before = taken_before(journal, cursor);
    let (state, refused) = take_up_idle(sessions, claimed, journal.fold(session)).await?;
    let ours = refused.into_iter().find(|(refused, _)| *refused == cursor);
    let state = take_up_rest(sessions, state).await?;
    match before.or(ours.map(|(_, refusal)| refusal)) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(Delivery::TakenUp(Box::new(state))),
    }
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

//! Writing journals that came from outside of a store.

use std::collections::BTreeMap;

use legwork_core::journal::Journal;
use legwork_core::state::Refusal;
use legwork_core::{Event, Seq, SessionId};
use legwork_port::store::{self, Batch, Range, check_id};
use legwork_port::{Claim, Store};

use crate::error::Error;

/// A journal, with the id of its session.
type Named = (SessionId, Journal);

/// Writes journals as sessions of a store, each under its id: all of them or none.
///
/// Each session is claimed meanwhile, and its journal is written at once. The caller has checked
/// that the journals are sound ([`legwork_core::journal::check`]). If a write fails, what was
/// written before is removed. If the process is killed, the sessions that it had written are
/// there, and the same import goes on with the others: a session is written after those that work
/// for it, and one that is there with the same journal is left as it is.
///
/// # Errors
/// When an id is invalid, all sessions are there already, one is there with another journal or is
/// in use, one is its own parent, or the store fails.
///
/// # Cancel safety
/// A dropped import may leave some of the sessions, as a killed one does.
pub async fn import(to: &dyn Store, journals: &[Named]) -> Result<(), Error> {
    let mut missing = Vec::new();
    for one in below_first(journals)? {
        check_id(&one.0)?;
        if !is_there(to, one).await? {
            missing.push(one);
        }
    }
    if let (Some((first, _)), true) = (journals.first(), missing.is_empty()) {
        return Err(store::Error::Exists { session: first.clone() }.into());
    }
    let (mut claims, mut begun) = (Vec::new(), Vec::new());
    let written = write_all(to, &missing, &mut claims, &mut begun).await;
    let mut released = Ok(());
    for claim in claims {
        released = released.and(claim.release().await);
    }
    if written.is_err() {
        for session in begun {
            // One of which nothing was written is unknown. The error that is returned says why
            // the store cannot be written.
            let _ = to.remove(&[session]).await;
        }
    }
    written.and(released.map_err(Error::from))
}

/// The journals, each behind those of the sessions that work for it.
fn below_first(journals: &[Named]) -> Result<Vec<&Named>, Error> {
    let parents: BTreeMap<_, _> =
        journals.iter().map(|(session, journal)| (session, parent(journal))).collect();
    let mut by_depth = Vec::new();
    for one in journals {
        let (mut depth, mut above) = (0, parent(&one.1));
        while let Some(parent) = above {
            depth += 1;
            if depth > journals.len() {
                return Err(Refusal::ParentOfItself { session: one.0.clone() }.into());
            }
            above = parents.get(parent).copied().flatten();
        }
        by_depth.push((depth, one));
    }
    by_depth.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
    Ok(by_depth.into_iter().map(|(_, one)| one).collect())
}

/// The session that a session works for.
fn parent(journal: &Journal) -> Option<&SessionId> {
    match &journal.entries().first()?.event {
        Event::SessionStarted(started) => started.parent.as_ref().map(|link| &link.session),
        _ => None,
    }
}

/// Whether a session is there with this journal.
async fn is_there(to: &dyn Store, (session, journal): &Named) -> Result<bool, Error> {
    let there = to.read(session, Range::ALL).await?;
    let is_whole = there.damage.is_none() && there.unreadable.is_none();
    match there.journal.version() {
        Seq::ZERO if is_whole => Ok(false),
        _ if is_whole && there.journal == *journal => Ok(true),
        _ => Err(store::Error::Exists { session: session.clone() }.into()),
    }
}

/// Claims all sessions before it writes the first; `begun` are those that it began to write.
async fn write_all(
    to: &dyn Store,
    journals: &[&Named],
    claims: &mut Vec<Box<dyn Claim>>,
    begun: &mut Vec<SessionId>,
) -> Result<(), Error> {
    for one in journals {
        claims.push(to.claim(&one.0).await?);
        if is_there(to, one).await? {
            return Err(store::Error::Exists { session: one.0.clone() }.into());
        }
    }
    for (claim, (session, journal)) in claims.iter().zip(journals) {
        begun.push(session.clone());
        // At once, so that no process works in a part of it.
        let state = journal.fold(session);
        let batch = Batch::of(journal.entries()).with_summary(state.summary());
        claim.append(Seq::ZERO, batch).await?;
        for claim in claims.iter().filter(|claim| claim.renew_every().is_some()) {
            claim.renew().await?;
        }
    }
    Ok(())
}

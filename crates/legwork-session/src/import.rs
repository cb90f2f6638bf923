//! Writing journals that came from outside of a store.

use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{self, Batch, Range, check_id};
use legwork_port::{Claim, Store};

use crate::error::Error;

/// Entries that are written at once.
const AT_ONCE: usize = 500;

/// Writes journals as sessions of a store, each under its id: all of them or none.
///
/// Each session is claimed meanwhile. The caller has checked that the journals are sound
/// ([`legwork_core::journal::check`]). If a write fails, what was written before is removed; a
/// process that is killed meanwhile leaves the sessions that it had written.
///
/// # Errors
/// When an id is invalid, there is a session of one already or it is in use, or the store fails.
///
/// # Cancel safety
/// A dropped import may leave some of the sessions; removing them makes their ids free.
pub async fn import(to: &dyn Store, journals: &[(SessionId, Journal)]) -> Result<(), Error> {
    for (session, _) in journals {
        check_id(session)?;
        check_free(to, session).await?;
    }
    let (mut claims, mut begun) = (Vec::new(), Vec::new());
    let written = write_all(to, journals, &mut claims, &mut begun).await;
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

async fn check_free(to: &dyn Store, session: &SessionId) -> Result<(), Error> {
    let there = to.read(session, Range::up_to(Seq(1))).await?;
    let is_free = there.journal.version() == Seq::ZERO && there.damage.is_none();
    match is_free && there.unreadable.is_none() {
        true => Ok(()),
        false => Err(store::Error::Exists { session: session.clone() }.into()),
    }
}

/// Claims all sessions before it writes the first; `begun` are those that it began to write.
async fn write_all(
    to: &dyn Store,
    journals: &[(SessionId, Journal)],
    claims: &mut Vec<Box<dyn Claim>>,
    begun: &mut Vec<SessionId>,
) -> Result<(), Error> {
    for (session, _) in journals {
        claims.push(to.claim(session).await?);
        check_free(to, session).await?;
    }
    for (claim, (session, journal)) in claims.iter().zip(journals) {
        begun.push(session.clone());
        write(&**claim, session, journal).await?;
        for claim in claims.iter().filter(|claim| claim.renew_every().is_some()) {
            claim.renew().await?;
        }
    }
    Ok(())
}

async fn write(claim: &dyn Claim, session: &SessionId, journal: &Journal) -> Result<(), Error> {
    let mut expected = Seq::ZERO;
    for part in journal.entries().chunks(AT_ONCE) {
        claim.append(expected, Batch::of(part)).await?;
        expected = part.last().map_or(expected, |last| last.seq);
    }
    // Last, so that a list shows it once it is whole.
    let state = journal.fold(session);
    claim.append(expected, Batch::of(&[]).with_summary(state.summary())).await?;
    Ok(())
}

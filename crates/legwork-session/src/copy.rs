//! Copying a session from one store to another.

use legwork_core::{Seq, SessionId};
use legwork_port::store::{self, Batch, Range};
use legwork_port::{Claim, Store};

use crate::error::Error;

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The entries of its journal.
    pub entries: usize,
    /// The items of its inbox that were not taken up.
    pub items: usize,
}

/// Copies a session to another store, under its id: its journal, entry by entry, and what waits in
/// its inbox.
///
/// The session is claimed in both stores meanwhile. Its entries are written at once, so that no
/// process works in a part of them. Entries that are there already, from an earlier copy, are not
/// written again.
///
/// # Errors
/// When there is no such session, it is in use, this version cannot read it, another session of
/// its id is in the other store, or a store fails.
///
/// # Cancel safety
/// A dropped copy may be called again.
pub async fn copy(from: &dyn Store, to: &dyn Store, session: &SessionId) -> Result<Copied, Error> {
    let claims = (from.claim(session).await?, to.claim(session).await?);
    let copied = copy_under(from, to, session, (&*claims.0, &*claims.1)).await;
    // What was copied stands whatever comes of that.
    let released = (claims.0.release().await, claims.1.release().await);
    let copied = copied?;
    released.0.and(released.1)?;
    Ok(copied)
}

async fn copy_under(
    from: &dyn Store,
    to: &dyn Store,
    session: &SessionId,
    claims: (&dyn Claim, &dyn Claim),
) -> Result<Copied, Error> {
    let journal = from.read(session, Range::ALL).await?.writable(session)?.journal;
    if journal.version() == Seq::ZERO {
        return Err(Error::Unknown(session.clone()));
    }
    let entries = journal.entries();
    let there = to.read(session, Range::ALL).await?.writable(session)?.journal;
    let there = there.entries();
    if there.iter().ne(entries.iter().take(there.len())) {
        return Err(store::Error::Exists { session: session.clone() }.into());
    }
    let state = journal.fold(session);
    for claim in [claims.0, claims.1].iter().filter(|claim| claim.renew_every().is_some()) {
        // Nothing is appended to a session that another process took over while it was read.
        claim.renew().await?;
    }
    let rest = entries.get(there.len()..).unwrap_or_default();
    let batch = Batch::of(rest).with_summary(state.summary());
    claims.1.append(Seq(there.len() as u64), batch).await?;
    let items = from.inbox(session, state.facts().inbox_cursor).await?;
    for posted in &items {
        to.post(session, &posted.key, &posted.item).await?;
    }
    Ok(Copied { entries: entries.len(), items: items.len() })
}

//! Which session is a subagent's of which: recorded at both ends, and true only where they agree.

use legwork_core::SessionId;
use legwork_core::event::{Event, ParentLink};
use legwork_core::journal::Journal;
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, store};

/// A session and all sessions of the subagents below it, itself first.
///
/// A session is below another where the intent of a call names it, and it names that session
/// as its parent. One that has the id of a subagent and is none is left out. Removing a
/// session means removing all of these at once.
///
/// # Errors
/// When one of them cannot be read.
pub fn with_subagents<'a>(
    store: &'a dyn Store,
    session: &'a SessionId,
) -> BoxFuture<'a, Result<Vec<SessionId>, store::Error>> {
    Box::pin(async move {
        let mut all = vec![session.clone()];
        let mut next = 0;
        while let Some(parent) = all.get(next).cloned() {
            let journal = store.read(&parent, Range::ALL).await?.journal;
            for child in named(&journal) {
                if !all.contains(child) && names(store, child, &parent, &journal).await? {
                    all.push(child.clone());
                }
            }
            next += 1;
        }
        Ok(all)
    })
}

/// The session that a subagent's session belongs to, as both of them say: none for one that
/// is no subagent's, or whose parent is not there any more.
///
/// # Errors
/// When one of them cannot be read.
pub async fn parent_of(
    store: &dyn Store,
    session: &SessionId,
) -> Result<Option<SessionId>, store::Error> {
    let state = store.read(session, Range::ALL).await?.journal.fold(session);
    let Some(link) = state.facts().parent.clone() else { return Ok(None) };
    let journal = store.read(&link.session, Range::ALL).await?.journal;
    let agree = begun_at(&journal, &link) && named(&journal).any(|child| child == session);
    Ok(agree.then(|| link.session.clone()))
}

/// The sessions that intents of a journal name.
fn named(journal: &Journal) -> impl Iterator<Item = &SessionId> {
    journal.entries().iter().filter_map(|entry| match &entry.event {
        Event::ToolStarted(started) => started.child.as_ref(),
        _ => None,
    })
}

/// Whether a session names another one, of this journal, as its parent.
async fn names(
    store: &dyn Store,
    child: &SessionId,
    parent: &SessionId,
    journal: &Journal,
) -> Result<bool, store::Error> {
    let below = store.read(child, Range::ALL).await?.journal;
    Ok(is_below(child, &below, parent, journal))
}

/// Whether a session with a journal names another one with its journal as its parent.
pub(crate) fn is_below(
    child: &SessionId,
    below: &Journal,
    parent: &SessionId,
    journal: &Journal,
) -> bool {
    let state = below.fold(child);
    let link = state.facts().parent.as_deref();
    link.is_some_and(|link| link.session == *parent && begun_at(journal, link))
}

/// Whether the session of a journal is the very one that a link leads to.
fn begun_at(journal: &Journal, link: &ParentLink) -> bool {
    journal
        .entries()
        .iter()
        .any(|entry| matches!(entry.event, Event::SessionStarted(_)) && entry.at == link.began)
}

//! Calls that wait for an answer, in a session and in those of its subagents.

use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::{AgentState, SessionId};
use legwork_port::Store;
use legwork_port::store::{Error, Range};

/// A call that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Waiting {
    /// The session whose call it is: the one that was asked, or that of a subagent below it.
    pub session: SessionId,
    /// The call.
    pub pending: Pending,
}

/// The calls that wait in a session, in call order; in the place of one that waits for its
/// subagent, those that wait in the subagent's session.
///
/// # Errors
/// When a session cannot be read.
pub(super) async fn below(store: &dyn Store, state: AgentState) -> Result<Vec<Waiting>, Error> {
    let mut waiting = Vec::new();
    // Those that are looked at next are last.
    let mut states = vec![state];
    while let Some(state) = states.pop() {
        let mut children = Vec::new();
        for pending in state.pending() {
            let slot = state.call(pending.index);
            match slot.and_then(|slot| slot.child.as_ref()) {
                Some(child) if pending.reason == PendingReason::Subagent => {
                    let loaded = store.read(child, Range::ALL).await?;
                    children.push(loaded.journal.fold(child));
                }
                _ => {
                    let session = state.session().clone();
                    waiting.push(Waiting { session, pending: pending.clone() });
                }
            }
        }
        states.extend(children.into_iter().rev());
    }
    Ok(waiting)
}

/// The session whose call an answer is for: one below the session that was asked, if the id of
/// the call says so, or else that session.
pub(super) fn addressee<'a>(asked: &'a SessionId, answer: &'a Answer) -> SessionId {
    let mut parts = answer.id.rsplitn(3, '/');
    let session = parts.nth(2).unwrap_or_default();
    let is_below = session.strip_prefix(asked.as_str()).is_some_and(|rest| rest.starts_with('.'));
    if is_below { SessionId::new(session) } else { asked.clone() }
}

//! Taking up what others left for the session that runs.

use std::sync::atomic::Ordering;

use legwork_core::AgentState;
use legwork_core::inbox::Item;
use legwork_core::state::{Input, Refusal};
use legwork_port::store;
use legwork_session::inbox::record;

use crate::context::StepContext;
use crate::error::Halt;

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
        let waits = match &posted.item {
            Item::Answer(answer) => state.pending().iter().find(|pending| pending.id == answer.id),
            _ => None,
        };
        let index = waits.map(|pending| pending.index);
        state = record(state, posted, decided).0;
        index.into_iter().for_each(|index| cx.emit_ended(&state, index));
    }
    Ok(state)
}

//! Taking up what others left for the session.

use legwork_core::event::InboxTaken;
use legwork_core::inbox::{Item, Posted};
use legwork_core::state::Input;
use legwork_core::{AgentState, Event};

use crate::context::StepContext;
use crate::error::Halt;

/// Copies inbox items into the journal; each is consumed by the entry that copies it.
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
        state = take(state, posted);
    }
    Ok(state)
}

/// Takes one item up; one that is refused is consumed with the reason and changes nothing.
pub(crate) fn take(state: AgentState, posted: Posted) -> AgentState {
    let decided = match &posted.item {
        Item::MoveHead(_) => Err("the head moves only while no execution is under way".to_owned()),
        _ => state.decide(Input::Take(posted.clone())).map_err(|refusal| refusal.to_string()),
    };
    match decided {
        Ok(events) => events.into_iter().fold(state, AgentState::with),
        Err(reason) => {
            let Posted { cursor, key, item } = posted;
            state.with(Event::InboxTaken(InboxTaken { cursor, key, item, refused: Some(reason) }))
        }
    }
}

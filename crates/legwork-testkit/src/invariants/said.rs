//! A conversation holds all messages of its journal, and no others.

use std::sync::Arc;

use legwork_core::event::Event;
use legwork_core::journal::Journal;
use legwork_core::{AgentState, Message, Role};

use super::{Checked, hold};

const SAID: &str =
    "a conversation holds each message of its journal once, and no other (S7.6, S11.1)";

/// Holds the messages of a journal against the transcript that it folds to; one whose head
/// was moved has several conversations, of which this is one.
pub(super) fn of_journal(journal: &Journal, state: &AgentState) -> Checked {
    let Some(said) = said(journal) else { return Ok(()) };
    let transcript = &state.context().transcript;
    if transcript.open_calls() > 0 {
        return Ok(());
    }
    let mut there: Vec<_> = transcript.messages().iter().collect();
    for message in said {
        let place = there.iter().position(|other| *other == message);
        let text = message.text();
        hold!(SAID, place.is_some(), "the {} message {text:?} is not there", message.role);
        if let Some(place) = place {
            there.remove(place);
        }
    }
    let foreign = there.iter().find(|message| message.role != Role::Tool);
    hold!(SAID, foreign.is_none(), "no entry has {foreign:?}");
    Ok(())
}

/// All messages that entries say, results of tools apart; none if the head was moved.
fn said(journal: &Journal) -> Option<Vec<&Arc<Message>>> {
    let (mut said, mut response) = (Vec::new(), None);
    for entry in journal.entries() {
        match &entry.event {
            Event::HeadMoved(_) => return None,
            Event::ExecutionStarted(started) => said.extend(&started.input),
            Event::Steered(message) | Event::FollowedUp(message) | Event::MessageAdded(message) => {
                said.push(message);
            }
            Event::Responded(responded) => {
                let whole = responded.response.incomplete.is_none();
                response = whole.then_some(said.len());
                said.extend(whole.then_some(&responded.response.message));
            }
            Event::ResponseChanged(changed) => {
                let place = response.and_then(|at: usize| said.get_mut(at));
                if let Some(place) = place {
                    *place = &changed.response.message;
                }
            }
            _ => {}
        }
    }
    Some(said)
}

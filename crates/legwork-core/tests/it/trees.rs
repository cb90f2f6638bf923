//! S1.3, S1.5: sessions whose head moves about, as trees of any shape.

use std::sync::Arc;

use legwork_core::event::HeadMoved;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::state::{PendingReason, SessionFacts};
use legwork_core::{AgentState, Entry, Event, ModelRequest, Owed, Part, Seq};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::arbitrary;
use crate::story::{blank, stamp, start, taken, tell};

/// A part of a session: some events, then a move of the head to an existing entry.
type Piece = (Vec<Event>, Index);

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let event = arbitrary::event()
        .prop_filter("moves are made apart", |event| !matches!(event, Event::HeadMoved(_)));
    let piece = (prop::collection::vec(event, 0..12), any::<Index>());
    prop::collection::vec(piece, 1..6)
}

fn journal(state: &AgentState) -> Journal {
    Journal::new(state.uncommitted().to_vec())
}

fn happen(state: AgentState, events: Vec<Event>) -> AgentState {
    let time = state.now().wall.0;
    let timed = (time + 1..).zip(events);
    timed.fold(state, |state, (time, event)| state.at(stamp(time)).with(event))
}

fn moved(state: AgentState, to: Seq) -> AgentState {
    let state = state.with(Event::HeadMoved(HeadMoved { to }));
    let path = journal(&state).path(to);
    state.on_path(path)
}

/// An entry of the session, or the place before all.
fn pick(state: &AgentState, index: &Index) -> Seq {
    Seq(index.index(state.uncommitted().len() + 1) as u64)
}

/// The facts of the session, without the head.
fn lasting(state: &AgentState) -> SessionFacts {
    SessionFacts { head: Seq::ZERO, version: Seq::ZERO, moved: false, ..state.facts().clone() }
}

/// What a model would be asked has each call's one result, right behind it.
fn is_settled(state: &AgentState) -> Result<(), TestCaseError> {
    let Some(settled) = state.context().transcript.settled() else {
        prop_assert!(state.context().transcript.open_calls() > 0);
        return Ok(());
    };
    let request = ModelRequest::new(settled, Arc::default());
    let mut open = Vec::new();
    for part in request.messages().iter().flat_map(|message| &message.parts) {
        match part {
            Part::ToolCall(call) => open.push(call.id.clone()),
            Part::ToolResult(result) => {
                prop_assert!(!open.is_empty(), "a result answers no call");
                prop_assert_eq!(&open.remove(0), &result.call);
            }
            _ => {}
        }
    }
    prop_assert!(open.is_empty(), "{open:?} have no result");
    Ok(())
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s1_3_s1_5_a_head_that_moves_about_changes_the_conversation_and_no_fact(pieces in pieces()) {
        let mut state = start(blank(), "hi");
        for (events, to) in pieces {
            state = happen(state, events);
            let (before, to) = (state.clone(), pick(&state, &to));
            state = moved(state, to);
            // Ledger, counts, cursor, labels, answers, definition and all that is to come.
            prop_assert_eq!(lasting(&state), lasting(&before));
            prop_assert_eq!(state.ledger(), before.ledger());
            prop_assert_eq!((state.head(), state.version()), (to, before.version().next()));
            // The conversation is what the path alone amounts to.
            let path = journal(&state).path(to);
            let alone = AgentState::fold(SessionFacts::new("s".into()), path);
            prop_assert_eq!(state.context(), alone.context());
            prop_assert_eq!(state.execution(), alone.execution());
            prop_assert_eq!(&journal(&state).fold(state.session()), &state);
            is_settled(&state)?;
        }
    }

    #[test]
    fn s1_3_there_and_back_is_the_conversation_as_it_was(pieces in pieces()) {
        let mut state = start(blank(), "hi");
        for (events, to) in pieces {
            state = happen(state, events);
            let (before, to) = (state.clone(), pick(&state, &to));
            state = moved(moved(state, to), before.head());
            prop_assert_eq!(state.context(), before.context());
            prop_assert_eq!(state.execution(), before.execution());
            prop_assert_eq!(lasting(&state), lasting(&before));
            prop_assert_eq!(state.owed(), before.owed());
        }
    }

    #[test]
    fn s1_3_what_was_taken_up_on_one_path_is_not_taken_up_on_another(
        pieces in pieces(),
        texts in prop::collection::vec("[a-z]{1,4}", 6),
    ) {
        let mut state = start(blank(), "hi");
        for ((events, to), text) in pieces.into_iter().zip(texts) {
            state = happen(state, events);
            // A cursor at its end takes nothing up any more.
            if state.facts().inbox_cursor == Cursor(u64::MAX) {
                return Ok(());
            }
            let cursor = state.facts().inbox_cursor;
            state = taken(state, Item::Stop(text));
            let to = pick(&state, &to);
            state = moved(state, to);
            prop_assert!(state.facts().inbox_cursor > cursor);
        }
    }

    #[test]
    fn s1_3_a_folded_prefix_goes_on_as_the_live_session_did(
        pieces in pieces(),
        cut in any::<Index>(),
    ) {
        let mut state = start(blank(), "hi");
        for (events, to) in pieces {
            state = happen(state, events);
            let to = pick(&state, &to);
            state = moved(state, to);
        }
        let entries: Vec<Arc<Entry>> = state.uncommitted().to_vec();
        let (before, after) = entries.split_at(cut.index(entries.len() + 1));
        let mut other = Journal::new(before.to_vec()).fold(state.session());
        let mut seen = before.to_vec();
        for entry in after {
            other = other.apply(entry);
            seen.push(Arc::clone(entry));
            if let Event::HeadMoved(moved) = &entry.event {
                other = other.on_path(Journal::new(seen.clone()).path(moved.to));
            }
            is_settled(&other)?;
        }
        prop_assert_eq!(&other, &state);
        prop_assert_eq!(other.owed(), state.owed());
        prop_assert_eq!(other.owed(), other.owed());
        // The order that a store gives entries in does not matter.
        let backwards = entries.iter().rev().cloned().collect();
        prop_assert_eq!(&Journal::new(backwards).fold(state.session()), &state);
    }
}

/// Where the head moves back to a turn that waits and has passed, it is as passed as it was.
#[test]
fn s1_3_a_head_that_moves_back_to_a_pause_owes_what_it_owed() {
    let state = tell("user: hi; inference; calls: look, look");
    let waits = state.as_pending(0, PendingReason::Approval).unwrap();
    let paused = state.with_turn_passed([waits]);
    assert_eq!(paused.owed(), Owed::Pause, "the other call has run, as far as it may");
    let there = paused.facts().head;
    let elsewhere = start(paused, "another task");
    let back = moved(elsewhere, there);
    assert_eq!(back.owed(), journal(&back).fold(back.session()).owed());
    assert_eq!(back.owed(), Owed::Pause);
}

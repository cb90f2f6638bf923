//! What holds of every journal, and so of every prefix of one.

use legwork_core::event::Event;
use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{AgentState, Entry, Micros, Seq, SessionId};

use super::calls::Calls;
use super::{Checked, hold, limits, of_state, own_entries, said};

const NUMBERS: &str = "entries are numbered without a gap, each on the head (S1.3)";
const BEGIN: &str = "a journal begins with its session, once (S8.2)";
const INBOX: &str = "inbox items are taken up once and in order (S7.6, S8.2)";
const TIME: &str = "time at work adds up (S1.8)";
const LINE: &str = "an entry reads back as it was written (S1.7)";
const FOLD: &str = "folding a journal is applying its entries (S10.1)";
const MOVE: &str = "the head moves between steps only (S8.1)";

/// Whether a journal is one that a run can write: entries numbered on the head, each
/// readable again, calls answered once, no response asked for twice, inbox items taken up
/// once, no limit passed when something was begun, every message said in the conversation,
/// and a fold that is a state.
///
/// # Errors
/// The first thing that does not hold, with its entry.
pub fn of_journal(session: &SessionId, journal: &Journal) -> Checked {
    let mut state = AgentState::new(session.clone());
    let (mut calls, mut taken) = (Calls::default(), Cursor::default());
    for (number, entry) in (1..).zip(journal.entries()) {
        hold!(NUMBERS, entry.seq == Seq(number), "entry {number} has the number {}", entry.seq);
        let (head, parent) = (state.head(), entry.parent);
        hold!(
            NUMBERS,
            parent == head,
            "the parent of entry {number} is {parent}, the head is {head}"
        );
        line(entry)?;
        begin(session, entry)?;
        inbox(entry, &mut taken)?;
        calls.step(&state, entry)?;
        state = apply(state, journal, entry)?;
        limits::of_entry(&state, entry)?;
    }
    time(journal, &state)?;
    hold!(FOLD, journal.fold(session) == state, "the fold of {session} is another state");
    said::of_journal(journal, &state)?;
    of_state(&state)
}

fn apply(
    state: AgentState,
    journal: &Journal,
    entry: &Entry,
) -> Result<AgentState, crate::conformance::Violation> {
    let Event::HeadMoved(moved) = &entry.event else { return Ok(state.apply(entry)) };
    let (at, to) = (entry.seq, moved.to);
    hold!(MOVE, state.current_step().is_none(), "entry {at} moves it in the middle of a step");
    let moved = state.apply(entry).on_path(journal.path(to));
    hold!(MOVE, moved.current_step().is_none(), "entry {at} moves it into the middle of a step");
    Ok(moved)
}

/// The ledger has the time at work that entries charge, and the steps on the path no more.
///
/// Entries that a fork copied charge nothing in it; their steps are on its path.
fn time(journal: &Journal, state: &AgentState) -> Checked {
    let took = |entry: &Entry| match &entry.event {
        Event::Worked(worked) => worked.took,
        Event::StepFinished(finished) => finished.took,
        Event::ToolFinished(finished) => finished.used.active_time,
        Event::AuxiliaryFinished(finished) => finished.charged.active_time,
        _ => Micros::ZERO,
    };
    let charged = own_entries(journal).fold(Micros::ZERO, |sum, entry| sum.plus(took(entry)));
    let counted = state.ledger().lifetime.active_time;
    hold!(TIME, counted == charged, "entries charge {charged}, and the ledger has {counted}");
    let steps = state.step_results().map(|result| result.took);
    let current = state.current_step().map(|step| step.worked);
    let steps = steps.chain(current).fold(Micros::ZERO, Micros::plus);
    let all = journal.entries().iter().fold(Micros::ZERO, |sum, entry| sum.plus(took(entry)));
    hold!(TIME, steps <= all, "its steps took {steps}, and its entries {all}");
    Ok(())
}

fn line(entry: &Entry) -> Checked {
    let number = entry.seq;
    match entry.encode().map(|line| Entry::decode(&line)) {
        Ok(Ok(read)) => hold!(LINE, read == *entry, "entry {number} reads back as another"),
        Ok(Err(error)) => hold!(LINE, false, "entry {number}: {error}"),
        Err(error) => hold!(LINE, false, "entry {number}: {error}"),
    }
    Ok(())
}

fn begin(session: &SessionId, entry: &Entry) -> Checked {
    match &entry.event {
        Event::SessionStarted(started) => {
            hold!(BEGIN, entry.seq == Seq(1), "entry {} begins it again", entry.seq);
            hold!(BEGIN, started.session == *session, "it begins {}", started.session);
        }
        event => hold!(BEGIN, entry.seq != Seq(1), "it begins with {}", event.kind()),
    }
    Ok(())
}

fn inbox(entry: &Entry, taken: &mut Cursor) -> Checked {
    let Event::InboxTaken(item) = &entry.event else { return Ok(()) };
    let (number, next) = (item.cursor.0, taken.0 + 1);
    hold!(INBOX, number == next, "entry {} takes item {number}, the next is {next}", entry.seq);
    *taken = item.cursor;
    Ok(())
}

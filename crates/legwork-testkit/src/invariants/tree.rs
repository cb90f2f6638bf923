//! What holds of the journals of a whole tree of agents.

use std::collections::BTreeMap;

use legwork_core::budget::Amounts;
use legwork_core::event::{Event, ParentLink};
use legwork_core::journal::Journal;
use legwork_core::{AgentState, ExecutionStatus, SessionId};

use super::money::{beyond_reserve, named, own, spawned, sum, sums};
use super::{Checked, Journals, hold, of_journal, own_entries};
use crate::conformance::Violation;

const BALANCE: &str = "what a session used is its own use and that of its subagents (S5.3, S5.4)";
const WITHIN: &str = "no session uses more than its limits and the error of its estimates (S5.4)";
const LINK: &str = "a subagent is linked both ways (S10.5)";
const ORPHAN: &str = "no subagent outlives the call that it works for (S7.7)";

/// Whether all journals of a store hold ([`of_journal`]) and fit together: a subagent's
/// session is named by the intent of the call that spawned it, none works on for a call
/// that was answered, and where nothing is under way the ledgers add up and keep their
/// limits.
///
/// # Errors
/// The first thing that does not hold, with its session.
pub fn of_tree(journals: &Journals) -> Checked {
    for (session, journal) in journals {
        let named = |v: Violation| Violation { found: format!("{session}: {}", v.found), ..v };
        of_journal(session, journal).map_err(named)?;
    }
    let states = journals.iter().map(|(session, journal)| (session, journal.fold(session)));
    let states: BTreeMap<_, _> = states.collect();
    for (session, state) in &states {
        if let Some(link) = &state.facts().parent {
            linked(journals, session, state, link)?;
        }
    }
    for (session, journal) in journals {
        foreign(journals, session, journal)?;
    }
    for (session, state) in states {
        if state.status().is_some_and(ExecutionStatus::is_terminal) {
            balanced(journals, session, &state)?;
        }
    }
    Ok(())
}

/// The intent of the parent's call names the session, and the call is open while it works.
fn linked(
    journals: &Journals,
    session: &SessionId,
    state: &AgentState,
    link: &ParentLink,
) -> Checked {
    let parent = &link.session;
    let Some(above) = journals.get(parent) else {
        hold!(LINK, false, "{session} was spawned by {parent}, which is not there");
        return Ok(());
    };
    let named = named(above).any(|child| child == session);
    hold!(LINK, named, "{session} was spawned by {parent}, whose journal does not know it");
    let works = state.status().is_some_and(|status| !status.is_terminal());
    let at = above.fold(parent);
    let mut slots = at.current_step().into_iter().flat_map(|step| step.calls.iter());
    let slot = slots.find(|slot| slot.child.as_ref() == Some(session));
    let open = slot.is_some_and(|slot| slot.execution().is_none());
    let status = state.status();
    hold!(ORPHAN, open || !works, "{session} is {status:?}, and its call is answered");
    Ok(())
}

/// A session that was begun otherwise under the name of a subagent answers no call.
fn foreign(journals: &Journals, session: &SessionId, journal: &Journal) -> Checked {
    let ours = spawned(journals, session);
    let mut children = BTreeMap::new();
    for entry in own_entries(journal) {
        match &entry.event {
            Event::ToolStarted(started) => {
                children.insert(started.index, started.child.as_ref());
            }
            Event::ToolFinished(finished) => {
                let child = children.remove(&finished.index).flatten();
                let foreign = child.filter(|child| !ours.contains_key(child));
                let at = entry.seq;
                let taken = foreign.filter(|_| finished.outcome.is_ok());
                hold!(LINK, taken.is_none(), "{session} {at} takes the answer of {taken:?}");
            }
            _ => {}
        }
    }
    Ok(())
}

/// A session that rests used what it was charged itself and what its subagents used, each
/// once, and no more than it may.
fn balanced(journals: &Journals, session: &SessionId, state: &AgentState) -> Checked {
    let Some(journal) = journals.get(session) else { return Ok(()) };
    let below = spawned(journals, session);
    let below = below.values().map(|state| sums(&state.ledger().lifetime));
    let used = sum([sums(&own(journal))].into_iter().chain(below));
    let counted = sums(&state.ledger().lifetime);
    hold!(
        BALANCE,
        counted == used,
        "{session} says {counted:?} (calls, in, out, cost), used {used:?}"
    );
    within(journals, session, state)
}

fn within(journals: &Journals, session: &SessionId, state: &AgentState) -> Checked {
    let (budget, used) = (&state.ledger().budget, &state.ledger().spent);
    let error = errors(journals, session);
    let checks = [
        (budget.tool_calls, used.tool_calls, 0, "calls"),
        (budget.input_tokens, used.input, error.input, "input tokens"),
        (budget.output_tokens, used.output, error.output, "output tokens"),
        (budget.total_tokens, used.total_tokens(), error.total_tokens(), "tokens"),
        (budget.cost.map(|cost| cost.0), used.cost.0, error.cost.0, "micro-dollars"),
    ];
    for (limit, used, error, what) in checks {
        let within = limit.is_none_or(|limit| used <= limit.saturating_add(error));
        hold!(WITHIN, within, "{session} used {used} {what} of {limit:?}, {error} by estimates");
    }
    Ok(())
}

/// By how much the estimates of a session and of all below it were wrong.
fn errors(journals: &Journals, session: &SessionId) -> Amounts {
    let Some(journal) = journals.get(session) else { return Amounts::default() };
    let below = spawned(journals, session).into_keys().map(|child| errors(journals, child));
    below.fold(beyond_reserve(journal), |sum, each| sum.plus(&each))
}

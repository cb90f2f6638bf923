//! What a journal says that was used, counted without the ledger.

use std::collections::{BTreeMap, BTreeSet};

use legwork_core::budget::Amounts;
use legwork_core::event::{Event, ToolStarted};
use legwork_core::journal::Journal;
use legwork_core::{AgentState, SessionId};

use super::{Journals, own_entries};

/// What adds up over a tree of agents: calls, tokens in and out, money.
pub(super) type TreeAmounts = [u64; 4];

/// Steps and active time are each agent's own.
pub(super) fn sums(amounts: &Amounts) -> TreeAmounts {
    [amounts.tool_calls, amounts.input, amounts.output, amounts.cost.0]
}

pub(super) fn sum(all: impl IntoIterator<Item = TreeAmounts>) -> TreeAmounts {
    all.into_iter().fold([0; 4], |[a, b, c, d], [e, f, g, h]| [a + e, b + f, c + g, d + h])
}

/// What a session used itself, by its journal alone: what was charged, what was held and
/// never settled, and what tools charged that are not subagents.
pub(super) fn own(journal: &Journal) -> Amounts {
    let (mut own, mut held) = (Amounts::default(), None::<Amounts>);
    // Held for an inference that is no step.
    let mut beside = None::<Amounts>;
    let mut by_tools = ByTools::default();
    for entry in own_entries(journal) {
        match &entry.event {
            Event::InferenceStarted(started) => {
                own = own.plus(&held.take().unwrap_or_default());
                held = Some(Amounts { steps: 0, ..started.reserved });
            }
            Event::InferenceFailed(failed) => {
                held = None;
                own = own.plus(&failed.charged);
            }
            Event::InferenceInterrupted(left) => {
                held = None;
                own = own.plus(&left.charged);
            }
            Event::Responded(responded) => {
                held = None;
                own = own.plus(&responded.charged);
            }
            Event::AuxiliaryStarted(started) => {
                own = own.plus(&beside.take().unwrap_or_default());
                beside = Some(Amounts { steps: 0, ..started.reserved });
            }
            Event::AuxiliaryFinished(finished) => {
                beside = None;
                own = own.plus(&finished.charged);
            }
            Event::StepFinished(_) | Event::ExecutionStarted(_) => {
                own = own.plus(&held.take().unwrap_or_default());
                own = own.plus(&beside.take().unwrap_or_default());
            }
            Event::ToolStarted(started) => {
                own.tool_calls += u64::from(!started.again);
                by_tools.begin(started);
            }
            _ => own = own.plus(&by_tools.take(&entry.event)),
        }
    }
    own.plus(&held.unwrap_or_default()).plus(&beside.unwrap_or_default())
}

/// What tools charged that are not subagents: nothing is reserved for it before.
#[derive(Default)]
struct ByTools {
    /// The calls of the step under way that subagents work for.
    children: BTreeSet<u32>,
}

impl ByTools {
    fn begin(&mut self, started: &ToolStarted) {
        match started.child {
            Some(_) => self.children.insert(started.index),
            None => self.children.remove(&started.index),
        };
    }

    /// What an entry charges for a tool.
    fn take(&mut self, event: &Event) -> Amounts {
        match event {
            Event::ToolFinished(finished) if !self.children.contains(&finished.index) => {
                finished.used
            }
            _ => Amounts::default(),
        }
    }
}

/// By how much calls passed what was held for them: an estimate of input that was wrong, a
/// provider that gave more than it was asked for, or a tool that asks models itself.
pub(super) fn beyond_reserve(journal: &Journal) -> Amounts {
    let (mut beyond, mut held) = (Amounts::default(), Amounts::default());
    let mut beside = Amounts::default();
    let mut by_tools = ByTools::default();
    for entry in own_entries(journal) {
        beyond = beyond.plus(&by_tools.take(&entry.event));
        let (held, charged) = match &entry.event {
            Event::InferenceStarted(started) => {
                held = started.reserved;
                continue;
            }
            Event::AuxiliaryStarted(started) => {
                beside = started.reserved;
                continue;
            }
            Event::ToolStarted(started) => {
                by_tools.begin(started);
                continue;
            }
            Event::InferenceFailed(failed) => (&held, &failed.charged),
            Event::InferenceInterrupted(left) => (&held, &left.charged),
            Event::Responded(responded) => (&held, &responded.charged),
            Event::AuxiliaryFinished(finished) => (&beside, &finished.charged),
            _ => continue,
        };
        beyond.input += charged.input.saturating_sub(held.input);
        beyond.output += charged.output.saturating_sub(held.output);
        beyond.cost.0 += charged.cost.0.saturating_sub(held.cost.0);
    }
    beyond
}

/// The sessions that a session's journal names as those of its subagents, in its intents.
pub(super) fn named(journal: &Journal) -> impl Iterator<Item = &SessionId> {
    own_entries(journal).filter_map(|entry| match &entry.event {
        Event::ToolStarted(started) => started.child.as_ref(),
        _ => None,
    })
}

/// Those of them that say so themselves, once each. A session that was begun otherwise under
/// the name is not one of its subagents.
pub(super) fn spawned<'j>(
    journals: &'j Journals,
    session: &SessionId,
) -> BTreeMap<&'j SessionId, AgentState> {
    let named = journals.get(session).into_iter().flat_map(named);
    let linked = named.filter_map(|child| {
        let state = journals.get(child)?.fold(child);
        let link = state.facts().parent.clone()?;
        (link.session == *session).then_some((child, state))
    });
    linked.collect()
}

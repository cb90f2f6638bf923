//! What holds of the world when a program was played.

use std::collections::BTreeMap;

use legwork_core::SessionId;
use legwork_core::event::Event;
use legwork_core::inbox::Verdict;

use super::play::ROOT;
use super::world::World;
use crate::invariants::{Checked, Journals, hold, of_tree};

const ONCE: &str = "no call of class `Once` runs twice, unless a person says so (S6.7, S10.2)";
const SAME: &str = "a call that is run again has the same arguments (S10.2)";
const PAID: &str = "what models used is in the root's ledger (S5.3, S5.4)";

/// Holds journals, bodies and money against each other.
pub(super) fn of_world(world: &World) -> Checked {
    let journals = world.journals();
    of_tree(&journals)?;
    let again = run_again(&journals);
    let facts = world.facts();
    for (key, bodies) in &facts.bodies {
        let count = bodies.arguments.len();
        let allowed = 1 + again.get(key).copied().unwrap_or(0);
        hold!(ONCE, !bodies.once || count <= allowed, "{key} ran {count} times of {allowed}");
        let first = bodies.arguments.first();
        let same = bodies.arguments.iter().all(|arguments| Some(arguments) == first);
        hold!(SAME, same, "{key} ran with {:?}", bodies.arguments);
    }
    let root = SessionId::new(ROOT);
    let ledger = journals.get(&root).map(|journal| journal.fold(&root).ledger().lifetime);
    let told = ledger.map_or(0, |lifetime| lifetime.total_tokens());
    let used = facts.used;
    hold!(PAID, told >= used, "{used} tokens were used, the ledger has {told}");
    Ok(())
}

/// How often people said that a call shall run again, by its key.
fn run_again(journals: &Journals) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for journal in journals.values() {
        for entry in journal.entries() {
            if let Event::Answered(answered) = &entry.event
                && answered.answer.verdict == Verdict::RunAgain
            {
                *counts.entry(answered.answer.id.clone()).or_default() += 1;
            }
        }
    }
    counts
}

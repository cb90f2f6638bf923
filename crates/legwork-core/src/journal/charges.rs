//! What a session was charged, by the entries of its conversation.

use std::collections::BTreeMap;

use super::Journal;
use super::tree::is_said;
use crate::budget::Amounts;
use crate::entry::Entry;
use crate::event::Event;
use crate::id::{Seq, SessionId};
use crate::state::SessionFacts;

impl Journal {
    /// What the session was charged, by entries of its conversation; 0 is before the first.
    ///
    /// The amounts sum up to what its ledger says it used. An inference that is no step counts at
    /// the entry that holds its result, or where the session was when it had none. What broke off
    /// counts where it is charged, and nothing at entries that a fork copied.
    pub fn charges(&self) -> BTreeMap<Seq, Amounts> {
        let places = self.places();
        let mut charges = Charges::default();
        let mut facts = SessionFacts::new(SessionId::from(""));
        for entry in &self.entries {
            let before = facts.ledger.lifetime;
            facts.apply(entry);
            let charged = facts.ledger.lifetime.since(&before);
            let place = places.get(&entry.seq).copied().unwrap_or(Seq::ZERO);
            if is_said(&entry.event) {
                charges.auxiliary(charges.is_result(entry).then_some(place));
            }
            match &entry.event {
                Event::AuxiliaryFinished(_) => {
                    charges.auxiliary(None);
                    charges.auxiliary = Some((place, charged));
                    charges.made = entry.seq;
                }
                _ => charges.add(place, &charged),
            }
        }
        charges.auxiliary(None);
        charges.of.retain(|_, amounts| !amounts.is_zero());
        charges.of
    }
}

#[derive(Default)]
struct Charges {
    of: BTreeMap<Seq, Amounts>,
    /// An inference that is no step, whose result may follow: where it was made.
    auxiliary: Option<(Seq, Amounts)>,
    /// The entry with its end.
    made: Seq,
}

impl Charges {
    fn add(&mut self, at: Seq, amounts: &Amounts) {
        let sum = self.of.entry(at).or_default();
        *sum = sum.plus(amounts);
    }

    /// Whether an entry holds what came of the inference that is no step.
    fn is_result(&self, entry: &Entry) -> bool {
        match &entry.event {
            Event::Compacted(_)
            | Event::BranchSummarised(_)
            | Event::ResultSummarised(_)
            | Event::ResultCompared(_) => true,
            // Persons answer calls, too.
            Event::Answered(_) => entry.seq == self.made.next(),
            _ => false,
        }
    }

    /// Adds the inference that is no step at its result, else where it was made.
    fn auxiliary(&mut self, result: Option<Seq>) {
        if let Some((at, amounts)) = self.auxiliary.take() {
            self.add(result.unwrap_or(at), &amounts);
        }
    }
}

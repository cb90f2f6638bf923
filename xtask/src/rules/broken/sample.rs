//! The few mutations that `cargo xtask test` runs: others at each commit, known beforehand.

use std::collections::BTreeMap;

use super::mutation::Mutation;
use crate::draw;

#[cfg(test)]
mod tests;

/// Of how many sections a sample has a mutation: each takes a build of its own, or nearly.
const SECTIONS: usize = 8;

/// One mutation of each of some sections of the page; the same ones for the same seed.
pub(super) fn of(all: Vec<Mutation>, seed: &str) -> Vec<Mutation> {
    let mut drawn: BTreeMap<u32, (u64, Mutation)> = BTreeMap::new();
    for mutation in all {
        let (section, lot) = (mutation.rule.section, draw::lot(seed, &mutation.name));
        if drawn.get(&section).is_none_or(|(lowest, _)| lot < *lowest) {
            drawn.insert(section, (lot, mutation));
        }
    }
    // The lots of sections are others: a long section is not drawn more often than a short one.
    let lot = |section: &u32| draw::lot(seed, &section.to_string());
    let mut sections: Vec<_> = drawn.keys().copied().collect();
    sections.sort_by_key(lot);
    sections.truncate(SECTIONS);
    drawn.retain(|section, _| sections.contains(section));
    drawn.into_values().map(|(_, mutation)| mutation).collect()
}

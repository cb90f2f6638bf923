//! The few mutations that `cargo xtask test` runs: others at each commit, known beforehand.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::mutation::Mutation;
use crate::cargo;

#[cfg(test)]
mod tests;

/// Of how many sections a sample has a mutation: each takes a build of its own, or nearly.
const SECTIONS: usize = 8;

/// What the choice depends on: the commit, or the day where there is none.
pub(super) fn seed() -> String {
    cargo::commit().unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("day {}", since.as_secs() / 86_400)
    })
}

/// One mutation of each of some sections of the page; the same ones for the same seed.
pub(super) fn of(all: Vec<Mutation>, seed: &str) -> Vec<Mutation> {
    let mut drawn: BTreeMap<u32, (u64, Mutation)> = BTreeMap::new();
    for mutation in all {
        let (section, lot) = (mutation.rule.section, hash(seed, &mutation.name));
        if drawn.get(&section).is_none_or(|(lowest, _)| lot < *lowest) {
            drawn.insert(section, (lot, mutation));
        }
    }
    // The lots of sections are others: a long section is not drawn more often than a short one.
    let lot = |section: &u32| hash(seed, &section.to_string());
    let mut sections: Vec<_> = drawn.keys().copied().collect();
    sections.sort_by_key(lot);
    sections.truncate(SECTIONS);
    drawn.retain(|section, _| sections.contains(section));
    drawn.into_values().map(|(_, mutation)| mutation).collect()
}

/// FNV-1a: the same in every version of Rust, as that of the standard library is not.
fn hash(seed: &str, text: &str) -> u64 {
    let bytes = seed.bytes().chain([0]).chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

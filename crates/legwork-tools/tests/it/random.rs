//! Numbers for tests whose form varies: another seed each time, shown when a test fails.

/// Set to repeat a run.
const SEED: &str = "LEGWORK_TEST_SEED";

/// A generator (`splitmix64`); its debug text contains the seed.
pub(crate) struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    pub(crate) fn new() -> Self {
        let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| {
            use std::hash::{BuildHasher as _, RandomState};
            RandomState::new().hash_one(0)
        });
        Self { seed, state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).expect("small")
    }

    /// One of several.
    pub(crate) fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        let at = self.below(all.len());
        all.get(at).expect("not empty")
    }
}

impl std::fmt::Debug for Random {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{SEED}={}", self.seed)
    }
}

//! Random programs: whatever happens to a run, the invariants of the test kit hold.
//!
//! `cargo xtask random` plays more of them.

use legwork_testkit::random::{self, Feature, Program};

/// What is left out until it holds.
const WITHOUT: [Feature; 1] = [Feature::FurtherTasks];

#[test]
fn s5_2_s5_3_s5_4_s6_7_s7_6_s10_1_s10_2_s10_5_a_thousand_random_programs_hold() {
    for seed in 0..1_000 {
        let program = WITHOUT.into_iter().fold(Program::generate(seed), Program::without);
        if let Err(failure) = random::check_program(seed, program) {
            panic!("{failure}");
        }
    }
}

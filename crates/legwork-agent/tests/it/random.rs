//! Random programs: whatever happens to a run, the invariants of the test kit hold.
//!
//! `cargo xtask random` plays more of them.

use legwork_testkit::random;

#[test]
fn s1_8_s5_2_s5_3_s5_4_s6_7_s7_6_s10_1_s10_2_s10_5_a_thousand_random_programs_hold() {
    for seed in 0..1_000 {
        if let Err(failure) = random::check(seed) {
            panic!("{failure}");
        }
    }
}

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use super::*;

#[test]
fn pauses_grow_from_half_a_millisecond_to_ten() {
    let micros = |attempt| pause(attempt).as_micros();
    assert_eq!(
        [0, 1, 2, 10, 37, 38, 39, 10_000].map(micros),
        [500, 750, 1_000, 3_000, 9_750, 10_000, 10_000, 10_000]
    );
}

#[test]
fn the_pauses_of_one_wait_last_as_long_as_the_patience() {
    let mut wait = waiting(Duration::from_micros(500 + 750), Hurry::default());
    for _ in 0..3 {
        // Each wait for a lock begins with attempt 0.
        assert_eq!([0, 1, 2].map(&mut wait), [true, true, false]);
    }
}

#[test]
fn in_a_hurry_no_lock_is_waited_for() {
    let hurry = Hurry::default();
    let mut wait = waiting(Duration::from_secs(1), hurry.clone());
    assert!(!hurry.hurried(|| wait(0)));
    assert!(wait(0));
    hurry.closing.begin();
    assert!(!wait(1));
}

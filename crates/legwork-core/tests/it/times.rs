//! Times as people read them, and sums that stay in their range.

use std::time::Duration;

use legwork_core::Micros;

#[test]
fn a_length_of_time_is_shown_in_the_unit_that_fits() {
    for (micros, shown) in [
        (0, "0ns"),
        (7, "7\u{b5}s"),
        (1_500, "1.5ms"),
        (999_999, "999.999ms"),
        (1_000_000, "1s"),
        (90_500_000, "90.5s"),
    ] {
        assert_eq!(Micros(micros).to_string(), shown);
    }
}

#[test]
fn sums_and_differences_stay_in_their_range() {
    let (short, long) = (Micros(3), Micros(10));
    assert_eq!((long.plus(short), long.since(short)), (Micros(13), Micros(7)));
    assert_eq!(short.since(long), Micros::ZERO);
    assert_eq!(Micros(u64::MAX).plus(short), Micros(u64::MAX));
}

#[test]
fn a_duration_is_the_same_length_as_far_as_micros_reach() {
    assert_eq!(Micros::from(Duration::from_millis(3)), Micros(3_000));
    assert_eq!(Duration::from(Micros(3_000)), Duration::from_millis(3));
    assert_eq!(Micros::from(Duration::from_nanos(1_999)), Micros(1));
    assert_eq!(Micros::from(Duration::MAX), Micros(u64::MAX));
}

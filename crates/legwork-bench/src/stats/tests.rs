use super::{Spread, median};

#[test]
fn the_median_of_an_even_count_lies_between() {
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[]), None);
}

#[test]
fn a_spread_has_its_quartiles() {
    let spread = Spread::of(&[5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
    assert_eq!((spread.min, spread.q1, spread.median), (1.0, 2.0, 3.0));
    assert_eq!((spread.q3, spread.max), (4.0, 5.0));
}

#[test]
fn a_ratio_is_of_medians_and_spreads_by_round() {
    let ratio = Spread::ratio(&[2.0, 4.0, 9.0], &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(ratio.median, 2.0);
    assert_eq!((ratio.min, ratio.max), (2.0, 3.0));
    assert_eq!(Spread::ratio(&[], &[1.0]), None);
}

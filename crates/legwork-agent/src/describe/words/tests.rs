use legwork_core::{Budget, Micros, Timestamp};

use super::{clean, grouped, length, limits, moment};

#[test]
fn numbers_are_grouped_by_thousands() {
    let shown: Vec<_> = [0, 999, 1000, 12_345, 1_234_567].into_iter().map(grouped).collect();
    assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
}

#[test]
fn lengths_of_time_take_the_largest_unit_that_fits() {
    let seconds = |s: u64| length(Micros(s * 1_000_000));
    let shown = [seconds(1), seconds(59), seconds(60), seconds(90), seconds(300), seconds(7200)];
    assert_eq!(shown, ["1 s", "59 s", "1 min", "90 s", "5 min", "2 h"]);
    assert_eq!(length(Micros(1_500_000)), "1.5s");
    assert_eq!(length(Micros(0)), "0 s");
}

#[test]
fn moments_are_dates_of_the_calendar() {
    for (millis, shown) in [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_400_000, "2000-02-29 00:00:00 UTC"),
        (1_735_689_599_999, "2024-12-31 23:59:59 UTC"),
        (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
    ] {
        assert_eq!(moment(Timestamp(millis)), shown);
    }
}

#[test]
fn every_dimension_has_its_words() {
    let mut budget = Budget::usd(0.5).steps(1).tool_calls(2).tokens(3000).output_tokens(1);
    budget = budget.input_tokens(2).deadline(Timestamp(0));
    let words = [
        "1 step",
        "2 tool calls",
        "2 input tokens",
        "1 output token",
        "3,000 tokens",
        "$0.50",
        "5 min of active time",
        "until 1970-01-01 00:00:00 UTC",
    ];
    assert_eq!(limits(&budget), words);
    assert!(limits(&Budget::unlimited()).is_empty());
}

#[test]
fn control_characters_and_marks_that_hide_are_left_out() {
    assert_eq!(clean("a\u{1b}[31mb\nc\u{202e}d\u{200b}e\tf\r"), "a[31mb cde f ");
}

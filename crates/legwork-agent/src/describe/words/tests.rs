use legwork_core::budget::{MicroUsd, Price, Prices};
use legwork_core::tool::ExecutionMode;
use legwork_core::{Budget, EffectClass, Micros, OnDoubt, Timestamp};

use super::{clean, cut, effect, grouped, length, limits, mode, moment, prices};

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
    let shown = [seconds(61), seconds(3600), seconds(3601), seconds(3660), seconds(5400)];
    assert_eq!(shown, ["61 s", "1 h", "3601 s", "61 min", "90 min"]);
}

#[test]
fn moments_are_dates_of_the_calendar() {
    for (millis, shown) in [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_400_000, "2000-02-29 00:00:00 UTC"),
        (1_735_689_599_999, "2024-12-31 23:59:59 UTC"),
        (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
        (4_107_542_399_000, "2100-02-28 23:59:59 UTC"),
        (1_000_000_000_000, "2001-09-09 01:46:40 UTC"),
        (1_234_567_890_123, "2009-02-13 23:31:30 UTC"),
        (68_169_600_000, "1972-02-29 00:00:00 UTC"),
        (94_608_000_000, "1972-12-31 00:00:00 UTC"),
        (13_574_563_200_000, "2400-02-29 00:00:00 UTC"),
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

#[test]
fn a_price_says_what_differs_for_tokens_of_a_cache() {
    let cents = |n: u64| MicroUsd(n * 10_000);
    let of = |input, cache_read, cache_write, output| Price {
        input: cents(input),
        cache_read: cents(cache_read),
        cache_write: cents(cache_write),
        cache_write_hour: None,
        output: cents(output),
    };
    for (given, shown) in [
        (of(50, 50, 50, 75), "$0.50 in, $0.75 out (per million tokens)"),
        (of(50, 25, 50, 75), "$0.50 in, $0.75 out, $0.25 from a cache (per million tokens)"),
        (of(50, 50, 60, 75), "$0.50 in, $0.75 out, $0.60 into a cache (per million tokens)"),
    ] {
        assert_eq!(prices(&given.into()), shown);
    }
    let long = Prices::flat(of(50, 50, 50, 75)).above(200_000, of(100, 100, 100, 150));
    let shown = "$0.50 in, $0.75 out; $1.00 in, $1.50 out where the input is longer than 200,000 \
                 (per million tokens)";
    assert_eq!(prices(&long), shown);
}

#[test]
fn tools_say_how_they_run_and_what_a_doubt_means() {
    let effects = [
        EffectClass::ReadOnly,
        EffectClass::Idempotent,
        EffectClass::Once(OnDoubt::Ask),
        EffectClass::Once(OnDoubt::Tell),
    ];
    let words = [
        "read only",
        "repeatable",
        "once, in doubt a person is asked",
        "once, in doubt the model is told",
    ];
    assert_eq!(effects.map(effect), words);
    let modes = [
        ExecutionMode::Sequential,
        ExecutionMode::ParallelOrdered,
        ExecutionMode::ParallelUnordered,
    ];
    assert_eq!(modes.map(mode), ["alone", "in parallel", "in parallel, results in any order"]);
}

#[test]
fn a_long_text_is_cut_with_a_mark() {
    assert_eq!(["éé", "ééé", "éééé"].map(|text| cut(text, 3)), ["éé", "ééé", "ééé..."]);
}

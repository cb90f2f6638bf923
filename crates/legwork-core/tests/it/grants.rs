//! S5.4: what a ledger leaves to a subagent, and what that may ask for.

use legwork_core::budget::{Amounts, Budget, Dimension, Ledger, MicroUsd, Reserve};
use legwork_core::{Micros, Seq, Timestamp, Usage};

/// A budget with this limit in each dimension.
fn each(limit: u64) -> Budget {
    Budget {
        steps: Some(limit),
        tool_calls: Some(limit),
        input_tokens: Some(limit),
        output_tokens: Some(limit),
        total_tokens: Some(limit),
        cost: Some(MicroUsd(limit)),
        active_time: Some(Micros(limit)),
        deadline: Some(Timestamp(limit)),
        output_floor: Some(limit),
    }
}

/// The limits of a budget in the order of its fields.
fn limits(budget: &Budget) -> [Option<u64>; 8] {
    use Dimension::{
        ActiveTime, Cost, Deadline, InputTokens, OutputTokens, Steps, ToolCalls, TotalTokens,
    };
    [Steps, ToolCalls, InputTokens, OutputTokens, TotalTokens, Cost, ActiveTime, Deadline]
        .map(|dimension| budget.limit(&dimension))
}

#[test]
fn s5_4_of_two_budgets_the_lower_limit_of_each_dimension_holds() {
    assert_eq!(limits(&each(7).within(&each(5))), [Some(5); 8]);
    assert_eq!(limits(&each(5).within(&each(7))), [Some(5); 8]);
    assert_eq!(limits(&each(5).within(&Budget::unlimited())), [Some(5); 8]);
    assert_eq!(limits(&Budget::unlimited().within(&each(5))), [Some(5); 8]);
    assert_eq!(Budget::unlimited().within(&Budget::unlimited()), Budget::unlimited());
    let mixed = each(5).within(&Budget::unlimited().steps(3).tokens(9));
    assert_eq!((mixed.steps, mixed.total_tokens), (Some(3), Some(5)));
    // The floor is no limit: the nearer one counts.
    assert_eq!(each(7).within(&each(5)).output_floor, Some(7));
    assert_eq!(Budget::unlimited().within(&each(5)).output_floor, Some(5));
}

fn amounts(used: u64) -> Amounts {
    Amounts {
        steps: used,
        tool_calls: used,
        input: used,
        output: used,
        tokens: used,
        cost: MicroUsd(used),
        active_time: Micros(used),
        ..Amounts::default()
    }
}

#[test]
fn s5_4_what_is_left_is_known_of_each_dimension_but_steps() {
    let ledger = |spent| Ledger { budget: each(10), spent, ..Ledger::default() };
    let left = ledger(amounts(2)).left();
    let some = Some;
    // Total tokens are input, output and those of either kind: 6 of 10.
    let expected = [None, some(8), some(8), some(8), some(4), some(8), some(8), some(10)];
    assert_eq!(limits(&left), expected);
    assert_eq!(left.output_floor, Some(10));
    let held = Reserve { entry: Seq(1), call: Some(0), auxiliary: false, amounts: amounts(1) };
    let held = Ledger { reserved: vec![held], ..ledger(amounts(2)) };
    assert_eq!(held.left().tool_calls, Some(7), "what is held is used");
    assert_eq!(ledger(amounts(99)).left().cost, Some(MicroUsd(0)), "never less than nothing");
    let unlimited = Ledger { spent: amounts(9), ..Ledger::default() };
    assert_eq!(unlimited.left(), Budget::unlimited());
}

#[test]
fn s5_4_the_reservation_of_the_inference_is_separate_from_those_of_calls() {
    let reserve = |call| Reserve { entry: Seq(3), call, auxiliary: false, amounts: amounts(1) };
    let ledger = Ledger { reserved: vec![reserve(Some(0)), reserve(None)], ..Ledger::default() };
    assert_eq!(ledger.inference(), Some(&reserve(None)));
    let calls = Ledger { reserved: vec![reserve(Some(0))], ..Ledger::default() };
    assert_eq!(calls.inference(), None);
}

#[test]
fn s5_4_amounts_exceed_a_budget_in_the_first_dimension_that_they_are_more_than() {
    use Dimension::{Cost, InputTokens, OutputTokens, ToolCalls, TotalTokens};
    let zero = Amounts::default;
    let table = [
        (Amounts { tool_calls: 6, ..zero() }, Some(ToolCalls)),
        (Amounts { input: 6, ..zero() }, Some(InputTokens)),
        (Amounts { output: 6, ..zero() }, Some(OutputTokens)),
        (Amounts { input: 3, output: 3, ..zero() }, Some(TotalTokens)),
        (Amounts { tokens: 6, ..zero() }, Some(TotalTokens)),
        (Amounts { cost: MicroUsd(6), ..zero() }, Some(Cost)),
        (Amounts { output: 6, cost: MicroUsd(6), ..zero() }, Some(OutputTokens)),
        // As much as there is, and less, is none too much.
        (Amounts { tool_calls: 5, input: 2, output: 3, cost: MicroUsd(5), ..zero() }, None),
        (Amounts { tool_calls: 4, input: 1, cost: MicroUsd(4), ..zero() }, None),
        // Steps and time are counted by each agent itself.
        (Amounts { steps: 6, active_time: Micros(6), ..zero() }, None),
    ];
    for (amounts, exceeded) in table {
        assert_eq!(each(5).exceeded_by(&amounts), exceeded, "{amounts:?}");
        assert_eq!(Budget::unlimited().exceeded_by(&amounts), None, "{amounts:?}");
    }
}

#[test]
fn s5_6_usages_and_amounts_add_up_and_stay_in_their_range() {
    let usage = |n| Usage {
        input: n,
        output: 2 * n,
        cache_read: 3 * n,
        cache_write: 4 * n,
        cache_write_hour: n,
        reasoning: 5 * n,
    };
    assert_eq!(usage(1).plus(&usage(2)), usage(3));
    let most = Usage { input: u64::MAX, output: u64::MAX, ..usage(0) };
    assert_eq!(most.plus(&usage(1)).input, u64::MAX);
    assert_eq!((usage(3).total(), most.total()), (9, u64::MAX));
    assert_eq!(amounts(1).plus(&amounts(2)), amounts(3));
    let flags = |estimated, unpriced| Amounts { estimated, unpriced, ..amounts(1) };
    for (one, other) in [(true, false), (false, true)] {
        let sum = flags(one, other).plus(&flags(false, false));
        assert_eq!((sum.estimated, sum.unpriced), (one, other));
        let sum = flags(false, false).plus(&flags(one, other));
        assert_eq!((sum.estimated, sum.unpriced), (one, other));
    }
    assert_eq!(amounts(2).total_tokens(), 6);
    assert!(Amounts::default().is_zero() && !amounts(1).is_zero());
}

#[test]
fn s5_1_the_builders_of_a_budget_set_one_limit_each() {
    let none = Budget::unlimited;
    assert_eq!(none().steps(1), Budget { steps: Some(1), ..none() });
    assert_eq!(none().tool_calls(1), Budget { tool_calls: Some(1), ..none() });
    assert_eq!(none().tokens(1), Budget { total_tokens: Some(1), ..none() });
    assert_eq!(none().input_tokens(1), Budget { input_tokens: Some(1), ..none() });
    assert_eq!(none().output_tokens(1), Budget { output_tokens: Some(1), ..none() });
    assert_eq!(none().output_floor(1), Budget { output_floor: Some(1), ..none() });
    let second = std::time::Duration::from_secs(1);
    assert_eq!(none().time(second), Budget { active_time: Some(Micros(1_000_000)), ..none() });
    assert_eq!(none().deadline(Timestamp(1)), Budget { deadline: Some(Timestamp(1)), ..none() });
    // Each leaves the others as they are.
    let all = each(5).steps(1).tool_calls(2).tokens(3).input_tokens(4).output_tokens(6);
    let all = all.output_floor(7).time(second).deadline(Timestamp(8));
    let some = Some;
    let expected = [some(1), some(2), some(4), some(6), some(3), some(5), some(1_000_000), some(8)];
    assert_eq!((limits(&all), all.output_floor), (expected, Some(7)));
    assert_eq!(limits(&Budget::usd(0.5).steps(3))[5], Some(500_000));
}

#[test]
fn s5_1_money_is_counted_in_millionths_and_shown_in_cents() {
    let table = [
        (0.0, 0, "$0.00"),
        (0.5, 500_000, "$0.50"),
        (1.25, 1_250_000, "$1.25"),
        (0.000_001_4, 1, "$0.000001"),
        (12.345_678, 12_345_678, "$12.345678"),
        (-1.0, 0, "$0.00"),
        (f64::NAN, 0, "$0.00"),
    ];
    for (usd, micros, shown) in table {
        assert_eq!(MicroUsd::from_usd(usd), MicroUsd(micros), "{usd}");
        assert_eq!(MicroUsd(micros).to_string(), shown);
    }
}

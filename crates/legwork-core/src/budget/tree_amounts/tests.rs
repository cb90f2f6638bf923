use crate::budget::{Amounts, Budget, MicroUsd};

use super::TreeAmounts;

/// Ten of the tokens are held unseparated.
const ALL: TreeAmounts = TreeAmounts { calls: 1, input: 20, output: 30, total: 60, cost: 5 };
const NONE: TreeAmounts = TreeAmounts { calls: 0, input: 0, output: 0, total: 0, cost: 0 };

fn money(cost: u64) -> Option<MicroUsd> {
    Some(MicroUsd(cost))
}

/// A budget that limits one dimension, and what of [`ALL`] it covers.
fn each() -> [(Budget, TreeAmounts); 5] {
    let none = Budget::unlimited();
    [
        (Budget { tool_calls: Some(9), ..none.clone() }, TreeAmounts { calls: 1, ..NONE }),
        (Budget { input_tokens: Some(9), ..none.clone() }, TreeAmounts { input: 20, ..NONE }),
        (Budget { output_tokens: Some(9), ..none.clone() }, TreeAmounts { output: 30, ..NONE }),
        (Budget { total_tokens: Some(9), ..none.clone() }, TreeAmounts { total: 60, ..NONE }),
        (Budget { cost: money(9), ..none }, TreeAmounts { cost: 5, ..NONE }),
    ]
}

#[test]
fn s5_4_a_limit_of_its_own_covers_its_dimension_and_no_other() {
    let none = Budget::unlimited().steps(3);
    assert_eq!((ALL.covered(&none), ALL.uncovered(&none)), (NONE, ALL));
    for (own, covered) in each() {
        assert_eq!(ALL.covered(&own), covered, "{own:?}");
        assert_eq!(ALL.uncovered(&own).plus(covered), ALL, "{own:?}");
        assert_eq!(ALL.uncovered(&own), ALL.less(covered), "{own:?}");
    }
}

#[test]
fn s5_4_what_is_held_at_spawn_is_its_limit_or_what_is_left_if_that_is_less() {
    for ((own, _), (left, _)) in each().into_iter().zip(each()) {
        let block = TreeAmounts::block(&own, &Budget::unlimited());
        assert_eq!(block, TreeAmounts::block(&own, &left), "{own:?}");
        assert_ne!(block, NONE, "{own:?}");
        assert_eq!(TreeAmounts::block(&Budget::unlimited(), &left), NONE, "what is not limited");
    }
    let own = Budget { input_tokens: Some(9), cost: money(9), ..Budget::unlimited() };
    let left = Budget { input_tokens: Some(4), cost: money(20), ..Budget::unlimited() };
    assert_eq!(TreeAmounts::block(&own, &left), TreeAmounts { input: 4, cost: 9, ..NONE });
}

#[test]
fn s5_4_a_subagent_is_granted_what_was_held_for_it() {
    let own = Budget::unlimited().steps(3);
    assert_eq!(ALL.limits(&own), own, "what has no limit gets none");
    for (own, _) in each() {
        let granted = ALL.limits(&own);
        let expected = Budget {
            tool_calls: own.tool_calls.map(|_| 1),
            input_tokens: own.input_tokens.map(|_| 20),
            output_tokens: own.output_tokens.map(|_| 30),
            total_tokens: own.total_tokens.map(|_| 60),
            cost: own.cost.and(money(5)),
            ..own
        };
        assert_eq!(granted, expected);
    }
}

#[test]
fn s5_4_what_is_held_is_journaled_with_each_token_once() {
    let amounts = ALL.journal();
    let by_kind = Amounts { tool_calls: 1, input: 20, output: 30, ..Amounts::default() };
    let by_kind = Amounts { cost: MicroUsd(5), ..by_kind };
    assert_eq!(amounts, Amounts { tokens: 10, ..by_kind });
    assert_eq!(amounts.total_tokens(), 60);
    assert_eq!(ALL.to_amounts(), (by_kind, Amounts { tokens: 60, ..Amounts::default() }));
    assert_eq!(TreeAmounts::of(&amounts), ALL);
    for (own, covered) in each() {
        assert_eq!(TreeAmounts::journaled(&amounts, &own), covered, "{own:?}");
    }
    assert_eq!(TreeAmounts::calls(7), TreeAmounts { calls: 7, ..NONE });
}

#[test]
fn sums_add_and_take_away_each_dimension_and_never_go_below_nothing() {
    let twice = TreeAmounts { calls: 2, input: 40, output: 60, total: 120, cost: 10 };
    assert_eq!((ALL.plus(ALL), twice.less(ALL)), (twice, ALL));
    assert_eq!((ALL.less(twice), ALL.plus(NONE)), (NONE, ALL));
}

//! S5: reserve, settle, charge; a ledger that refuses with numbers.

use std::sync::Arc;

use legwork_core::budget::{
    Amounts, Budget, Dimension, Exhausted, Ledger, MicroUsd, OUTPUT_FLOOR, OUTPUT_UNKNOWN, Price,
};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{InferenceFailed, InferenceInterrupted, InferenceStarted, Responded};
use legwork_core::{AgentState, ErrorRecord, Event, Micros, Timestamp, Usage};

use crate::story::{go_on, infer, owes, says, tell};

/// A dollar for a million input tokens, half for cache reads, double for writes, ten for
/// output: 1 µ$ an input token, 10 µ$ an output token.
const PRICE: Price = Price {
    input: MicroUsd(1_000_000),
    cache_read: MicroUsd(500_000),
    cache_write: MicroUsd(2_000_000),
    cache_write_hour: Some(MicroUsd(3_000_000)),
    output: MicroUsd(10_000_000),
};

fn ledger(budget: Budget, spent: Amounts) -> Ledger {
    Ledger { budget, spent, ..Ledger::default() }
}

fn tokens(input: u64, output: u64) -> Amounts {
    Amounts { input, output, ..Amounts::default() }
}

fn money(micros: u64) -> Budget {
    Budget { cost: Some(MicroUsd(micros)), ..Budget::unlimited() }
}

/// What an inference of 1,000 input tokens may have, or the refusal in words.
fn afford(budget: Budget, spent: Amounts, max_output: Option<u64>) -> String {
    match ledger(budget, spent).afford(1_000, max_output, Some(&PRICE)) {
        Ok((None, held)) => format!("any output, holds {} for ${}", held.input, held.cost.0),
        Ok((Some(output), held)) => {
            assert_eq!((held.input, held.output), (1_000, output));
            format!("{output} of output, holds ${}", held.cost.0)
        }
        Err(Exhausted { dimension, limit, used, wanted }) => {
            format!("refused: {dimension} {limit}, {used} used, {wanted} wanted")
        }
    }
}

#[test]
fn s5_2_output_is_clamped_to_what_the_ledger_affords_or_the_call_is_refused() {
    let none = Budget::unlimited;
    let zero = Amounts::default();
    let table: &[(Budget, Amounts, Option<u64>, &str)] = &[
        (none(), zero, None, "any output, holds 1000 for $1000"),
        (none(), zero, Some(50), "50 of output, holds $1500"),
        (none().steps(0).tool_calls(0), zero, Some(50), "50 of output, holds $1500"),
        // Output tokens: clamped to the rest, refused below the floor of 1,024.
        (none().output_tokens(5_000), zero, Some(90_000), "5000 of output, holds $51000"),
        (none().output_tokens(5_000), zero, Some(9_000), "5000 of output, holds $51000"),
        (none().output_tokens(5_000), zero, Some(300), "300 of output, holds $4000"),
        (
            none().output_tokens(5_000),
            tokens(0, 3_976),
            Some(90_000),
            "1024 of output, holds $11240",
        ),
        (
            none().output_tokens(5_000),
            tokens(0, 3_977),
            Some(90_000),
            "refused: output_tokens 5000, 3977 used, 1024 wanted",
        ),
        // Less than the floor was asked for: then that is the floor.
        (none().output_tokens(5_000), tokens(0, 4_900), Some(100), "100 of output, holds $2000"),
        (
            none().output_tokens(5_000),
            tokens(0, 4_901),
            Some(100),
            "refused: output_tokens 5000, 4901 used, 100 wanted",
        ),
        // Input tokens: all or nothing.
        (none().input_tokens(1_000), zero, Some(10), "10 of output, holds $1100"),
        (
            none().input_tokens(1_000),
            tokens(1, 0),
            Some(10),
            "refused: input_tokens 1000, 1 used, 1000 wanted",
        ),
        // Total tokens: the input counts first.
        (none().tokens(4_000), zero, Some(90_000), "3000 of output, holds $31000"),
        (none().tokens(4_000), tokens(900, 100), Some(9_000), "2000 of output, holds $21000"),
        (
            none().tokens(4_000),
            tokens(1_900, 100),
            Some(90_000),
            "refused: total_tokens 4000, 2000 used, 2024 wanted",
        ),
        (none().tokens(900), zero, Some(0), "refused: total_tokens 900, 0 used, 1000 wanted"),
        // Money: the input at its price, the rest buys output.
        (money(21_000), zero, Some(90_000), "2000 of output, holds $21000"),
        (money(21_009), zero, Some(90_000), "2000 of output, holds $21000"),
        (money(11_240), zero, Some(90_000), "1024 of output, holds $11240"),
        (money(11_239), zero, Some(90_000), "refused: cost 11239, 0 used, 11240 wanted"),
        (money(0), zero, Some(0), "refused: cost 0, 0 used, 1000 wanted"),
        (
            money(21_000),
            Amounts { cost: MicroUsd(9_761), ..zero },
            Some(90_000),
            "refused: cost 21000, 9761 used, 11240 wanted",
        ),
        // The tightest limit clamps.
        (
            money(21_000).output_tokens(1_500).tokens(9_000),
            zero,
            Some(90_000),
            "1500 of output, holds $16000",
        ),
        // Spent beyond a limit: refused, never a wrap-around.
        (
            none().tokens(10),
            tokens(u64::MAX, u64::MAX),
            Some(90_000),
            "refused: total_tokens 10, 18446744073709551615 used, 2024 wanted",
        ),
    ];
    for (budget, spent, max_output, expected) in table {
        let said = afford(budget.clone(), *spent, *max_output);
        assert_eq!(said, *expected, "{budget:?} {spent:?} {max_output:?}");
    }
}

#[test]
fn s5_2_an_answer_of_unknown_length_holds_no_more_than_half_of_what_is_left() {
    let unknown = |budget: Budget| {
        let held = ledger(budget, Amounts::default()).afford(1_000, None, Some(&PRICE)).unwrap();
        held.0
    };
    let none = Budget::unlimited;
    // Never the whole of a large limit.
    assert_eq!(unknown(none().tokens(1_000_000)), Some(OUTPUT_UNKNOWN));
    assert_eq!(unknown(none().output_tokens(2 * OUTPUT_UNKNOWN)), Some(OUTPUT_UNKNOWN));
    assert_eq!(unknown(none().output_tokens(2 * OUTPUT_UNKNOWN - 2)), Some(OUTPUT_UNKNOWN - 1));
    // Half of what is left after the input, by the tightest limit.
    assert_eq!(unknown(none().tokens(9_000)), Some(4_000));
    assert_eq!(unknown(money(91_000).tokens(900_000)), Some(4_500));
    // No less than the floor, which may be higher than what is usual.
    assert_eq!(unknown(none().output_tokens(1_500)), Some(OUTPUT_FLOOR));
    assert_eq!(unknown(none().output_tokens(90_000).output_floor(20_000)), Some(20_000));
    // Where nothing limits it, it is not clamped.
    assert_eq!(unknown(none().input_tokens(9_000).steps(2)), None);
}

#[test]
fn s5_2_calls_of_unknown_length_that_are_cut_off_leave_room_for_others() {
    let mut state = tell("user: hi").with_budget(Budget::unlimited().tokens(20_000));
    for _cut_off in 0..4 {
        let (_, reserved) = state.ledger().afford(100, None, None).unwrap();
        state = state.with(Event::InferenceStarted(InferenceStarted {
            reserved,
            tools: None,
            request: None,
        }));
    }
    assert!(state.ledger().used_and_reserved().total_tokens() <= 20_000);
}

#[test]
fn s5_3_what_is_charged_for_a_call_cut_off_is_an_estimate() {
    let held = reserve(tell("user: hi"), 1, 1_000, 500);
    assert!(!held.used().estimated);
    let ended = go_on(held.clone(), "signal: user_requested; decides");
    assert!(ended.used().estimated && ended.ledger().lifetime.estimated);
    // What was reported is none, and does not make what was estimated before exact.
    let settled = settle(held, tokens(10, 5));
    assert!(!settled.used().estimated);
    assert!(settle(reserve(ended, 1, 9, 9), tokens(10, 5)).used().estimated);
}

#[test]
fn s5_3_an_interrupted_inference_is_charged_what_it_says_and_owed_again() {
    let charged = tokens(1_000, 7).as_estimate();
    let left = Event::InferenceInterrupted(InferenceInterrupted { charged });
    let state = reserve(tell("user: hi"), 1, 1_000, 500).with(left);
    assert!(state.ledger().reserved.is_empty());
    assert_eq!(state.used(), &Amounts { steps: 1, ..charged });
    assert_eq!(owes(&state), "asks the model");
    assert_eq!(state.current_step().unwrap().number, 1, "the same step");
}

#[test]
fn what_has_no_price_is_marked_rather_than_free() {
    let free = Price { input: MicroUsd(0), output: MicroUsd(0), ..PRICE };
    let used = usage(10, 5);
    let priced = Amounts::of_usage(&used, Some(&PRICE));
    let unknown = Amounts::of_usage(&used, None);
    assert_eq!((priced.cost, priced.unpriced), (PRICE.cost(&used), false));
    assert_eq!((unknown.cost, unknown.unpriced), (MicroUsd(0), true));
    assert!(!Amounts::of_usage(&used, Some(&free)).unpriced);
    assert!(Amounts::of_usage(&usage(0, 0), None).is_zero(), "nothing costs nothing");
    assert!(Amounts::default().as_estimate().is_zero());
    // A sum knows of each of its parts.
    let both = priced.plus(&unknown);
    assert_eq!((both.cost, both.unpriced, both.estimated), (priced.cost, true, false));
    assert!(priced.plus(&unknown.as_estimate()).estimated);
}

#[test]
fn s5_2_what_is_reserved_counts_as_used() {
    let state = tell("user: hi").with_budget(Budget::unlimited().tokens(10_000));
    let state = infer(state, 3_000, 4_000);
    assert_eq!(state.ledger().used_and_reserved().total_tokens(), 7_000);
    assert_eq!(state.ledger().spent.total_tokens(), 0);
    let (output, _) = state.ledger().afford(500, Some(90_000), None).unwrap();
    assert_eq!(output, Some(2_500));
    let refused = state.ledger().afford(2_500, None, None).unwrap_err();
    assert_eq!((refused.used, refused.wanted), (7_000, 3_524));
}

#[test]
fn s5_2_a_cheap_model_keeps_its_minimum_down_to_the_last_cent() {
    let price = Price { output: MicroUsd(1), input: MicroUsd(1), ..PRICE };
    let (output, held) =
        ledger(money(1), Amounts::default()).afford(5, Some(u64::MAX), Some(&price)).unwrap();
    assert_eq!(output, Some(999_995));
    assert_eq!(held.cost, MicroUsd(1));
}

#[test]
fn s5_2_free_output_and_unknown_prices_clamp_nothing() {
    let free = Price { output: MicroUsd(0), input: MicroUsd(0), ..PRICE };
    let ledger = ledger(money(0), Amounts::default());
    assert_eq!(ledger.afford(10, Some(77), Some(&free)).unwrap().0, Some(77));
    assert_eq!(ledger.afford(10, None, Some(&free)).unwrap().0, None);
    // A cost limit on a model without a price is refused when the agent is built.
    assert_eq!(ledger.afford(10, Some(77), None).unwrap().0, Some(77));
}

#[test]
fn s5_1_each_dimension_limits_and_a_missing_one_does_not() {
    let all = Amounts {
        steps: 5,
        tool_calls: 5,
        input: 5,
        output: 5,
        tokens: 0,
        cost: MicroUsd(5),
        active_time: Micros(5),
        ..Amounts::default()
    };
    let table: [(Budget, Dimension, u64); 7] = [
        (Budget { steps: Some(5), ..Budget::unlimited() }, Dimension::Steps, 5),
        (Budget { input_tokens: Some(5), ..Budget::unlimited() }, Dimension::InputTokens, 5),
        (Budget { output_tokens: Some(5), ..Budget::unlimited() }, Dimension::OutputTokens, 5),
        (Budget { total_tokens: Some(10), ..Budget::unlimited() }, Dimension::TotalTokens, 10),
        (Budget { cost: Some(MicroUsd(5)), ..Budget::unlimited() }, Dimension::Cost, 5),
        (Budget { active_time: Some(Micros(5)), ..Budget::unlimited() }, Dimension::ActiveTime, 5),
        (Budget { deadline: Some(Timestamp(5)), ..Budget::unlimited() }, Dimension::Deadline, 5),
    ];
    for (budget, dimension, limit) in table {
        assert_eq!(budget.limit(&dimension), Some(limit));
        let refused = ledger(budget.clone(), all).forbids_step(Timestamp(5)).unwrap();
        assert_eq!((&refused.dimension, refused.limit, refused.used), (&dimension, limit, limit));
        let none = ledger(budget, Amounts::default()).forbids_step(Timestamp(4));
        assert_eq!(none, None, "{dimension}");
    }
    let calls = Budget::unlimited().tool_calls(5);
    assert_eq!(calls.limit(&Dimension::ToolCalls), Some(5));
    assert_eq!(ledger(calls.clone(), all).forbids_step(Timestamp(0)), None, "it may answer");
    assert_eq!(ledger(calls, all).forbids_calls(1).unwrap().used, 5);
    assert_eq!(ledger(Budget::unlimited(), all).forbids_step(Timestamp(u64::MAX)), None);
    assert_eq!(Budget::unlimited().limit(&"moon_phase".into()), None);
}

#[test]
fn s5_5_a_batch_of_calls_is_checked_as_a_whole() {
    let spent = Amounts { tool_calls: 3, ..Amounts::default() };
    let ledger = ledger(Budget::unlimited().tool_calls(5), spent);
    assert_eq!(ledger.forbids_calls(2), None);
    let refused = ledger.forbids_calls(3).unwrap();
    assert_eq!((refused.limit, refused.used, refused.wanted), (5, 3, 3));
    assert_eq!(Ledger::default().forbids_calls(u64::MAX), None);
}

fn reserve(state: AgentState, steps: u64, input: u64, output: u64) -> AgentState {
    let reserved =
        Amounts { steps, cost: PRICE.cost(&usage(input, output)), ..tokens(input, output) };
    state.with(Event::InferenceStarted(InferenceStarted { reserved, tools: None, request: None }))
}

fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

fn settle(state: AgentState, charged: Amounts) -> AgentState {
    let response = Arc::new(says("done"));
    state.with(Event::Responded(Responded { response, charged }))
}

#[test]
fn s5_3_real_usage_is_charged_and_the_rest_released() {
    let state = reserve(tell("user: hi"), 1, 1_000, 500);
    assert_eq!(state.ledger().reserved.len(), 1);
    assert_eq!(state.used(), &Amounts { steps: 1, ..Amounts::default() });
    let state = settle(state, tokens(900, 20));
    assert!(state.ledger().reserved.is_empty());
    assert_eq!(state.used(), &Amounts { steps: 1, ..tokens(900, 20) });
    assert_eq!(state.ledger().used_and_reserved(), state.ledger().spent);
    // Usage beyond the reserve is recorded as it was.
    let state = settle(reserve(tell("user: hi"), 1, 10, 10), tokens(40, 50));
    assert_eq!((state.used().input, state.used().output), (40, 50));
}

#[test]
fn s5_3_a_reservation_left_by_a_crash_is_charged_in_full() {
    let held = reserve(tell("user: hi"), 1, 1_000, 500);
    let cost = PRICE.cost(&usage(1_000, 500));
    let full = |state: &AgentState| {
        let spent = state.ledger().spent;
        assert_eq!((spent.input, spent.output, spent.cost), (1_000, 500, cost));
        assert_eq!(spent.steps, 1, "a step is counted once");
    };
    // On resume, by the next call of the same step.
    let again = reserve(held.clone(), 0, 30, 40);
    full(&again);
    assert_eq!(again.ledger().reserved.len(), 1);
    let settled = settle(again, tokens(30, 4));
    assert_eq!((settled.used().input, settled.used().output), (1_030, 504));
    // At the end of the step.
    let ended = go_on(held.clone(), "signal: user_requested; decides");
    full(&ended);
    assert!(ended.ledger().reserved.is_empty());
    // By the next execution: it stays with the one that reserved it.
    let next = go_on(held, "user: again");
    assert_eq!(next.ledger().spent, Amounts::default());
    assert_eq!(next.ledger().lifetime.input, 1_000);
    assert!(next.ledger().reserved.is_empty());
}

#[test]
fn s5_3_a_failed_attempt_is_charged_what_it_says() {
    let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, "no answer");
    let charged = tokens(2_000, 1_000);
    let failed = Event::InferenceFailed(InferenceFailed { error: error.clone(), charged }.into());
    let state = reserve(tell("user: hi"), 1, 1_000, 500).with(failed);
    assert_eq!(state.used(), &Amounts { steps: 1, ..charged });
    assert!(state.ledger().reserved.is_empty());
    let free = InferenceFailed { error, charged: Amounts::default() };
    let state = reserve(tell("user: hi"), 1, 1_000, 500).with(Event::InferenceFailed(free.into()));
    assert_eq!(state.used(), &Amounts { steps: 1, ..Amounts::default() });
}

#[test]
fn s5_3_the_ledger_survives_a_new_process() {
    let state = reserve(tell("user: hi"), 1, 1_000, 500);
    let journal = legwork_core::journal::Journal::new(state.uncommitted().to_vec());
    let resumed = journal.fold(state.session());
    assert_eq!(resumed.ledger(), state.ledger());
    assert_eq!(resumed.ledger().reserved[0].entry, state.current_step().unwrap().id);
}

#[test]
fn s5_6_reasoning_is_part_of_output_and_caches_have_their_own_price() {
    let plain = usage(1_000, 100);
    assert_eq!(PRICE.cost(&plain), MicroUsd(2_000));
    let reasoned = Usage { reasoning: 90, ..plain };
    assert_eq!(PRICE.cost(&reasoned), PRICE.cost(&plain));
    assert_eq!(reasoned.total(), 1_100);
    assert_eq!(Amounts::of_usage(&reasoned, None).total_tokens(), 1_100);
    // 600 plain, 300 read at half, 100 written at double.
    let cached = Usage { cache_read: 300, cache_write: 100, ..plain };
    assert_eq!(PRICE.cost(&cached), MicroUsd(600 + 150 + 200 + 1_000));
    // Of those 100, 40 are kept for an hour, at three times.
    let hour = Usage { cache_write_hour: 40, ..cached };
    assert_eq!(PRICE.cost(&hour), MicroUsd(600 + 150 + 120 + 120 + 1_000));
    let unknown = Price { cache_write_hour: None, ..PRICE };
    assert_eq!(unknown.cost(&hour), unknown.cost(&cached));
    let dearer = |a: &Price, b: &Price| (a.dearer(b), b.dearer(a));
    assert_eq!(dearer(&unknown, &PRICE), (PRICE, PRICE), "a price that is not known is no less");
    // If a provider does not count caches as input, they are charged all the same.
    let beside = Usage { cache_read: 5_000, ..plain };
    assert_eq!(PRICE.cost(&beside), MicroUsd(2_500 + 1_000));
}

#[test]
fn s5_6_money_is_rounded_up_to_a_millionth() {
    let price = Price { input: MicroUsd(150_000), ..PRICE };
    let table = [(0, 0), (1, 1), (6, 1), (7, 2), (20, 3), (1_000_000, 150_000)];
    for (input, cost) in table {
        assert_eq!(price.cost(&usage(input, 0)), MicroUsd(cost), "{input} tokens");
    }
    assert_eq!(PRICE.cost(&usage(u64::MAX, u64::MAX)), MicroUsd(u64::MAX));
    assert_eq!(MicroUsd(1_234_567).to_string(), "$1.234567");
    assert_eq!(MicroUsd::from_usd(0.1), MicroUsd(100_000));
    assert_eq!(MicroUsd::from_usd(-1.0), MicroUsd(0));
    assert_eq!(MicroUsd::from_usd(f64::NAN), MicroUsd(0));
}

#[test]
fn s5_6_a_call_is_counted_when_its_intent_is_recorded() {
    let state = tell("user: hi; inference; calls: a, b; starts: 0; starts: 1; result: 0 x");
    assert_eq!(state.used().tool_calls, 2);
}

//! What holds for every journal, however it came about.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::budget::{Amounts, Budget, MicroUsd, Price};
use legwork_core::continuation::resolve;
use legwork_core::event::{self, InferenceStarted, Responded};
use legwork_core::journal::Journal;
use legwork_core::state::{CallSlot, CallStatus, SessionFacts, StepResult};
use legwork_core::{
    AgentState, CallId, Entry, ErrorRecord, Event, Message, ModelRequest, Owed, Part, Seq,
    SessionId, Timestamp, Usage,
};
use proptest::prelude::*;

use crate::arbitrary;
use crate::story::{blank, says, stamp, start};

/// The states of a live session, one after each event, and all of its entries.
fn live(events: Vec<Event>) -> (Vec<AgentState>, Vec<Arc<Entry>>) {
    let mut states = vec![blank()];
    for (count, event) in (1_001..).zip(events) {
        let moved = match &event {
            Event::HeadMoved(moved) => Some(moved.to),
            _ => None,
        };
        let mut state = states[states.len() - 1].clone().at(stamp(count)).with(event);
        if let Some(to) = moved {
            // A moved head is on another path, which is folded from the journal.
            let path = Journal::new(state.uncommitted().to_vec()).path(to);
            state = state.on_path(path);
        }
        // A run asks for it after each event.
        state.summary();
        states.push(state);
    }
    let entries = states[states.len() - 1].uncommitted().to_vec();
    (states, entries)
}

/// Whether a fork says what the path says, besides calls that were open and are skipped.
fn same_conversation(path: &AgentState, fork: &AgentState) -> Result<(), TestCaseError> {
    let (before, after) = (path.context(), fork.context());
    let whole = before.transcript.messages().len();
    let taken: Vec<_> = after.transcript.messages().iter().take(whole).collect();
    prop_assert!(before.transcript.messages().iter().eq(taken));
    prop_assert_eq!(&before.metadata, &after.metadata);
    prop_assert_eq!(&before.tools_shown, &after.tools_shown);
    prop_assert_eq!(before.steered, after.steered);
    let steps = |state: &AgentState| {
        let results = state.step_results();
        let step = |result: &Arc<StepResult>| {
            // Their entries have other numbers.
            let outcome = |slot: &CallSlot| slot.execution().map(|done| Arc::clone(&done.outcome));
            let slots = result.step.calls.iter();
            let calls = slots.map(|slot| (Arc::clone(&slot.call), outcome(slot)));
            (
                result.step.number,
                calls.collect::<Vec<_>>(),
                result.step.used,
                Arc::clone(&result.outcome),
                result.took,
            )
        };
        results.map(step).collect::<Vec<_>>()
    };
    prop_assert_eq!(steps(path), steps(fork));
    let mut calls = fork.current_step().into_iter().flat_map(|step| step.calls.iter());
    let answered = calls.all(|slot| slot.execution().is_some());
    prop_assert!(answered, "a call is open in a fork");
    // In a damaged journal an execution that is over may have calls that wait.
    let is_over = fork.status().is_some_and(|status| status.is_terminal());
    prop_assert!(is_over || fork.pending().is_empty(), "a call waits in a fork");
    if before.transcript.open_calls() == 0 && path.pending().is_empty() {
        prop_assert_eq!(path.status(), fork.status());
        prop_assert_eq!(before.transcript.messages().len(), after.transcript.messages().len());
    }
    Ok(())
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(arbitrary::event(), 0..40)
}

/// Sessions that begin as most do, so that steps get far.
fn run() -> impl Strategy<Value = Vec<Event>> {
    events().prop_map(|events| {
        let mut all = start(blank(), "hi").uncommitted().to_vec();
        let mut run: Vec<_> = all.drain(..).map(|entry| entry.event.clone()).collect();
        run.extend(events);
        run
    })
}

/// Each call has exactly one result, right behind its message, in call order.
fn calls_and_results(messages: &[Arc<Message>]) -> Result<(), TestCaseError> {
    let mut open: Vec<_> = Vec::new();
    for message in messages {
        let results: Vec<_> = message.parts.iter().filter_map(result).collect();
        prop_assert!(!results.is_empty() || open.is_empty(), "a call waits for its result");
        prop_assert!(results.len() <= open.len(), "a result answers no call");
        let due: Vec<_> = open.drain(..results.len()).collect();
        prop_assert_eq!(results, due, "results out of order");
        let calls: Vec<_> = message.tool_calls().map(|call| call.id.clone()).collect();
        prop_assert!(calls.is_empty() || open.is_empty(), "a turn in a turn");
        open.extend(calls);
    }
    prop_assert!(open.is_empty(), "a call has no result");
    Ok(())
}

fn result(part: &Part) -> Option<CallId> {
    match part {
        Part::ToolResult(result) => Some(result.call.clone()),
        _ => None,
    }
}

/// What is owed has all that it needs, and nothing that was done is owed again.
fn owed_can_be_done(state: &AgentState) -> Result<(), TestCaseError> {
    let owed = state.owed();
    let running = state.execution().filter(|execution| !execution.status.is_terminal());
    prop_assert_eq!(owed == Owed::Nothing, running.is_none());
    let Some(execution) = running else { return Ok(()) };
    let step = execution.current.as_ref();
    let failed = step.is_some_and(|step| step.errors.iter().any(ErrorRecord::ends_step));
    let response = step.and_then(|step| step.response.as_ref());
    let whole = response.is_some_and(|response| response.incomplete.is_none());
    let is_open = |slot: &CallSlot| !matches!(slot.status, CallStatus::Done(_));
    let open = whole && step.is_some_and(|step| step.calls.iter().any(is_open));
    let (stops, waits) = (!execution.signals.is_empty(), !execution.pending.is_empty());
    let fits = match owed {
        Owed::Infer => response.is_none() && !stops && !failed,
        // Beside a call in doubt nothing of its turn runs.
        Owed::JudgeCalls | Owed::RunCalls => {
            open && !execution.pending.iter().any(|pending| pending.reason.holds_turn())
        }
        Owed::Pause => open && waits,
        Owed::EndStep => step.is_some() && !open && (response.is_some() || failed || stops),
        Owed::Stop => step.is_none(),
        Owed::Nothing => false,
    };
    prop_assert!(fits, "{:?} of {:?}", owed, execution);
    Ok(())
}

fn at_most(part: &Amounts, whole: &Amounts) -> bool {
    part.steps <= whole.steps
        && part.tool_calls <= whole.tool_calls
        && part.input <= whole.input
        && part.output <= whole.output
        && part.cost <= whole.cost
        && part.active_time <= whole.active_time
}

#[test]
fn s1_7_s14_1_an_output_that_is_null_survives_json() {
    let begun = event::ExecutionStarted { input: Vec::new() };
    let value = Arc::new(serde_json::Value::Null);
    let accepted = event::OutputAccepted { value, call: None };
    let state = AgentState::new("s".into()).with(Event::ExecutionStarted(begun));
    let state = state.with(Event::OutputAccepted(accepted));
    assert_eq!(state.output(), Some(&Arc::default()));
    let text = serde_json::to_string(&state).unwrap();
    let back: AgentState = serde_json::from_str(&text).unwrap();
    assert_eq!((back.output(), &back), (Some(&Arc::default()), &state));
}

proptest! {
    #![proptest_config(arbitrary::cases(128))]

    #[test]
    fn s1_3_a_live_state_is_the_fold_of_its_entries(events in run()) {
        let (states, entries) = live(events);
        for (count, state) in states.iter().enumerate() {
            // Any prefix of a journal folds: to the state that it was then.
            let journal = Journal::new(entries[..count].to_vec());
            let folded = journal.fold(state.session());
            prop_assert_eq!(folded.facts(), state.facts(), "after {}", count);
            prop_assert_eq!(folded.context(), state.context(), "after {}", count);
            prop_assert_eq!(folded.execution(), state.execution(), "after {}", count);
            prop_assert_eq!(journal.head(), state.head());
        }
    }

    #[test]
    fn s8_7_a_summary_that_was_kept_is_the_one_made_anew(events in run()) {
        let (states, entries) = live(events);
        let journal = Journal::new(entries);
        for state in states {
            let anew = journal.before(state.version().next()).fold(state.session());
            let (kept, anew) = (state.summary(), anew.summary());
            prop_assert!(kept.says_the_same(anew), "{kept:?} is kept of {anew:?}");
        }
    }

    #[test]
    fn s1_3_applying_committed_entries_is_the_same_as_making_them(events in run()) {
        let events: Vec<_> =
            events.into_iter().filter(|event| !matches!(event, Event::HeadMoved(_))).collect();
        let (states, entries) = live(events);
        let applied = entries.iter().fold(blank(), |state, entry| state.apply(entry));
        prop_assert_eq!(&applied, &states[states.len() - 1]);
        prop_assert!(applied.uncommitted().is_empty());
    }

    #[test]
    fn s1_7_any_state_survives_json(events in run()) {
        let (states, _) = live(events);
        let state = &states[states.len() - 1];
        let text = serde_json::to_string(state).unwrap();
        let back: AgentState = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, state);
        prop_assert_eq!(back.uncommitted(), state.uncommitted());
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), text);
        let back: AgentState = serde_json::from_value(serde_json::to_value(state).unwrap()).unwrap();
        prop_assert_eq!(&back, state);
    }

    #[test]
    fn s10_1_what_is_owed_can_be_done_and_a_resumed_state_owes_the_same(events in run()) {
        let (states, entries) = live(events);
        for (count, state) in states.iter().enumerate() {
            owed_can_be_done(state)?;
            let resumed = Journal::new(entries[..count].to_vec()).fold(state.session());
            prop_assert_eq!(resumed.owed(), state.owed(), "after {}", count);
        }
    }

    #[test]
    fn s11_1_a_request_has_one_result_per_call_in_call_order(events in run()) {
        let (states, _) = live(events);
        for state in states {
            let transcript = &state.context().transcript;
            let weight: u64 = transcript.messages().iter().map(|message| message.weight()).sum();
            prop_assert_eq!(transcript.weight(), weight);
            let Some(settled) = transcript.settled() else { continue };
            let request = ModelRequest::new(settled, Arc::default());
            let messages: Vec<_> = request.messages().iter().cloned().collect();
            calls_and_results(&messages)?;
        }
    }

    #[test]
    fn s5_3_nothing_that_was_charged_is_ever_taken_back(events in run()) {
        let (states, _) = live(events);
        for pair in states.windows(2) {
            let [before, after] = [pair[0].ledger(), pair[1].ledger()];
            prop_assert!(at_most(&before.lifetime, &after.lifetime));
            prop_assert!(at_most(&after.spent, &after.lifetime));
            prop_assert!(at_most(&after.spent, &after.used_and_reserved()));
            let holders: BTreeSet<_> = after.reserved.iter().map(|held| (held.call, held.auxiliary)).collect();
            prop_assert_eq!(after.reserved.len(), holders.len());
            // What was held is charged by whatever ends the hold but a settlement.
            let settles = pair[1].uncommitted().last().is_some_and(|entry| {
                use Event::{
                    AuxiliaryFinished, AuxiliaryStarted, InferenceFailed, InferenceInterrupted, Responded, ToolFinished, ToolStarted,
                };
                matches!(
                    entry.event,
                    AuxiliaryFinished(_)
                        | AuxiliaryStarted(_)
                        | Responded(_)
                        | InferenceFailed(_)
                        | InferenceInterrupted(_)
                        | ToolFinished(_)
                        | ToolStarted(_)
                )
            });
            let held = before.reserved.iter().fold(before.lifetime, |sum, h| sum.plus(&h.amounts));
            if before.reserved != after.reserved && !settles {
                prop_assert!(at_most(&held, &after.lifetime));
            }
        }
    }

    #[test]
    fn s5_2_a_ledger_is_never_overspent_by_calls_that_keep_their_reserve(
        limits in prop::array::uniform4(prop::option::of(0u64..40_000)),
        prices in prop::array::uniform2(0u64..30_000_000),
        calls in prop::collection::vec((0u64..4_000, prop::option::of(0u64..6_000), 0u64..=100), 1..30),
    ) {
        let budget = Budget {
            input_tokens: limits[0],
            output_tokens: limits[1],
            total_tokens: limits[2],
            cost: limits[3].map(MicroUsd),
            ..Budget::unlimited()
        };
        let price = Price {
            input: MicroUsd(prices[0]),
            output: MicroUsd(prices[1]),
            cache_read: MicroUsd(0),
            cache_write: MicroUsd(0),
            cache_write_hour: None,
        };
        let mut state = start(blank().with_budget(budget.clone()), "hi");
        let within = |amounts: &Amounts| {
            budget.input_tokens.is_none_or(|limit| amounts.input <= limit)
                && budget.output_tokens.is_none_or(|limit| amounts.output <= limit)
                && budget.total_tokens.is_none_or(|limit| amounts.total_tokens() <= limit)
                && budget.cost.is_none_or(|limit| amounts.cost <= limit)
        };
        for (input, max_output, share) in calls {
            let (output, reserved) = match state.ledger().afford(input, max_output, Some(&price)) {
                Ok(affordable) => affordable,
                Err(refused) => {
                    prop_assert!(refused.used.saturating_add(refused.wanted) > refused.limit);
                    continue;
                }
            };
            let floor = max_output.unwrap_or(1_024).min(1_024);
            prop_assert!(output.is_none_or(|output| output >= floor), "below the floor");
            state = state.with(Event::InferenceStarted(InferenceStarted { reserved, tools: None, request: None }));
            prop_assert!(within(&state.ledger().used_and_reserved()), "{:?}", state.ledger());
            let output = reserved.output * share / 100;
            let usage = Usage { input: input * share / 100, output, ..Usage::default() };
            let charged = Amounts::of_usage(&usage, Some(&price));
            // One call in a while is cut off and never settles.
            if share != 50 {
                let response = Arc::new(says("x"));
                state = state.with(Event::Responded(Responded { response, charged }));
            }
            prop_assert!(within(&state.ledger().used_and_reserved()), "{:?}", state.ledger());
        }
    }

    #[test]
    fn s3_1_the_order_of_votes_does_not_matter(
        (votes, shuffled) in arbitrary::votes()
            .prop_flat_map(|votes| (Just(votes.clone()), Just(votes).prop_shuffle())),
    ) {
        prop_assert_eq!(resolve(&votes), resolve(&shuffled));
    }

    #[test]
    fn s1_4_every_change_extends_and_nothing_else_does(events in run()) {
        let (states, _) = live(events);
        let last = &states[states.len() - 1];
        // On another path everything begins anew.
        let is_move = |entry: &Arc<Entry>| matches!(entry.event, Event::HeadMoved(_));
        let moves = |state: &AgentState| state.uncommitted().last().is_some_and(is_move);
        let root = states.iter().rposition(moves).unwrap_or(0);
        for (count, state) in states.iter().enumerate() {
            prop_assert_eq!(last.extends(&state.mark()), count >= root);
            prop_assert!(count + 1 == states.len() || !state.extends(&last.mark()));
        }
        let forged: AgentState = serde_json::from_str(&serde_json::to_string(last).unwrap()).unwrap();
        prop_assert!(!forged.extends(&last.mark()));
    }

    #[test]
    fn s8_1_moving_the_head_keeps_the_facts_of_the_session(events in run(), to in 0u64..20) {
        let (states, _) = live(events);
        let before = &states[states.len() - 1];
        let to = legwork_core::Seq(to);
        let moved = Event::HeadMoved(legwork_core::event::HeadMoved { to });
        let after = before.clone().with(moved);
        let path = Journal::new(after.uncommitted().to_vec()).path(to);
        let after = after.on_path(path);
        let mut facts = after.facts().clone();
        prop_assert_eq!(facts.head, to);
        facts.head = before.facts().head;
        facts.version = before.facts().version;
        facts.moved = before.facts().moved;
        prop_assert_eq!(&facts, before.facts());
    }

    #[test]
    fn s8_1_what_is_charged_at_entries_sums_up_to_what_was_used(events in run()) {
        let (states, entries) = live(events);
        let journal = Journal::new(entries);
        let charges = journal.charges();
        let sum = charges.values().fold(Amounts::default(), |sum, one| sum.plus(one));
        let state = journal.fold(states[0].session());
        prop_assert_eq!(sum, state.facts().ledger.lifetime);
        let places = journal.places();
        for at in charges.keys().filter(|at| **at != Seq::ZERO) {
            prop_assert_eq!(places.get(at), Some(at), "it is of the conversation");
        }
    }

    #[test]
    fn s8_1_the_fold_of_a_fork_is_the_fold_of_the_path(events in run(), at in 1u64..40) {
        let (states, entries) = live(events);
        let journal = Journal::new(entries);
        let (from, into, at) = (states[0].session(), SessionId::new("fork"), Seq(at));
        let Ok(fork) = journal.fork(from, at, &into, Timestamp(9)) else {
            prop_assert!(at > journal.version());
            return Ok(());
        };
        let on_path = AgentState::fold(SessionFacts::new(from.clone()), journal.path(at));
        let forked = Journal::new(fork.clone()).fold(&into);
        same_conversation(&on_path, &forked)?;
        let facts = forked.facts();
        let mut new = SessionFacts::new(into.clone());
        (new.agent, new.started_at) = (facts.agent.clone(), Some(Timestamp(9)));
        (new.forked_from, new.given_title) = (facts.forked_from.clone(), facts.given_title.clone());
        (new.head, new.version, new.acted) = (facts.head, facts.version, facts.acted);
        let whole = journal.fold(from);
        let whole = whole.facts();
        new.moved = true;
        (new.definition, new.settings) = (whole.definition.clone(), whole.settings.clone());
        (new.own_definition, new.definition_digest) =
            (whole.own_definition.clone(), whole.definition_digest.clone());
        new.ledger.budget = whole.definition.budget.clone();
        prop_assert_eq!(facts, &new, "nothing of the session was copied");
        let numbers = (1..).zip(&fork).all(|(seq, entry)| {
            (entry.seq, entry.parent) == (Seq(seq), Seq(seq - 1))
        });
        prop_assert!(numbers, "the entries of a fork are one path: {fork:?}");
    }

    #[test]
    fn s8_4_entries_in_any_disorder_fold_and_never_panic(
        events in events(),
        numbers in prop::collection::vec((0u64..12, 0u64..12), 40),
    ) {
        let entries = events.into_iter().zip(numbers).map(|(event, (seq, parent))| {
            let (seq, parent) = (legwork_core::Seq(seq), legwork_core::Seq(parent));
            Arc::new(Entry { seq, parent, at: Default::default(), event })
        });
        let journal = Journal::new(entries.collect());
        let state = journal.fold(&"s".into());
        let _ = state.owed();
        let _ = state.with_message("and on").owed();
    }
}

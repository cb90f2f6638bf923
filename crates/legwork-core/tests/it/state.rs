//! S1: transitions, what is recorded and what is not, counts and statuses.

use std::sync::Arc;

use legwork_core::budget::Budget;
use legwork_core::continuation::{Criterion, StepsLimit, StopReason, defaults, evaluate};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{Defined, Definition, HeadMoved, ParentLink, SessionStarted};
use legwork_core::inbox::Label;
use legwork_core::journal::Journal;
use legwork_core::state::{Input, StepKind};
use legwork_core::{
    AgentState, Decision, ErrorRecord, Event, ExecutionStatus, Message, Micros, ModelRequest,
    ModelSettings, Seq, Timestamp,
};
use serde_json::{Value, json};

use crate::samples;
use crate::story::{blank, go_on, infer, owes, respond, says, stamp, start, tell, transcript};

#[test]
fn s1_1_a_transition_is_complete_in_one_event() {
    // The last outcome of a turn settles the transcript, a step's end counts its time.
    let state = tell("user: hi; inference; calls: a; result: 0 x; decides");
    assert!(state.context().transcript.settled().is_some());
    assert_eq!(state.used().active_time, Micros(1_000));
    assert_eq!(state.step_results().count(), 1);
    assert!(state.current_step().is_none());
}

#[test]
fn s1_2_transient_data_makes_no_entry_and_is_not_in_the_json() {
    let state = tell("user: hi; inference; calls: a; judged");
    let count = state.uncommitted().len();
    let settled = tell("user: hi");
    let request =
        ModelRequest::new(settled.context().transcript.settled().unwrap(), Arc::default());
    let state = state
        .with_current_request(Some(Arc::new(request)))
        .with_vote("hook", Decision::Request)
        .with_stop_prevented("hook");
    assert_eq!(state.uncommitted().len(), count);
    let back: AgentState = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
    assert_eq!(back, state);
    assert!(back.current_request().is_none() && back.votes().is_empty());
    assert!(back.stop_prevented().is_none() && !back.is_judged(0));
}

#[test]
fn s1_2_what_must_survive_a_crash_in_a_step_is_in_its_entries() {
    let story = "user: hi; inference; calls: a, b; starts: 0 read only; result: 0 x; starts: 1";
    let state = tell(story);
    let kinds: Vec<_> = state.uncommitted().iter().map(|e| e.event.kind().to_owned()).collect();
    let recorded = [
        "execution_started",
        "inference_started",
        "responded",
        "tool_started",
        "tool_finished",
        "tool_started",
    ];
    assert_eq!(kinds, recorded);
    assert_eq!(Journal::new(state.uncommitted().to_vec()).fold(state.session()), state);
}

#[test]
fn s1_3_moving_the_head_keeps_session_facts_and_refunds_nothing() {
    let state = tell(
        "user: hi; inference; calls: a; starts: 0; result: 0 x; decides; \
         steer: look here; follow up: later; inference; answer: done; decides",
    );
    let state = state.with_metadata("k", Some(json!(1)));
    let before = state.clone();
    let moved = state.with(Event::HeadMoved(HeadMoved { to: Seq(1) }));
    let journal = Journal::new(moved.uncommitted().to_vec());
    let moved = moved.on_path(journal.path(Seq(1)));
    assert_eq!(moved, journal.fold(moved.session()));
    // The conversation is that of the other path ...
    assert_eq!(transcript(&moved), ["user: hi"]);
    assert_eq!(moved.step_results().count(), 0);
    assert!(moved.context().metadata.is_empty());
    // ... the session is as it was.
    let (now, then) = (moved.facts(), before.facts());
    assert_eq!(now.ledger, then.ledger);
    assert_eq!(now.inbox_cursor, then.inbox_cursor);
    assert_eq!(now.executions, then.executions);
    assert_eq!(now.follow_ups, then.follow_ups);
    assert_eq!(now.head, Seq(1));
    assert_eq!(now.version, then.version.next());
    // The next entry is a child of the new head, with the next number.
    let after = go_on(moved, "inference");
    let entry = after.uncommitted().last().unwrap();
    assert_eq!((entry.parent, entry.seq), (Seq(1), then.version.next().next()));
    assert_eq!(after.ledger().spent.steps, then.ledger.spent.steps + 1);
}

#[test]
fn s1_5_a_limit_counts_what_happened_not_what_the_transcript_shows() {
    let state = tell("user: hi; inference; calls: a; result: 0 x; decides");
    let state = state.with_budget(Budget::unlimited().steps(1));
    let state = state.with(Event::HeadMoved(HeadMoved { to: Seq(1) }));
    let path = Journal::new(state.uncommitted().to_vec()).path(Seq(1));
    let state = state.on_path(path);
    assert_eq!(state.step_results().count(), 0);
    let limit = state.ledger().forbids_step(state.now().wall).unwrap();
    assert_eq!((limit.limit, limit.used), (1, 1));
    let vote = StepsLimit::new().decide(&state).unwrap();
    assert!(matches!(vote, Some(Decision::Forbid(_))), "{vote:?}");
}

#[test]
fn s1_6_every_error_is_in_the_state_with_its_source() {
    let state = tell("user: hi; error: before a step; inference; error: in it; fails: no answer");
    let errors: Vec<_> = state.errors().map(|e| (e.message.as_str(), e.source.clone())).collect();
    let hook = || ErrorSource::Hook("hook".into());
    let told = [("before a step", hook()), ("in it", hook()), ("no answer", ErrorSource::Model)];
    assert_eq!(errors, told);
    assert_eq!(state.current_error().unwrap().message, "no answer");
    assert_eq!(state.current_step().unwrap().kind(), StepKind::Error);
    // They stay when the step has ended.
    let state = go_on(state, "decides; ends");
    assert_eq!(state.errors().count(), 3);
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
}

/// A state with something in each of its fields.
fn full() -> AgentState {
    let definition = Definition { version: Some("2".into()), ..Default::default() };
    let digest = Some(definition.digest());
    let parent = ParentLink { session: "p".into(), call: "c9".into(), began: Timestamp(7) };
    let session = "s".into();
    let begun =
        SessionStarted { session, agent: "clerk".into(), parent: Some(parent), forked_from: None };
    let label = Label { entry: Seq(1), text: Some("here".to_owned()) };
    let state = blank()
        .at(stamp(1_000))
        .with(Event::SessionStarted(begun))
        .with(Event::Defined(Defined { definition: definition.into(), digest }))
        .with(Event::Labelled(label));
    let mut events = samples::entries().into_iter().map(|entry| entry.event.clone());
    let with_tools = events.find(|event| matches!(event, Event::InferenceStarted(_))).unwrap();
    let state = go_on(
        go_on(state, "user: hi\u{0}\u{2028}🧵; error: early").with(with_tools),
        "calls: a; outcome: 0 retry; decides; steer: look; \
         inference; calls: b, c, d; starts: 0; result: 0 x; starts: 1; starts: 2; pauses: 1, 2; \
         tell: 2; follow up: later; message: behind the result; error: odd; signal: who_knows",
    );
    state.with_metadata("k", Some(json!({"f": 0.1, "n": u64::MAX, "m": i64::MIN})))
}

#[test]
fn s1_7_a_state_survives_json_with_what_is_uncommitted() {
    let first = full();
    let half = first.clone().committed();
    for state in [first, go_on(half, "message: after a commit")] {
        let text = serde_json::to_string(&state).unwrap();
        for back in [
            serde_json::from_str::<AgentState>(&text).unwrap(),
            serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap(),
        ] {
            assert_eq!(back, state);
            assert_eq!(back.uncommitted(), state.uncommitted());
            assert_eq!(back.committed_version(), state.committed_version());
            assert_eq!(serde_json::to_string(&back).unwrap(), text);
            assert_eq!(back.owed(), state.owed());
            // It goes on as the one that was written does.
            let on = |state: AgentState| {
                go_on(state.at(stamp(9_000)).resumed(), "tell: 1; decides; ends")
            };
            assert_eq!(on(back.clone()), on(state.clone()));
            assert_eq!(on(back).uncommitted(), on(state.clone()).uncommitted());
        }
    }
}

#[test]
fn s1_7_the_state_that_survives_lacks_nothing() {
    let json = serde_json::to_value(full()).unwrap();
    for layer in ["facts", "context", "execution"] {
        let mut fields = json[layer].as_object().unwrap().clone();
        // Only the end of an execution sets it.
        fields.remove("completed_at");
        let empty = |value: &Value| {
            value.is_null() || *value == json!([]) || *value == json!({}) || *value == json!("")
        };
        let empty: Vec<_> = fields.iter().filter(|(_, v)| empty(v)).map(|(k, _)| k).collect();
        assert_eq!(empty, Vec::<&String>::new(), "{layer}: {fields:?}");
    }
}

#[test]
fn s1_7_a_commit_leaves_nothing_uncommitted_and_the_version_expected_next() {
    let state = tell("user: hi; inference");
    assert_eq!((state.version(), state.committed_version()), (Seq(2), Seq::ZERO));
    let committed = state.clone().committed();
    assert!(committed.uncommitted().is_empty());
    assert_eq!((committed.version(), committed.committed_version()), (Seq(2), Seq(2)));
    let next = go_on(committed, "answer: hello");
    assert_eq!((next.version(), next.committed_version()), (Seq(3), Seq(2)));
    let numbers: Vec<_> = next.uncommitted().iter().map(|entry| entry.seq).collect();
    assert_eq!(numbers, [Seq(3)]);
    // What a store has is the same journal, whenever it was committed.
    let at_once = go_on(state, "answer: hello");
    assert_eq!(next, at_once);
    assert_eq!(at_once.uncommitted().get(2).unwrap(), next.uncommitted().get(0).unwrap());
}

#[test]
fn s1_8_a_step_is_timed_on_the_monotonic_clock() {
    let state = go_on(blank().at(stamp(5_000)), "user: hi; inference");
    let mut later = stamp(9_000);
    later.wall = legwork_core::Timestamp(1); // The wall clock was set back.
    let state = state.at(later);
    assert_eq!(state.step_time(), Micros(4_000_000));
    assert_eq!(go_on(state.clone(), "inference").step_time(), Micros(4_000_000));
    // Of these, it was idle for three.
    assert_eq!(state.clone().idled(Micros(3_000_000)).step_time(), Micros(1_000_000));
    // A process that takes the step up starts at zero.
    assert_eq!(state.resumed().step_time(), Micros::ZERO);
}

#[test]
fn s1_8_active_time_is_the_sum_of_the_steps() {
    let state = tell(
        "user: hi; inference; calls: a; result: 0 x; decides; inference; answer: done; decides",
    );
    assert_eq!(state.ledger().spent.active_time, Micros(2_000));
}

#[test]
fn s1_9_new_input_starts_a_fresh_execution_with_the_context_it_had() {
    let first = tell("user: hi; inference; answer: hello; decides; ends");
    assert_eq!(first.facts().executions, 1);
    let events = first.decide(Input::Start(vec![Message::user("again")])).unwrap();
    let second = events.into_iter().fold(first.clone(), AgentState::with);
    assert_eq!(second.facts().executions, 2);
    assert_eq!(transcript(&second), ["user: hi", "assistant: hello", "user: again"]);
    assert_eq!(second.step_results().count(), 0);
    assert_eq!(second.used().steps, 0);
    assert_eq!(second.ledger().lifetime.steps, 1);
    assert_ne!(second.execution().unwrap().id, first.execution().unwrap().id);
    assert_eq!(owes(&second), "asks the model");
}

#[test]
fn s1_9_a_reopened_execution_goes_on_with_its_steps_and_what_it_used() {
    let state = tell("user: hi; inference; calls: a; result: 0 x; decides");
    let limit = state.clone().with_budget(Budget::unlimited().steps(1));
    let limit = limit.ledger().forbids_step(limit.now().wall).unwrap();
    let signal = legwork_core::StopSignal::limit("budget", limit);
    let state = go_on(state.with_stop_signal(signal), "ends");
    assert_eq!(state.status(), Some(&ExecutionStatus::Stopped));
    let events = state.with_budget(Budget::unlimited().steps(2));
    let state = events
        .decide_reopen(&legwork_core::continuation::defaults())
        .unwrap()
        .into_iter()
        .fold(events, AgentState::with);
    assert_eq!(state.status(), Some(&ExecutionStatus::InProgress));
    assert_eq!(owes(&state), "asks the model");
    assert_eq!((state.step_results().count(), state.used().steps), (1, 1));
    assert!(state.stop_signals().is_empty());
}

#[test]
fn s1_11_what_is_changed_in_the_state_is_what_the_next_inference_uses() {
    let settings = ModelSettings { model: "openai:other".into(), ..Default::default() };
    let state = tell("user: hi")
        .with_instructions("Be brief.")
        .with_settings(settings.clone())
        .with_budget(Budget::unlimited().steps(3));
    assert_eq!(&**state.instructions(), "Be brief.");
    assert_eq!(state.settings(), &settings);
    assert_eq!(state.ledger().budget, Budget::unlimited().steps(3));
    // The change is recorded, and not taken for the agent's own definition.
    let back = Journal::new(state.uncommitted().to_vec()).fold(state.session());
    assert_eq!(back, state);
    assert!(back.facts().definition_digest.is_none());
    let definition = Definition { version: Some("2".into()), ..Default::default() };
    let digest = definition.digest();
    let own = Defined { definition: definition.into(), digest: Some(digest.clone()) };
    let state = state.with(Event::Defined(own));
    assert_eq!(state.facts().definition_digest.as_ref(), Some(&digest));
    assert_eq!(&**state.instructions(), "");
}

#[test]
fn s13_9_a_digest_of_another_definition_vouches_for_none() {
    let own = Definition { instructions: "Be brief.".into(), ..Default::default() };
    let digest = own.digest();
    let forged = [
        Definition { instructions: "Obey.".into(), ..own.clone() },
        Definition { budget: Budget::unlimited().steps(u64::MAX), ..own.clone() },
        Definition { version: Some("2".into()), ..own.clone() },
    ];
    for definition in forged {
        let defined = Defined { definition: definition.into(), digest: Some(digest.clone()) };
        let state = blank().with(Event::Defined(defined));
        assert_eq!(state.facts().definition_digest, None);
        // A definition of the same digest before it is not the one that holds.
        let state = state.with(Event::Defined(Defined {
            definition: own.clone().into(),
            digest: Some(digest.clone()),
        }));
        assert_eq!(state.facts().definition_digest, Some(digest.clone()));
    }
}

#[test]
fn s1_1_the_status_follows_from_the_reason() {
    let table = [
        (StopReason::Completed, ExecutionStatus::Completed),
        (StopReason::FinishReason, ExecutionStatus::Completed),
        (StopReason::StepsLimit, ExecutionStatus::Stopped),
        (StopReason::TokenLimit, ExecutionStatus::Stopped),
        (StopReason::CostLimit, ExecutionStatus::Stopped),
        (StopReason::TimeLimit, ExecutionStatus::Stopped),
        (StopReason::ToolCallsLimit, ExecutionStatus::Stopped),
        (StopReason::StopRequested, ExecutionStatus::Stopped),
        (StopReason::Unknown, ExecutionStatus::Stopped),
        (StopReason::Error, ExecutionStatus::Failed),
        (StopReason::RetryLimit, ExecutionStatus::Failed),
        (StopReason::UserRequested, ExecutionStatus::Cancelled),
    ];
    for (reason, status) in table {
        assert_eq!(ExecutionStatus::from(&reason), status, "{reason}");
        assert!(status.is_terminal() && !status.is_waiting());
    }
    for status in [ExecutionStatus::AwaitingApproval, ExecutionStatus::AwaitingInput] {
        assert!(!status.is_terminal() && status.is_waiting());
    }
    assert!(!ExecutionStatus::InProgress.is_terminal());
}

#[test]
fn s6_3_failures_in_a_row_are_counted_by_tool_until_it_succeeds() {
    let turn = |outcome: &str| format!("inference; calls: a; outcome: 0 {outcome}; decides;");
    let retries = |story: &str| {
        let state = tell(&format!("user: hi; {story}"));
        state.execution().unwrap().retries.get("a").copied().unwrap_or(0)
    };
    assert_eq!(retries(&[turn("retry"), turn("invalid")].concat()), 2);
    assert_eq!(retries(&[turn("retry"), turn("skipped"), turn("retry")].concat()), 2);
    let success = "inference; calls: a, b; result: 0 x; outcome: 1 retry; decides;";
    assert_eq!(retries(&[&turn("retry"), success].concat()), 0);
}

#[test]
fn s1_4_a_violation_is_an_error_of_its_hook_and_ends_no_step() {
    let source = ErrorSource::Hook("forger".into());
    let error = ErrorRecord::new(source, ErrorKind::Lineage, "handed back a foreign state");
    for story in ["user: hi", "user: hi; inference", "user: hi; inference; calls: a"] {
        let before = tell(story);
        let state = before.clone().with_error(error.clone());
        assert_eq!(state.owed(), before.owed(), "{story}");
        assert_eq!(state.errors().collect::<Vec<_>>(), [&error], "{story}");
        // Whoever reads the journal finds it.
        let read = Journal::new(state.uncommitted().to_vec()).fold(state.session());
        assert_eq!(read.errors().collect::<Vec<_>>(), [&error], "{story}");
    }
    // The execution ends as if there had been none.
    let state = tell("user: hi; inference").with_error(error);
    let state = go_on(state, "answer: done");
    let outcome = evaluate(&defaults(), &state);
    assert_eq!(outcome.stop_reason(), Some(&StopReason::Completed), "{}", outcome.explain());
}

#[test]
fn s1_7_a_slim_form_names_what_is_large_by_its_digest_and_keeps_the_rest() {
    let large = "x".repeat(5_000);
    let mut response = says("short");
    response.raw.insert("service_tier".into(), "default".into());
    let state = respond(infer(start(blank(), "go"), 10, 10), response, None);
    let state = state.with_message(Message::user(large.clone()));
    let slim = state.slim(1_000).unwrap();
    let text = slim.to_string();
    assert!(!text.contains("service_tier") && !text.contains(&large), "{text}");
    assert!(text.contains("short"));
    let digest = legwork_core::Digest::of_bytes(large.as_bytes());
    let named = format!(r#"{{"bytes":5000,"left_out":"{}"}}"#, digest.as_str());
    assert!(text.contains(&named), "{text}");
    // With a large limit nothing is left out.
    let whole = state.slim(usize::MAX).unwrap();
    assert!(whole.to_string().contains(&large));
}

#[test]
fn s5_2_the_minimum_of_output_tokens_can_be_set() {
    let afford = |budget: Budget| {
        let ledger = legwork_core::Ledger { budget, ..Default::default() };
        ledger.afford(100, Some(4_000), None).map(|(output, _)| output)
    };
    assert!(afford(Budget::unlimited().tokens(600)).is_err());
    assert_eq!(afford(Budget::unlimited().tokens(600).output_floor(500)), Ok(Some(500)));
    assert!(afford(Budget::unlimited().tokens(599).output_floor(500)).is_err());
}

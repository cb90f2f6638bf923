//! What a model reads of a conversation, as far as the state says it.

use std::sync::Arc;

use legwork_core::budget::{Amounts, MicroUsd};
use legwork_core::event::{
    AuxiliaryFinished, AuxiliaryStarted, Compacted, CompactionCause, InferenceInterrupted, Purpose,
    ResultCompared, ResultKey, ResultSummarised,
};
use legwork_core::journal::Journal;
use legwork_core::message::{App, Malformed};
use legwork_core::metadata::PINNED;
use legwork_core::state::{Context, Input};
use legwork_core::{
    AgentState, Event, Message, ModelRequest, Response, Role, Seq, SessionId, StopReason,
    StopSignal, Timestamp, Usage,
};
use serde_json::json;

use crate::story::{blank, go_on, infer, says, tell};

fn amounts(input: u64) -> Amounts {
    Amounts { steps: 1, input, cost: MicroUsd(input), ..Amounts::default() }
}

fn begins(state: AgentState, input: u64) -> AgentState {
    let (purpose, reserved) = (Purpose::Compaction, amounts(input));
    state.with(Event::AuxiliaryStarted(AuxiliaryStarted { purpose, model: None, reserved }))
}

fn ends(state: AgentState, input: u64) -> AgentState {
    let charged = amounts(input);
    state.with(Event::AuxiliaryFinished(AuxiliaryFinished { charged, error: None }.into()))
}

fn compacts(state: AgentState, first_kept: u64, summary: &str) -> AgentState {
    state.with(Event::Compacted(Arc::new(Compacted {
        summary: summary.to_owned(),
        first_kept: Seq(first_kept),
        also_kept: Vec::new(),
        cause: CompactionCause::Manual,
        tokens_before: 0,
        files_read: Vec::new(),
        files_changed: Vec::new(),
        open_tasks: Vec::new(),
    })))
}

fn note() -> Message {
    Message::of_app(App::new("note", json!({"text": "for people"})))
}

#[test]
fn s9_4_a_message_of_a_program_is_in_the_transcript_and_in_no_request() {
    let state = tell("user: hi").with_message(note()).with_message("and this");
    let transcript = &state.context().transcript;
    assert_eq!((transcript.messages().len(), transcript.app_messages()), (3, 1));
    let request = ModelRequest::new(transcript.settled().unwrap(), Arc::default());
    let request = request.with_message(note());
    let texts: Vec<_> = request.messages().iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["hi", "and this"]);
    let weight: u64 = request.messages().iter().map(|message| message.weight()).sum();
    assert_eq!(request.weight(), weight);
    let shown = transcript.settled().unwrap();
    let all = ModelRequest::rendered(shown, Arc::default(), Arc::clone);
    assert_eq!(all.messages().len(), 2);
}

#[test]
fn s9_1_without_messages_of_programs_a_request_shares_the_transcript() {
    let state = tell("user: hi; message: a; message: b");
    let transcript = &state.context().transcript;
    let request = ModelRequest::new(transcript.settled().unwrap(), Arc::default());
    let same = |(one, other): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, other);
    assert!(request.messages().iter().zip(transcript.messages().iter()).all(same));
    // The last chunk is one allocation with two owners: nothing was copied.
    let shared = [request.messages(), transcript.messages()].map(|all| all.to_shared());
    assert!(Arc::ptr_eq(&shared[0], &shared[1]));
}

#[test]
fn s9_4_only_a_user_message_is_a_programs_own() {
    let mut misplaced = note();
    misplaced.role = Role::Assistant;
    let refused = misplaced.check().unwrap_err();
    assert_eq!(refused, Malformed::MisplacedApp { role: Role::Assistant });
    assert_eq!(note().check(), Ok(()));
    assert!(blank().decide(Input::Start(vec![note()])).is_ok());
    assert!(blank().decide(Input::Start(vec![misplaced])).is_err());
}

#[test]
fn s9_4_data_that_is_nested_too_deeply_is_kept_as_text() {
    let deep = (0..300).fold(json!(1), |inside, _| json!([inside]));
    let app = App::new("deep", deep.clone());
    let message = Message::of_app(app.clone());
    assert_eq!(message.check(), Ok(()));
    assert_eq!(app.data.value(), json!(deep.to_string()));
    let state = tell("user: hi").with_message(message);
    let last = state.uncommitted().last().unwrap();
    assert_eq!(legwork_core::Entry::decode(&last.encode().unwrap()).unwrap(), **last);
}

#[test]
fn s9_3_an_inference_that_is_no_step_is_reserved_and_settled_and_counts_no_step() {
    let state = begins(tell("user: hi"), 70);
    let used = state.ledger().used_and_reserved();
    assert_eq!((used.steps, used.input, used.cost), (0, 70, MicroUsd(70)));
    assert!(state.ledger().inference().is_none() && state.current_step().is_none());
    let state = ends(state, 50);
    assert!(state.ledger().auxiliary().is_none());
    let used = state.ledger().used_and_reserved();
    assert_eq!((used.steps, used.input, used.cost), (0, 50, MicroUsd(50)));
}

#[test]
fn s9_3_one_that_broke_off_is_charged_as_it_was_reserved() {
    let broken = begins(tell("user: hi"), 70);
    // By the next inference, by the next one that is no step, and by the next execution.
    let next = infer(broken.clone(), 5, 0);
    assert_eq!((next.used().input, next.used().estimated), (70, true));
    let again = begins(broken.clone(), 30);
    assert_eq!((again.used().input, again.ledger().used_and_reserved().input), (70, 100));
    let other = go_on(
        broken.with_stop_signal(StopSignal::new(StopReason::UserRequested, "test", "enough")),
        "ends; user: more",
    );
    assert_eq!((other.used().input, other.session_used().input), (0, 70));
}

#[test]
fn s9_3_an_answer_without_a_usage_is_charged_by_what_was_held_for_it() {
    // What is held for a step beside it does not count.
    let state = begins(infer(tell("user: hi"), 5, 0), 70);
    let ledger = state.ledger();
    let says = |usage| Response { usage, ..says("a summary") };
    let held = ledger.held_for_auxiliary();
    let counted = held.for_response(&says(None), None);
    assert_eq!((counted.input, counted.estimated), (70, true));
    let usage = Some(Usage { input: 50, output: 3, ..Usage::default() });
    let real = held.for_response(&says(usage), None);
    assert_eq!((real.input, real.output, real.estimated), (50, 3, false));
    assert_eq!(ledger.held().for_response(&says(None), None).input, 5);
    assert_eq!(ledger.held_for_auxiliary().input, 70);
    assert!(tell("user: hi").ledger().held_for_auxiliary().is_zero());
}

#[test]
fn s9_3_an_inference_and_one_that_is_no_step_hold_their_own() {
    let state = begins(infer(tell("user: hi"), 5, 0), 70);
    assert_eq!(state.ledger().used_and_reserved().input, 75);
    let charged = Amounts::default();
    let left = Event::InferenceInterrupted(InferenceInterrupted { charged });
    let state = state.with(left);
    assert_eq!(state.ledger().used_and_reserved().input, 70);
    assert_eq!(ends(state, 1).ledger().used_and_reserved().input, 1);
}

const TALK: &str = "user: hi; inference; calls: a, b; result: 0 x; result: 1 y; decides;
                    inference; answer: ok; decides; ends; user: more";

#[test]
fn s9_5_a_compaction_keeps_the_transcript_and_says_from_where_it_is_read() {
    let state = tell(TALK);
    let transcript = &state.context().transcript;
    let answer = transcript.entry(4).unwrap();
    let compacted = compacts(state.clone(), answer.0, "so far");
    assert_eq!(compacted.context().transcript, *transcript);
    let compaction = compacted.context().compaction.clone().unwrap();
    let before: u64 = transcript.messages().iter().take(4).map(|message| message.weight()).sum();
    assert_eq!((compaction.first, compaction.weight_before), (4, before));
    // The next one goes on from there.
    let last = transcript.entry(5).unwrap();
    let again = compacts(compacted, last.0, "all").context().compaction.clone().unwrap();
    let before: u64 = transcript.messages().iter().take(5).map(|message| message.weight()).sum();
    assert_eq!((again.first, again.weight_before), (5, before));
}

#[test]
fn s9_5_a_compaction_that_would_part_a_call_from_its_result_has_no_effect() {
    let state = tell(TALK);
    let transcript = &state.context().transcript;
    let compacts = |first: u64| compacts(state.clone(), first, "s").context().compaction.is_some();
    let at = |index: usize| compacts(transcript.entry(index).unwrap().0);
    assert_eq!((0..6).map(at).collect::<Vec<_>>(), [false, true, false, false, true, true]);
    assert!(!compacts(99), "there is no such message");
}

#[test]
fn s9_5_tokens_are_those_that_the_provider_counted_and_an_estimate_of_the_rest() {
    let state = tell("user: hi");
    assert_eq!((state.tokens().measured, state.tokens().estimated), (0, 6));
    let state = go_on(state, "inference; calls: a; result: 0 y");
    // The result and nothing else is estimated: the answer was counted.
    let result = state.context().transcript.messages().last().unwrap().weight();
    assert_eq!(state.tokens().measured, 110);
    assert_eq!(state.tokens().estimated, result.div_ceil(3));
}

#[test]
fn s9_5_a_usage_from_before_a_compaction_is_not_used() {
    let state = tell(TALK);
    let answer = state.context().transcript.entry(4).unwrap();
    assert_eq!(state.tokens().measured, 110);
    let compacted = compacts(state, answer.0, &"s".repeat(300));
    let rest: u64 =
        compacted.context().transcript.messages().iter_from(4).map(|m| m.weight()).sum();
    let tokens = compacted.tokens();
    assert_eq!((tokens.measured, tokens.estimated), (0, (rest + 300).div_ceil(3)));
    let on = go_on(compacted, "inference; answer: fine");
    assert_eq!((on.tokens().measured, on.tokens().estimated), (110, 0));
}

#[test]
fn s8_1_a_fork_is_read_as_the_path_that_it_was_made_of() {
    let state = tell(TALK);
    let transcript = &state.context().transcript;
    let (turn, answer) = (transcript.entry(1).unwrap(), transcript.entry(4).unwrap());
    let result = ResultKey { entry: turn, index: 1 };
    let compared = ResultCompared { result, repeats: Some(ResultKey { index: 0, ..result }) };
    let summarised = ResultSummarised { result, summary: "short".to_owned() };
    let state = ends(begins(state.clone(), 70), 50);
    let state = state.with_metadata(PINNED, Some(json!([turn, "no number"])));
    let state = state.with(Event::ResultSummarised(Arc::new(summarised)));
    let state = compacts(state.with(Event::ResultCompared(compared)), answer.0, "so far");
    let (into, time) = (SessionId::new("fork"), Timestamp(5));
    let journal = Journal::new(state.uncommitted().to_vec());
    let entries = journal.fork(state.session(), state.version(), &into, time).unwrap();
    let fork = Journal::new(entries).fold(&into);
    let (old, new) = (state.context(), fork.context());
    let at = |context: &Context, entry: Seq| context.transcript.first_of(entry);
    let first = |context: &Context| context.compaction.as_ref().map(|compaction| compaction.first);
    assert_eq!((first(new), first(old)), (Some(4), Some(4)));
    let result = new.result_summaries.first().unwrap().result;
    assert_eq!((at(new, result.entry), result.index), (Some(1), 1));
    let compared = new.comparisons.first().unwrap();
    assert_eq!(compared.repeats, Some(ResultKey { index: 0, ..compared.result }));
    assert_eq!(new.metadata[PINNED], json!([result.entry, "no number"]));
    assert!(fork.session_used().is_zero());
}

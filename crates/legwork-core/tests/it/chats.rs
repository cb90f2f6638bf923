//! S4.2: a chat, built from a text such as `turn: Ann; says: hi; ends`.

use std::sync::Arc;

use legwork_core::budget::{Amounts, Dimension};
use legwork_core::continuation::{Kind, evaluate, forbids_step};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::orchestrate::{
    BudgetLimit, ChatState, Concluded, Conversation, Refusal, Said, Turn, TurnErrors, Turns,
};
use legwork_core::{
    Budget, Criterion, Decision, ErrorRecord, ExecutionStatus, Message, Micros, Part, Progress,
    SessionId, StepResult, StopReason, StopSignal,
};

use crate::story::{stamp, tell};

/// A chat of Ann and Bob before the first line, with the time set.
pub(crate) fn blank() -> ChatState {
    ChatState::new(SessionId::new("chat"), ["Ann", "Bob"], Budget::unlimited()).at(stamp(1_000))
}

/// The conversation that a story amounts to; lines end with a line break or a semicolon.
pub(crate) fn talk(story: &str) -> ChatState {
    go_on(blank(), story)
}

/// The conversation after more of a story.
pub(crate) fn go_on<S: Conversation>(state: S, story: &str) -> S {
    let lines = story.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
    lines.fold(state, line)
}

fn line<S: Conversation>(state: S, line: &str) -> S {
    let (verb, rest) = line.split_once(':').unwrap_or((line, ""));
    let rest = rest.trim();
    let is_status = ExecutionStatus::from(rest);
    match verb {
        "turn" => state.map_chat(|chat| chat.with_turn(rest)),
        "says" => state.map_chat(|chat| {
            chat.with_spoken(|turn| {
                turn.message =
                    Some(Arc::new(Message::assistant(vec![Part::text(rest.to_owned())])));
                turn.used = Amounts { input: 100, output: 10, ..Amounts::default() };
            })
        }),
        "concludes" => state.map_chat(|chat| chat.with_spoken(|turn| turn.concludes = true)),
        "rests" => state.map_chat(|chat| chat.with_rest(is_status, None)),
        "rests within" => {
            state.map_chat(|chat| chat.with_rest(is_status, Some(tell("user: hi; inference"))))
        }
        "message" => state.map_chat(|chat| chat.with_message("user", rest)),
        "answer" => state.map_chat(|chat| chat.with_answer(rest).unwrap()),
        "error" => state.map_chat(|chat| chat.with_error(error(rest))),
        "signal" => {
            let signal = StopSignal::new(rest.into(), "test", "it is told");
            state.map_chat(|chat| chat.with_stop_signal(signal))
        }
        "decides" => {
            let outcome = evaluate(&criteria(), &state);
            state.map_chat(|chat| chat.with_provisional_outcome(Some(outcome)))
        }
        "ends" => ends(state),
        other => panic!("the story has no line `{other}`"),
    }
}

/// What a conversation goes on by.
pub(crate) fn criteria<S: Conversation>() -> Vec<Arc<dyn Criterion<S>>> {
    vec![
        Arc::new(Turns),
        Arc::new(legwork_core::continuation::Signals),
        Arc::new(TurnErrors),
        Arc::new(BudgetLimit),
        Arc::new(Concluded),
        Arc::new(Said::new("DONE")),
    ]
}

fn ends<S: Conversation>(state: S) -> S {
    let outcome = evaluate(&criteria(), &state);
    let step = Arc::new(state.chat().current_step().unwrap().clone());
    let (took, completed_at) = (Micros(5), state.chat().now().wall);
    state.record_step_result(StepResult { step, outcome, took, completed_at })
}

fn error(words: &str) -> ErrorRecord {
    ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, words)
}

/// The transcript, a line for each message.
fn transcript(state: &ChatState) -> Vec<String> {
    state.transcript().iter().map(|l| format!("{}: {}", l.speaker, l.message.text())).collect()
}

#[test]
fn s4_2_before_the_first_turn_there_is_nothing_to_say() {
    let state = blank();
    assert_eq!(state.id(), &SessionId::new("chat"));
    let names: Vec<_> = state.participants().iter().map(|name| &**name).collect();
    assert_eq!(names, ["Ann", "Bob"]);
    assert_eq!((state.transcript().len(), state.text()), (0, String::new()));
    assert_eq!(state.now(), stamp(1_000));
    assert!(state.current_step().is_none() && state.current_agent().is_none());
    assert!(state.waits_for().is_none() && state.last_turn_of("Ann").is_none());
    assert_eq!((state.turns_of("Ann"), state.errors_by_speaker().count()), (0, 0));
}

#[test]
fn s4_2_turns_fill_the_transcript_and_are_counted_by_speaker() {
    let state = talk("message: Fruit?; turn: Ann; says: Apples.; ends");
    let state = go_on(state, "turn: Bob; says: Pears.; ends; turn: Ann; says: Both.; ends");
    assert_eq!(transcript(&state), ["user: Fruit?", "Ann: Apples.", "Bob: Pears.", "Ann: Both."]);
    assert_eq!(state.text(), "Both.");
    let turns = |speaker| state.turns_of(speaker);
    assert_eq!((turns("Ann"), turns("Bob"), turns("Cid")), (2, 1, 0));
    let last = |speaker: &str| state.last_turn_of(speaker).map(|turn| (turn.number, turn.text()));
    assert_eq!(last("Ann"), Some((3, "Both.".to_owned())));
    assert_eq!(last("Bob"), Some((2, "Pears.".to_owned())));
    assert_eq!(last("Cid"), None);
    let bob = state.last_turn_of("Bob").unwrap();
    assert_eq!((bob.input_cut, bob.started_at), (2, stamp(1_000).wall));
}

#[test]
fn s4_2_a_turn_is_a_step_of_the_ledger() {
    let state = talk("turn: Ann; says: hi; ends; turn: Bob; says: ho; ends");
    let spent = state.ledger().spent;
    assert_eq!((spent.steps, spent.input, spent.output), (2, 200, 20));
    let used = Amounts { input: 7, ..Amounts::default() };
    let state = state.with_used(&used);
    assert_eq!((state.ledger().spent.steps, state.ledger().spent.input), (2, 207));
    assert_eq!(state.used(), &state.ledger().spent);
}

#[test]
fn s4_2_a_turn_keeps_its_speaker_until_it_is_over() {
    let state = talk("turn: Ann");
    let turn = state.current_step().unwrap();
    assert_eq!((turn.number, &*turn.speaker, turn.text()), (1, "Ann", String::new()));
    assert_eq!(go_on(state.clone(), "turn: Bob"), state);
    let state = go_on(state, "says: hi; ends; turn: Bob");
    assert_eq!(&*state.current_step().unwrap().speaker, "Bob");
    // A turn without a message adds no line.
    let state = go_on(state, "concludes; ends");
    assert_eq!((transcript(&state).len(), state.turns_of("Bob")), (1, 1));
}

#[test]
fn s4_2_without_a_turn_nothing_is_spoken_and_none_is_recorded() {
    let state = talk("turn: Ann; says: hi; ends");
    assert_eq!(go_on(state.clone(), "says: ho"), state);
    let result = StepResult::clone(state.last_step_result().unwrap());
    assert_eq!(state.clone().record_step_result(result), state);
}

#[test]
fn s4_2_a_conversation_waits_for_the_person_whose_turn_it_is() {
    let state = talk("turn: Ann");
    assert_eq!(state.waits_for(), None);
    let state = go_on(state, "rests: awaiting_input");
    assert_eq!((state.waits_for(), state.has_next()), (Some("Ann"), false));
    let state = go_on(state, "answer: Yes.");
    assert_eq!((state.waits_for(), state.has_next()), (None, true));
    assert_eq!(state.current_step().unwrap().text(), "Yes.");
}

#[test]
fn s4_2_an_answer_is_taken_only_from_a_person_who_is_waited_for() {
    let table = [
        ("", "in_progress"),
        ("rests: awaiting_input", "awaiting_input"),
        ("turn: Ann", "in_progress"),
        ("turn: Ann; rests: awaiting_approval", "awaiting_approval"),
        ("turn: Ann; rests within: awaiting_input", "awaiting_input"),
        ("turn: Ann; says: hi; ends", "in_progress"),
        ("turn: Ann; says: DONE; ends", "completed"),
    ];
    for (story, status) in table {
        let refused = talk(story).with_answer("Yes.").unwrap_err();
        assert_eq!(refused, Refusal::NotWaiting { status: status.to_owned() }, "{story}");
        assert!(refused.to_string().contains(status), "{refused}");
    }
    let waits = talk("turn: Ann; rests: awaiting_input");
    assert_eq!(waits.with_answer(Message::assistant(vec![])), Err(Refusal::Empty));
}

#[test]
fn s4_2_an_agent_whose_turn_rests_is_kept_until_the_turn_is_over() {
    let state = talk("turn: Ann; rests within: awaiting_approval");
    assert_eq!(state.current_agent(), Some(&tell("user: hi; inference")));
    assert_eq!(state.waits_for(), Some("Ann"));
    let state = go_on(state, "says: hi");
    assert!(state.current_agent().is_none() && state.has_next());
}

#[test]
fn s4_2_errors_are_those_of_the_conversation_and_then_of_each_speaker() {
    let state = talk("error: nobody can be chosen; turn: Ann; error: too hot; says: hi; ends");
    let state = go_on(state, "turn: Bob; error: too cold");
    let by_speaker: Vec<_> =
        state.errors_by_speaker().map(|(speaker, error)| (speaker, &*error.message)).collect();
    assert_eq!(by_speaker, [("Ann", "too hot"), ("Bob", "too cold")]);
    let all: Vec<_> = state.errors().map(|error| &*error.message).collect();
    assert_eq!(all, ["nobody can be chosen", "too hot", "too cold"]);
}

#[test]
fn s4_2_a_conversation_ends_as_its_criteria_say() {
    let table = [
        ("turn: Ann; says: hi; ends", "in_progress", "turns"),
        ("turn: Ann; concludes; ends", "completed", "concluded"),
        ("turn: Ann; says: it is DONE now; ends", "completed", "said"),
        ("turn: Ann; says: it is done; ends", "in_progress", "turns"),
        ("turn: Ann; says: hi; error: too hot; ends", "failed", "errors"),
        ("turn: Ann; says: hi; signal: user_requested; ends", "cancelled", "signals"),
        ("turn: Ann; concludes; error: too hot; ends", "failed", "errors"),
    ];
    for (story, status, by) in table {
        let state = talk(story);
        assert_eq!(state.status(), Some(&status.into()), "{story}");
        let outcome = state.continuation_outcome().unwrap();
        assert_eq!(outcome.by, by, "{story}");
        assert_eq!(state.has_next(), status == "in_progress", "{story}");
        assert!(state.votes().is_empty() && state.ending_step().is_none(), "{story}");
    }
}

#[test]
fn s4_2_each_criterion_has_its_name_and_words() {
    let names: Vec<_> = criteria::<ChatState>().iter().map(|c| c.name().to_owned()).collect();
    assert_eq!(names, ["turns", "signals", "errors", "budget", "concluded", "said"]);
    let limits = criteria::<ChatState>();
    let limits: Vec<_> =
        limits.iter().filter(|criterion| criterion.kind() == Kind::Limit).collect();
    assert_eq!(limits.iter().map(|limit| limit.name()).collect::<Vec<_>>(), ["budget"]);
    let says = |story: &str| evaluate(&criteria(), &talk(story)).explain();
    assert_eq!(says("turn: Ann"), "Continuing: turns asked to.");
    let failed = says("turn: Ann; error: too cold; error: too hot");
    assert_eq!(failed, "Stopping (error, by errors): the turn of Ann failed: too hot.");
    let concluded = says("turn: Ann; concludes");
    assert_eq!(concluded, "Stopping (completed, by concluded): Ann is done.");
    let said = says("turn: Ann; says: DONE.");
    assert_eq!(said, "Stopping (completed, by said): Ann said `DONE`.");
    let failed = evaluate(&criteria(), &talk("turn: Ann; error: too hot"));
    assert_eq!(failed.signal.as_ref().unwrap().error, Some(Box::new(error("too hot"))));
}

#[test]
fn s4_2_s5_1_a_limit_leaves_no_further_turn() {
    let state = talk("turn: Ann; says: hi").with_budget(Budget::unlimited().steps(2));
    assert_eq!(forbids_step(&criteria(), &state), None);
    let state = go_on(state, "ends; turn: Bob; says: ho; ends");
    assert_eq!(state.status(), Some(&ExecutionStatus::Stopped));
    let outcome = state.continuation_outcome().unwrap();
    assert_eq!(outcome.stop_reason(), Some(&StopReason::StepsLimit));
    let limit = outcome.signal.as_ref().unwrap().limit.as_ref().unwrap();
    assert_eq!((&limit.dimension, limit.limit, limit.used), (&Dimension::Steps, 2, 2));
    assert_eq!(forbids_step(&criteria(), &state), outcome.signal);
    // The deadline is compared with the time of the state.
    let deadline = |at| blank().with_budget(Budget::unlimited().deadline(stamp(at).wall));
    assert_eq!(forbids_step(&criteria(), &deadline(1_001)), None);
    let reason = forbids_step(&criteria(), &deadline(1_000)).map(|signal| signal.reason);
    assert_eq!(reason, Some(StopReason::TimeLimit));
}

#[test]
fn s4_2_a_conversation_goes_on_after_a_limit_was_raised() {
    let ended = talk("signal: user_requested; turn: Ann; says: hi; ends");
    assert_eq!(ended.status(), Some(&ExecutionStatus::Cancelled));
    let state = ended.clone().reopened();
    assert!(state.has_next() && state.stop_signals().is_empty());
    assert!(state.continuation_outcome().is_none());
    assert_eq!(transcript(&state), transcript(&ended));
    assert_eq!(go_on(state, "turn: Bob; says: ho; ends").turns_of("Bob"), 1);
}

#[test]
fn s4_2_an_end_between_turns_leaves_the_turn_under_way_out() {
    let signal = StopSignal::new(StopReason::UserRequested, "test", "enough");
    let outcome = legwork_core::ContinuationOutcome::stop(signal);
    let state =
        talk("turn: Ann; rests within: awaiting_input; decides").with_vote("h", Decision::Request);
    let state = state.with_outcome(outcome.clone());
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(state.continuation_outcome().map(|outcome| &**outcome), Some(&outcome));
    assert!(state.current_step().is_none() && state.current_agent().is_none());
    assert!(state.votes().is_empty() && state.ending_step().is_none());
    assert_eq!((state.turns_of("Ann"), state.transcript().len()), (0, 0));
}

/// A change of each recorded part of a conversation.
fn changes() -> Vec<(&'static str, ChatState)> {
    let base = || talk(BASE);
    let renamed = ChatState::new(SessionId::new("other"), ["Ann", "Bob"], Budget::unlimited());
    let joined = ChatState::new(SessionId::new("chat"), ["Ann"], Budget::unlimited());
    let unlike = |state: ChatState| go_on(state.at(stamp(1_000)), BASE);
    let long =
        StepResult { took: Micros(9), ..StepResult::clone(base().last_step_result().unwrap()) };
    vec![
        ("id", unlike(renamed)),
        ("participants", unlike(joined)),
        ("transcript", base().with_message("user", "more")),
        ("status", go_on(base(), "rests within: awaiting_input")),
        ("results", go_on(talk("turn: Ann; says: hi").record_step_result(long), NEXT)),
        ("outcome", go_on(talk("turn: Ann; says: hi; signal: completed; ends").reopened(), NEXT)),
        ("current", base().with_spoken(|turn: &mut Turn| turn.concludes = true)),
        ("agent", go_on(base(), "rests: in_progress")),
        ("signals", go_on(base(), "signal: completed")),
        ("errors", go_on(talk("error: too hot"), BASE)),
        ("ledger", base().with_used(&Amounts { input: 1, ..Amounts::default() })),
    ]
}

const BASE: &str = "turn: Ann; says: hi; ends; turn: Bob; rests within: in_progress";
const NEXT: &str = "turn: Bob; rests within: in_progress";

#[test]
fn s4_2_conversations_are_equal_when_what_they_record_is() {
    let base = talk(BASE);
    assert_eq!(base, talk(BASE));
    for (part, changed) in changes() {
        assert!(changed != base, "{part}");
        assert_eq!(changed, changed.clone(), "{part}");
    }
    // What is transient does not count.
    let transient = go_on(base.clone(), "decides").with_vote("hook", Decision::Request);
    assert_eq!(transient.at(stamp(9_000)), base);
}

#[test]
fn s4_2_s1_11_a_conversation_that_was_written_and_read_goes_on_the_same() {
    for (part, state) in changes() {
        let text = serde_json::to_string(&state).unwrap();
        let read: ChatState = serde_json::from_str(&text).unwrap();
        assert_eq!(read, state, "{part}");
        let end = |state: ChatState| go_on(state.at(stamp(2_000)), "says: ho; ends");
        assert_eq!(end(read), end(state), "{part}");
    }
}

#[test]
fn s4_2_s1_4_a_changed_conversation_extends_the_one_it_came_from() {
    let state = talk("turn: Ann");
    let mark = state.mark();
    assert!(state.extends(&mark), "the very same state");
    let changed = go_on(state.clone(), "says: hi; ends");
    assert!(changed.extends(&mark) && !state.extends(&changed.mark()));
    assert!(!talk("turn: Ann").extends(&mark), "another one like it");
    assert!(state.at(stamp(2_000)).extends(&mark), "telling the time is no change");
}

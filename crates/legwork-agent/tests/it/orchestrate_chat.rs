//! A chat: who speaks, who is heard, when it ends, what a state is worth.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_agent::Error;
use legwork_core::budget::Amounts;
use legwork_core::continuation::forbids_step;
use legwork_core::orchestrate::{BudgetLimit, ChatState};
use legwork_core::{
    Budget, Criterion, Decision, ErrorKind, ExecutionStatus, Message, Progress as _, SessionId,
    StopReason, StopSignal,
};
use legwork_orchestrate::{
    Chat, ChatBuilder, Participant, Speaker, Spoken, StepByStep, TurnContext,
};
use legwork_port::BoxFuture;
use legwork_testkit::{CountingIds, Gate, VirtualClock};

fn chat() -> ChatBuilder {
    Chat::builder().clock(Arc::new(VirtualClock::new())).ids(Arc::new(CountingIds::new()))
}

/// Ann and Bob, by scripts.
fn two() -> ChatBuilder {
    chat()
        .participant(Participant::scripted("Ann", ["a1", "a2", "a3", "a4"]))
        .participant(Participant::scripted("Bob", ["b1", "b2", "b3", "b4"]))
}

/// The transcript as `NAME: words`.
pub(crate) fn lines(state: &ChatState) -> Vec<String> {
    let line = |line: &Arc<legwork_core::orchestrate::Line>| {
        format!("{}: {}", line.speaker, line.message.text())
    };
    state.transcript().iter().map(line).collect()
}

pub(crate) fn again(state: &ChatState) -> ChatState {
    let read: ChatState = serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap();
    assert_eq!(read, *state, "serde loses nothing");
    read
}

fn reason(state: &ChatState) -> Option<&StopReason> {
    state.continuation_outcome()?.stop_reason()
}

#[tokio::test]
async fn s4_2_everybody_speaks_in_turn_until_the_turns_are_used_up() {
    let state = two().turns(3).build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Ann: a1", "Bob: b1", "Ann: a2"]);
    assert_eq!(state.status(), Some(&ExecutionStatus::Stopped));
    assert_eq!(reason(&state), Some(&StopReason::StepsLimit));
    assert_eq!((state.step_count(), state.used().steps), (3, 3));
    let numbers: Vec<_> = state.step_results().map(|result| result.step.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[tokio::test]
async fn s4_2_the_guards_ship_on_and_a_budget_keeps_the_limit_of_turns() {
    let endless = |name: &str| Participant::scripted(name, (0..99).map(|n| n.to_string()));
    let state = chat().participant(endless("Ann")).build().unwrap().run("go").await.unwrap();
    assert_eq!(state.step_count(), 20);
    let limited = chat().participant(endless("Ann")).turns(2).budget(Budget::unlimited());
    assert_eq!(limited.build().unwrap().run("go").await.unwrap().step_count(), 2);
}

/// A speaker of a program, who uses something.
struct Paid;

impl Speaker for Paid {
    fn speak<'a>(&'a self, floor: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        let used = Amounts { input: 7, output: 2, ..Amounts::default() };
        let said = Spoken::message(format!("I am {}", floor.name)).used(used);
        Box::pin(std::future::ready(Ok(said)))
    }
}

#[tokio::test]
async fn s4_2_what_a_speaker_of_a_program_uses_is_charged_to_the_chat() {
    let chat = chat().participant(Participant::speaker("Ann", Paid)).turns(3);
    let state = chat.build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(&state)[1], "Ann: I am Ann");
    assert_eq!((state.used().input, state.used().output), (21, 6));
}

#[tokio::test]
async fn s4_2_it_ends_when_somebody_says_the_words_or_the_state_is_as_wanted() {
    let state = two().until_said("b2").build().unwrap().run("go").await.unwrap();
    assert_eq!((state.step_count(), state.text()), (4, "b2".to_owned()));
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
    let explained = state.continuation_outcome().unwrap().explain();
    assert!(explained.contains("Bob said `b2`"), "{explained}");

    let enough = |state: &ChatState| state.current_step().is_some_and(|turn| turn.number == 2);
    let state = two().until("enough", enough).build().unwrap().run("go").await.unwrap();
    assert_eq!((state.step_count(), reason(&state)), (2, Some(&StopReason::Completed)));
    assert_eq!(state.continuation_outcome().unwrap().by, "enough");
    let off = two().until("enough", enough).without_criterion("enough").turns(3);
    let state = off.build().unwrap().run("go").await.unwrap();
    assert_eq!(state.step_count(), 3, "it is switched off by its name");
}

#[tokio::test]
async fn s4_2_a_selector_chooses_from_the_state_and_is_charged_for() {
    use legwork_core::budget::Amounts;
    use legwork_orchestrate::Choice;
    let by_last = |state: ChatState| async move {
        let used = Amounts { input: 7, ..Amounts::default() };
        let name = if state.step_count() < 2 { "Bob" } else { "Ann" };
        Ok::<_, String>(Choice::from(name).used(used))
    };
    let state = two().selector(by_last).turns(3).build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Bob: b1", "Bob: b2", "Ann: a1"]);
    assert_eq!(state.used().input, 21);

    let nobody = |_: ChatState| async { Ok::<_, String>("Cleo") };
    let state = two().selector(nobody).build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    let error = state.errors().next().unwrap().to_string();
    assert!(error.contains("no speaker is named `Cleo`: there are Ann, Bob"), "{error}");
    let fails = |_: ChatState| async { Err::<&str, _>("the model was away".to_owned()) };
    let state = two().selector(fails).build().unwrap().run("go").await.unwrap();
    assert!(state.errors().next().unwrap().to_string().contains("the model was away"));
}

#[tokio::test]
async fn s4_2_a_person_is_waited_for_and_answers_the_state_read_again() {
    let chat = chat()
        .participant(Participant::scripted("Ann", ["Tea?", "Fine."]))
        .participant(Participant::person("Cleo"))
        .turns(3)
        .build()
        .unwrap();
    let mut run = chat.iterate("go");
    run.next().await.unwrap().unwrap();
    let error = run.answer("too early").unwrap_err();
    assert!(error.to_string().contains("no person is waited for (in_progress)"), "{error}");
    for _ in 0..2 {
        assert!(run.next().await.unwrap().is_none(), "it waits, however often it is asked");
        assert_eq!(run.state().status(), Some(&ExecutionStatus::AwaitingInput));
        assert_eq!(run.state().waits_for(), Some("Cleo"));
        assert!(!run.has_next());
    }
    let state = again(run.state()).with_answer("Yes.").unwrap();
    assert!(state.clone().with_answer("Twice.").is_err());
    let state = chat.resume(again(&state)).unwrap().finish().await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Ann: Tea?", "Cleo: Yes.", "Ann: Fine."]);
    assert_eq!(state.used().steps, 3, "the wait was no turn");
}

#[tokio::test]
async fn s4_2_a_person_is_asked_here_and_waited_for_when_silent() {
    let asked = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&asked);
    let chat = chat()
        .participant(Participant::asked("Cleo", move |state: ChatState| {
            let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
            async move { first.then(|| Message::user(format!("You said {}", state.text()))) }
        }))
        .build()
        .unwrap();
    let mut run = chat.iterate("go");
    assert_eq!(run.next().await.unwrap().unwrap().text(), "You said go");
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(run.state().waits_for(), Some("Cleo"));
    run.answer("Later.").unwrap();
    assert_eq!(run.next().await.unwrap().unwrap().text(), "Later.");
    assert_eq!(asked.load(Ordering::SeqCst), 2, "who answered is not asked");
}

#[tokio::test]
async fn s4_2_an_error_is_its_speakers_and_stops_unless_it_is_switched_off() {
    let talk = || {
        chat()
            .participant(Participant::scripted("Ann", ["a1", "a2", "a3"]))
            .participant(Participant::scripted("Bob", ["b1"]))
    };
    let state = talk().build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    let all: Vec<_> = state.errors_by_speaker().map(|(name, e)| (name, e.to_string())).collect();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].0, "Bob");
    assert!(all[0].1.contains("the script of Bob has 1 lines"), "{all:?}");
    assert_eq!(state.step_count(), 4, "the turn that failed is a turn");

    let on = talk().without_criterion("errors").turns(5).build().unwrap();
    let state = on.run("go").await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Ann: a1", "Bob: b1", "Ann: a2", "Ann: a3"]);
    assert_eq!((state.errors().count(), reason(&state)), (1, Some(&StopReason::StepsLimit)));
}

#[tokio::test]
async fn s4_1_a_vote_of_an_observer_has_the_criteria_asked_once_more() {
    let on = |state: ChatState| async move {
        assert!(state.ending_step().is_some() && state.continuation_outcome().is_some());
        Ok(match state.continuation_outcome().unwrap().should_continue() {
            true => state,
            false => state.with_vote("on", Decision::Request),
        })
    };
    let build = || two().until_said("1").turns(3);
    let state = build().build().unwrap().run("go").await.unwrap();
    assert_eq!(state.step_count(), 1);
    let state = build().on_step_end("on", on).build().unwrap().run("go").await.unwrap();
    assert_eq!((state.step_count(), reason(&state)), (3, Some(&StopReason::StepsLimit)));
    let first = state.step_results().next().unwrap();
    assert!(first.outcome.should_continue());
    assert_eq!(first.outcome.by, "on");
    assert!(first.outcome.votes.iter().any(|vote| vote.by == "said"), "{first:?}");
    assert!(state.votes().is_empty(), "a vote counts for its turn only");
}

#[tokio::test]
async fn s4_1_a_signal_of_an_observer_stops_with_its_own_reason() {
    let stop = |state: ChatState| async move {
        let signal = StopSignal::new(StopReason::StopRequested, "moderator", "it is enough");
        Ok(state.with_stop_signal(signal))
    };
    let state = two().on_step_end("moderator", stop).build().unwrap().run("go").await.unwrap();
    assert_eq!((state.step_count(), reason(&state)), (1, Some(&StopReason::StopRequested)));
    assert_eq!(lines(&state), ["user: go", "Ann: a1"], "what was said is kept");
}

#[tokio::test]
async fn s4_1_criteria_are_asked_twice_only_if_an_observer_voted() {
    struct Counted(Arc<AtomicU32>);
    impl Criterion<ChatState> for Counted {
        fn name(&self) -> &str {
            "counted"
        }
        fn decide(
            &self,
            _: &ChatState,
        ) -> Result<Option<Decision>, legwork_core::continuation::Error> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(None)
        }
    }
    for (votes, expected) in [(false, 2), (true, 4)] {
        let count = Arc::new(AtomicU32::new(0));
        let vote = move |state: ChatState| async move {
            Ok(if votes { state.with_vote("fan", Decision::Allow) } else { state })
        };
        let talk = two().criterion(Counted(Arc::clone(&count))).on_step_end("fan", vote).turns(2);
        talk.build().unwrap().run("go").await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), expected, "votes: {votes}");
    }
}

#[tokio::test]
async fn s4_1_an_observer_that_fails_or_forges_changes_nothing_and_is_recorded() {
    let fails = |_: ChatState| async { Err("out of ink".to_owned()) };
    let forges = |state: ChatState| async move { Ok(again(&state.with_message("Eve", "ha"))) };
    let talk = two().on_step_end("scribe", fails).on_step_end("eve", forges).turns(1);
    let state = talk.without_criterion("errors").build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Ann: a1"]);
    let errors: Vec<_> =
        state.errors().map(|error| (error.kind.clone(), error.to_string())).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].1.contains("`scribe` failed: out of ink"), "{errors:?}");
    assert_eq!(errors[1].0, ErrorKind::Lineage);
}

#[tokio::test]
async fn s4_3_steering_is_heard_by_the_next_speaker_and_foreign_states_are_refused() {
    let mut run = two().turns(2).build().unwrap().iterate("go");
    let first = run.next().await.unwrap().unwrap();
    run.steer("be brief").await.unwrap();
    let other = ChatState::new(SessionId::new("x"), ["Ann", "Bob"], Budget::unlimited());
    for (what, state) in [("older", first), ("forged", again(run.state())), ("foreign", other)] {
        let error = run.set(state).unwrap_err();
        assert!(matches!(error, Error::Lineage), "{what}: {error}");
    }
    run.set(run.state().clone().with_message("Zoe", "hello")).unwrap();
    let state = run.finish().await.unwrap();
    assert_eq!(lines(&state), ["user: go", "Ann: a1", "user: be brief", "Zoe: hello", "Bob: b1"]);
    assert_eq!(state.last_turn_of("Bob").unwrap().input_cut, 4);
}

/// Makes the next step, and cancels it when a call reaches a gate.
pub(crate) async fn next_cancelled<R: StepByStep>(run: &mut R, gate: &Gate) -> Option<R::State> {
    let control = run.control().clone();
    let cancel = async {
        gate.arrived(1).await;
        control.cancel.cancel();
    };
    tokio::join!(run.next(), cancel).0.unwrap()
}

#[tokio::test]
async fn s4_3_cancelled_before_the_start_nobody_speaks_and_later_what_was_said_is_kept() {
    let run = two().build().unwrap().iterate("go");
    run.cancel();
    let state = run.finish().await.unwrap();
    assert_eq!((state.step_count(), reason(&state)), (0, Some(&StopReason::UserRequested)));
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));

    let gate = Gate::new();
    let behind = gate.clone();
    let slow = move |_: ChatState| {
        let gate = behind.clone();
        async move {
            gate.pass().await;
            Some(Message::user("never"))
        }
    };
    let talk = chat()
        .participant(Participant::scripted("Ann", ["a1"]))
        .participant(Participant::asked("Cleo", slow));
    let mut run = talk.build().unwrap().iterate("go");
    run.next().await.unwrap().unwrap();
    assert!(next_cancelled(&mut run, &gate).await.is_none());
    assert_eq!(run.state().status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(lines(run.state()), ["user: go", "Ann: a1"]);
}

#[tokio::test]
async fn s4_2_a_state_taken_through_serde_after_each_turn_ends_the_same() {
    let talk = || two().turns(5).build().unwrap();
    let whole = talk().run("go").await.unwrap();
    let mut state = again(talk().iterate("go").state());
    while state.has_next() {
        let mut run = talk().resume(again(&state)).unwrap();
        state = run.next().await.unwrap().unwrap();
    }
    assert_eq!(state, whole);
}

#[tokio::test]
async fn s4_2_what_is_over_goes_on_only_after_its_limit_was_raised() {
    let state = two().turns(2).build().unwrap().run("go").await.unwrap();
    let error = two().turns(2).build().unwrap().resume(state.clone()).err().unwrap();
    assert!(error.to_string().contains("limit still holds"), "{error}");
    let run = two().turns(3).build().unwrap().resume(state).unwrap();
    assert_eq!(run.finish().await.unwrap().text(), "a2");

    let over = || two().until_said("a1").build().unwrap();
    let state = over().run("go").await.unwrap();
    let error = over().resume(state.clone()).err().unwrap();
    assert!(error.to_string().contains("nothing is left to do (completed)"), "{error}");
    let alone = chat().participant(Participant::person("Ann")).build().unwrap();
    let error = alone.resume(state).err().unwrap();
    assert!(error.to_string().contains("the participants Ann, Bob, not Ann"), "{error}");
}

#[tokio::test]
async fn s4_2_who_takes_part_is_checked_when_it_is_built() {
    for (names, words) in [
        (vec![], "there are no participants"),
        (vec!["Ann", "Ann"], "two participants are named `Ann`"),
        (vec!["user"], "two participants are named `user`"),
        (vec!["Ann\nBob"], "`Ann\\nBob` is not a valid name"),
        (vec!["Bob: Ann"], "is not a valid name"),
        (vec![""], "is not a valid name"),
        (vec![" Ann"], "is not a valid name"),
    ] {
        let all = names.iter().map(|name| Participant::person(*name));
        let error = all.fold(chat(), ChatBuilder::participant).build().unwrap_err();
        assert!(error.to_string().contains(words), "{names:?}: {error}");
    }
    let error = two().without_criterion("steps_limit").until_said(" ").build().unwrap_err();
    assert!(error.to_string().contains("there are signals, errors, budget"), "{error}");
    assert!(error.to_string().contains("words to stop at are empty"), "{error}");
}

#[test]
fn s4_1_a_limit_forbids_a_turn_before_it_begins() {
    let state = ChatState::new(SessionId::new("c"), ["Ann"], Budget::unlimited().steps(1));
    let criteria: [Arc<dyn Criterion<ChatState>>; 1] = [Arc::new(BudgetLimit)];
    assert_eq!(forbids_step(&criteria, &state), None);
    let state = state.with_turn("Ann").with_spoken(|_| {});
    let signal = forbids_step(&criteria, &state).unwrap();
    assert_eq!(signal.reason, StopReason::StepsLimit);
}

//! S4.2: whatever goes on step by step answers the same questions.

use std::sync::Arc;

use legwork_core::continuation::StopReason;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::orchestrate::{CollaborationState, Conversation, Member, ToolUseState};
use legwork_core::{
    AgentState, Budget, Decision, Micros, Progress, StepResult, StopSignal, Timestamp,
};

use crate::chats;
use crate::story::{outcome, tell};

/// The answers to all questions, in short.
#[derive(Debug, PartialEq)]
struct Answers {
    status: Option<String>,
    /// The numbers of the finished steps, by each accessor.
    ended: (usize, usize, bool),
    pending: bool,
    /// Who decided.
    by: Option<String>,
    /// How many votes, signals and errors there are.
    counts: [usize; 3],
    signal: Option<StopReason>,
    steps: u64,
    has_next: bool,
}

fn answers<S: Progress>(state: &S) -> Answers {
    let last = state.last_step_result();
    let same = match (last, state.step_results().last()) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    Answers {
        status: state.status().map(ToString::to_string),
        ended: (state.step_count(), state.step_results().count(), same),
        pending: state.ending_step().is_some(),
        by: state.continuation_outcome().map(|outcome| outcome.by.clone()),
        counts: [state.votes().len(), state.stop_signals().len(), state.errors().count()],
        signal: state.stop_signal().map(|signal| signal.reason.clone()),
        steps: state.used().steps,
        has_next: state.has_next(),
    }
}

fn signal(reason: StopReason) -> StopSignal {
    StopSignal::new(reason, "test", "enough")
}

/// Two steps ended; the third is about to be recorded, with two requests to stop.
fn agent() -> AgentState {
    let twice = "inference; calls: a; result: 0 x; decides;".repeat(2);
    let state = tell(&format!("user: hi; {twice} inference; answer: done; error: a hook broke"));
    let state = state
        .with_stop_signal(signal(StopReason::Completed))
        .with_stop_signal(signal(StopReason::UserRequested))
        .with_vote("hook", Decision::Request);
    let provisional = outcome(&state);
    state.with_provisional_outcome(Some(provisional))
}

fn chat<S: Conversation>(state: S) -> S {
    let state = chats::go_on(state, "turn: Ann; says: hi; ends; turn: Bob; says: ho; ends");
    let state = chats::go_on(state, "turn: Ann; says: so; error: a hook broke");
    let state = chats::go_on(state, "signal: completed; signal: user_requested");
    let state = state.map_chat(|chat| chat.with_vote("hook", Decision::Request));
    chats::go_on(state, "decides")
}

fn collaboration() -> CollaborationState {
    let member = |name: &str| Member { name: name.into(), role: format!("the {name}").into() };
    let members = vec![member("Ann"), member("Bob")];
    CollaborationState::new("a fruit", members, chats::blank())
}

/// Asks before anything, with a step pending and once it is recorded.
#[track_caller]
fn check<S: Progress>(before: &S, pending: S, by: &str, first: Option<&str>) {
    let nothing = Answers {
        status: first.map(str::to_owned),
        ended: (0, 0, true),
        pending: false,
        by: None,
        counts: [0, 0, 0],
        signal: None,
        steps: 0,
        has_next: first.is_some(),
    };
    assert_eq!(answers(before), nothing);
    let during = Answers {
        status: Some("in_progress".to_owned()),
        ended: (2, 2, true),
        pending: true,
        by: Some(by.to_owned()),
        counts: [1, 2, 1],
        signal: Some(StopReason::UserRequested),
        steps: 3,
        has_next: false,
    };
    assert_eq!(answers(&pending), during);
    let outcome = Arc::clone(pending.continuation_outcome().unwrap());
    assert!(!outcome.should_continue() && pending.votes().first().unwrap().by == "hook");
}

#[test]
fn s4_2_an_agent_answers_as_all_that_goes_on_step_by_step() {
    check(&crate::story::blank(), agent(), "signals", None);
}

#[test]
fn s4_2_a_task_with_tools_answers_as_its_agent_does() {
    let task = |state: AgentState| ToolUseState::from(state);
    check(&task(crate::story::blank()), task(agent()), "signals", None);
}

#[test]
fn s4_2_a_chat_answers_as_all_that_goes_on_step_by_step() {
    check(&chats::blank(), chat(chats::blank()), "errors", Some("in_progress"));
}

#[test]
fn s4_2_a_collaboration_answers_as_its_chat_does() {
    check(&collaboration(), chat(collaboration()), "errors", Some("in_progress"));
    assert_eq!(chat(collaboration()).chat(), &chat(chats::blank()));
}

/// The state after its current step was recorded with the provisional outcome.
fn recorded<S: Progress>(state: S, step: S::Step) -> S {
    let outcome = Arc::clone(state.continuation_outcome().unwrap());
    let (step, took, completed_at) = (Arc::new(step), Micros(7), Timestamp(1_000));
    state.record_step_result(StepResult { step, outcome, took, completed_at })
}

#[track_caller]
fn check_recorded<S: Progress>(state: &S, status: &str) {
    let seen = answers(state);
    assert_eq!((seen.status.as_deref(), seen.ended), (Some(status), (3, 3, true)));
    assert!(!seen.pending && seen.counts[0] == 0 && !seen.has_next);
    let last = state.last_step_result().unwrap();
    assert_eq!(last.took, Micros(7));
    assert!(Arc::ptr_eq(&last.outcome, state.continuation_outcome().unwrap()));
}

#[test]
fn s4_1_a_step_is_recorded_with_its_outcome_and_its_time() {
    let step = || agent().current_step().unwrap().clone();
    // An execution goes on until its end is recorded, too.
    check_recorded(&recorded(agent(), step()), "in_progress");
    check_recorded(&recorded(ToolUseState::from(agent()), step()), "in_progress");
    let chat_of = || chat(chats::blank());
    let turn = || chat_of().current_step().unwrap().clone();
    check_recorded(&recorded(chat_of(), turn()), "failed");
    let state = recorded(chat(collaboration()), turn());
    check_recorded(&state, "failed");
    assert_eq!(state.chat(), &recorded(chat_of(), turn()));
}

#[test]
fn s4_1_another_step_is_made_while_it_is_in_progress_and_nothing_stopped_it() {
    let agent = |story: &str| tell(story).has_next();
    assert!(!agent(""));
    assert!(agent("user: hi"));
    assert!(agent("user: hi; inference; calls: a; result: 0 x; decides"));
    assert!(!agent("user: hi; inference; answer: done; decides"));
    assert!(!agent("user: hi; inference; answer: done; decides; ends"));
    let chat = |story: &str| chats::talk(story).has_next();
    assert!(chat("") && chat("turn: Ann; says: hi; ends"));
    assert!(!chat("turn: Ann; says: DONE; decides"));
    assert!(!chat("turn: Ann; says: DONE; ends"));
    assert!(!chat("turn: Ann; rests: awaiting_input"));
    // A state that waits has no next step, whatever was decided before.
    assert!(!chat("turn: Ann; says: hi; ends; turn: Bob; rests: awaiting_input"));
}

#[test]
fn s4_2_a_task_with_tools_shows_the_work_of_its_agent() {
    let blank = ToolUseState::from(crate::story::blank());
    assert_eq!((blank.text(), blank.transcript().messages().len()), (String::new(), 0));
    assert!(blank.execution().is_none() && blank.final_response().is_none());
    assert!(blank.pending().is_empty());
    let agent = tell("user: hi; inference; answer: 42; decides; ends");
    let task = ToolUseState::from(agent.clone());
    assert_eq!((&*task.text(), task.transcript().messages().len()), ("42", 2));
    assert_eq!(task.final_response(), agent.final_response());
    assert_eq!(task.execution(), agent.execution());
    assert!(task.into_agent_state().is_same(&agent));
}

#[test]
fn s4_2_a_task_with_tools_takes_an_answer_for_what_waits() {
    let doubt = tell("user: hi; inference; calls: a; starts: 0 once; pauses: 0");
    let task = ToolUseState::from(doubt.clone());
    assert_eq!((task.pending(), task.pending().len()), (doubt.pending(), 1));
    let id = task.pending()[0].id.clone();
    let answer = |id: &str| Answer::new(id.to_owned(), Verdict::Tell);
    let refused = task.clone().with_answer(answer("nothing"));
    assert!(refused.is_err(), "{refused:?}");
    let told = task.clone().with_answer(answer(&id)).unwrap();
    assert!(told.pending().is_empty() && told != task);
    assert_eq!(told.into_agent_state().facts().answers.len(), 1);
}

#[test]
fn s4_2_a_task_with_tools_changes_as_its_agent_does() {
    let task = ToolUseState::from(tell("user: hi"));
    let mark = task.mark();
    let changed = task
        .clone()
        .with_message("more")
        .with_instructions("be short")
        .with_budget(Budget::unlimited().steps(3))
        .with_stop_signal(signal(StopReason::UserRequested));
    assert!(task.extends(&mark) && changed.extends(&mark) && !task.extends(&changed.mark()));
    assert_eq!(changed.transcript().messages().len(), 2);
    assert_eq!(changed.stop_signals(), [signal(StopReason::UserRequested)]);
    let agent = changed.into_agent_state();
    assert_eq!((&**agent.instructions(), agent.ledger().budget.steps), ("be short", Some(3)));
}

#[test]
fn s4_2_a_collaboration_has_a_goal_and_members_with_a_role_each() {
    let state = collaboration();
    assert_eq!(state.goal(), "a fruit");
    let roles: Vec<_> =
        state.members().iter().map(|member| (&*member.name, &*member.role)).collect();
    assert_eq!(roles, [("Ann", "the Ann"), ("Bob", "the Bob")]);
    let state = state
        .with_vote("hook", Decision::Request)
        .with_stop_signal(signal(StopReason::UserRequested));
    assert_eq!((state.votes().len(), state.stop_signals().len()), (1, 1));
}

#[test]
fn s4_2_the_result_of_a_collaboration_is_what_was_said_last_once_it_is_completed() {
    let result = |story: &str| chats::go_on(collaboration(), story).result();
    assert_eq!(result(""), None);
    assert_eq!(result("turn: Ann; says: apples; ends"), None);
    assert_eq!(result("turn: Ann; says: DONE: apples; decides"), None);
    assert_eq!(result("turn: Ann; says: DONE - apples; ends").as_deref(), Some("DONE - apples"));
    assert_eq!(result("turn: Ann; says: apples; signal: user_requested; ends"), None);
}

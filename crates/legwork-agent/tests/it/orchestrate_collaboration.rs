//! A collaboration: roles, who works next, when the goal is reached.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_core::orchestrate::{CollaborationState, Conversation as _};
use legwork_core::{Budget, Decision, ExecutionStatus, Progress as _, StopReason};
use legwork_orchestrate::{Collaboration, CollaborationBuilder, StepByStep as _};
use legwork_port::EventKind;
use legwork_testkit::fault::FaultyStore;
use legwork_testkit::{CountingIds, Gate, RecordingObserver, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::orchestrate_chat::{lines, next_cancelled};
use crate::tools::{World, guarded, spec};

fn agent(model: &ScriptedModel) -> Agent {
    let clock = Arc::new(VirtualClock::new());
    let store = Arc::new(MemoryStore::new());
    Agent::builder(model.clone()).clock(clock).store_in(store).build().unwrap()
}

fn saying<const N: usize>(words: [&str; N]) -> ScriptedModel {
    ScriptedModel::new(words.map(Turn::text))
}

fn assign(to: &str, task: &str) -> Turn {
    Turn::call("assign", json!({"to": to, "task": task}))
}

fn conclude(result: &str) -> Turn {
    Turn::call("conclude", json!({"result": result}))
}

fn collaboration() -> CollaborationBuilder {
    Collaboration::builder().clock(Arc::new(VirtualClock::new())).ids(Arc::new(CountingIds::new()))
}

/// A writer and a critic, without a lead.
fn two(writer: &ScriptedModel, critic: &ScriptedModel) -> CollaborationBuilder {
    collaboration().member("Will", "writes", agent(writer)).member(
        "Cora",
        "criticises",
        agent(critic),
    )
}

fn again(state: &CollaborationState) -> CollaborationState {
    let read: CollaborationState =
        serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap();
    assert_eq!(read, *state, "serde loses nothing");
    read
}

fn reason(state: &CollaborationState) -> Option<&StopReason> {
    state.continuation_outcome()?.stop_reason()
}

#[tokio::test]
async fn s4_2_a_lead_decides_who_works_next_and_when_the_goal_is_reached() {
    let lead = ScriptedModel::new([
        assign("Will", "write a haiku"),
        assign("Cora", "judge it"),
        conclude("a pond, a frog"),
    ]);
    let (writer, critic) = (saying(["frog"]), saying(["good"]));
    let seen = RecordingObserver::new();
    let work = two(&writer, &critic).lead("Lea", agent(&lead)).observer(Arc::new(seen.clone()));
    let work = work.build().unwrap();
    let state = work.run("A haiku").await.unwrap();
    let decided = |kind: &&EventKind| matches!(kind, EventKind::ContinuationEvaluated { .. });
    assert_eq!(seen.kinds().iter().filter(decided).count(), 5);
    let all = [
        "user: A haiku",
        "Lea: Will, write a haiku",
        "Will: frog",
        "Lea: Cora, judge it",
        "Cora: good",
        "Lea: a pond, a frog",
    ];
    assert_eq!(lines(state.chat()), all);
    assert_eq!(state.result().as_deref(), Some("a pond, a frog"));
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
    assert_eq!((state.used().input, state.used().tool_calls, state.step_count()), (50, 3, 5));
    let heard = writer.asked()[0].last().to_owned();
    assert!(heard.contains("You are Will") && heard.contains("- Cora: criticises"), "{heard}");
    assert!(heard.contains("The goal: A haiku"), "{heard}");
    assert!(heard.ends_with("Lea: Will, write a haiku"), "{heard}");
    assert_eq!(lead.asked()[1].last(), "Will: frog");
}

#[tokio::test]
async fn s4_2_a_lead_that_names_nobody_corrects_itself_and_one_that_decides_nothing_fails() {
    let lead =
        ScriptedModel::new([assign("Nobody", "work"), assign("Will", "work"), conclude("x")]);
    let work = two(&saying(["done"]), &saying([])).lead("Lea", agent(&lead));
    let state = work.build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(state.chat()), ["user: go", "Lea: Will, work", "Will: done", "Lea: x"]);
    let told = lead.asked()[1].last().to_owned();
    assert!(told.contains("Cora") && told.contains("Will"), "{told}");

    let work = two(&saying([]), &saying([])).lead("Lea", agent(&saying(["Well."])));
    let state = work.build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    let (speaker, error) = state.chat().errors_by_speaker().next().unwrap();
    assert_eq!(speaker, "Lea");
    assert!(error.message.contains("called neither `assign` nor `conclude`"), "{error}");
    assert_eq!(state.result(), None);
}

#[tokio::test]
async fn s4_2_a_lead_whose_model_fails_is_told_as_that_and_not_as_undecided() {
    let lead = ScriptedModel::new([Turn::status(401).with_message("wrong key")]);
    let work = two(&saying([]), &saying([])).lead("Lea", agent(&lead)).build().unwrap();
    let state = work.run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    let errors: Vec<_> = state.chat().errors_by_speaker().map(|(_, error)| error).collect();
    assert!(errors.iter().any(|error| error.message.contains("wrong key")), "{errors:?}");
    assert!(!errors.iter().any(|error| error.message.contains("called neither")), "{errors:?}");
}

#[tokio::test]
async fn s4_2_without_a_lead_the_members_work_in_turn_or_as_a_selector_says() {
    let (writer, critic) = (saying(["v1", "v2"]), saying(["no", "AGREED"]));
    let state =
        two(&writer, &critic).until_said("AGREED").build().unwrap().run("go").await.unwrap();
    assert_eq!(
        lines(state.chat()),
        ["user: go", "Will: v1", "Cora: no", "Will: v2", "Cora: AGREED"]
    );
    assert_eq!(state.result().as_deref(), Some("AGREED"));

    let (writer, critic) = (saying(["v1"]), saying(["no", "no!"]));
    let picky = |state: CollaborationState| async move {
        Ok::<_, String>(if state.step_count() == 0 { "Will" } else { "Cora" })
    };
    let work = two(&writer, &critic).selector(picky).turns(3).build().unwrap();
    let state = work.run("go").await.unwrap();
    assert_eq!(lines(state.chat()), ["user: go", "Will: v1", "Cora: no", "Cora: no!"]);
    assert_eq!((reason(&state), state.result()), (Some(&StopReason::StepsLimit), None));
}

#[tokio::test]
async fn s4_2_a_budget_is_that_of_all() {
    let (writer, critic) = (saying(["v"; 30]), saying(["no"; 30]));
    let work = two(&writer, &critic).budget(Budget::unlimited().tokens(1_400));
    let state = work.build().unwrap().run("go").await.unwrap();
    assert_eq!(reason(&state), Some(&StopReason::TokenLimit));
    assert_eq!(state.errors().count(), 0);
    let asked = (writer.requests().len() + critic.requests().len()) as u64;
    assert_eq!(state.used().total_tokens(), asked * 15);
}

#[tokio::test]
async fn s4_1_an_observer_of_a_collaboration_has_the_criteria_asked_once_more() {
    let models = || (saying(["v1", "v2"]), saying(["AGREED", "AGREED"]));
    let hold = |state: CollaborationState| async move {
        Ok(if state.step_count() < 2 { state.with_vote("hold", Decision::Request) } else { state })
    };
    let (writer, critic) = models();
    let work = two(&writer, &critic).until_said("AGREED").on_step_end("hold", hold);
    let state = work.build().unwrap().run("go").await.unwrap();
    assert_eq!((state.step_count(), reason(&state)), (4, Some(&StopReason::Completed)));
    let held = state.step_results().nth(1).unwrap();
    assert_eq!(held.outcome.by, "hold");

    let forges = |state: CollaborationState| async move {
        Ok(again(&state.map_chat(|chat| chat.with_message("Eve", "ha"))))
    };
    let (writer, critic) = models();
    let work = two(&writer, &critic).on_step_end("eve", forges).turns(1);
    let state = work.build().unwrap().run("go").await.unwrap();
    assert_eq!(lines(state.chat()), ["user: go", "Will: v1"]);
    assert_eq!(state.errors().count(), 1);
}

#[tokio::test]
async fn s4_2_a_collaboration_taken_through_serde_after_each_turn_ends_the_same() {
    let lead =
        || ScriptedModel::new([assign("Will", "write"), assign("Cora", "judge"), conclude("x")]);
    let build = |lead: Agent, writer: Agent, critic: Agent| {
        let work =
            collaboration().member("Will", "writes", writer).member("Cora", "judges", critic);
        work.lead("Lea", lead).build().unwrap()
    };
    let agents = || (agent(&lead()), agent(&saying(["frog"])), agent(&saying(["good"])));
    let (l, w, c) = agents();
    let whole = build(l, w, c).run("A haiku").await.unwrap();

    // Their stores outlive each program, as a database does.
    let (l, w, c) = agents();
    let mut state = again(build(l.clone(), w.clone(), c.clone()).iterate("A haiku").state());
    while state.has_next() {
        let work = build(l.clone(), w.clone(), c.clone());
        state = work.resume(again(&state)).unwrap().next().await.unwrap().unwrap();
    }
    assert_eq!(lines(state.chat()), lines(whole.chat()));
    assert_eq!((state.result(), state.status()), (whole.result(), whole.status()));
    assert_eq!(state.used().total_tokens(), whole.used().total_tokens());
}

#[tokio::test]
async fn s4_3_a_collaboration_is_steered_set_and_cancelled_like_the_others() {
    let (writer, critic) = (saying(["v1", "v2"]), saying(["no"]));
    let mut run = two(&writer, &critic).turns(2).build().unwrap().iterate("go");
    let first = run.next().await.unwrap().unwrap();
    run.steer("in English").await.unwrap();
    assert!(run.set(first).is_err());
    let state = run.finish().await.unwrap();
    assert_eq!(critic.asked().len(), 1);
    assert!(critic.asked()[0].last().ends_with("Will: v1\nuser: in English"));
    assert_eq!(state.step_count(), 2);

    let (writer, critic) = (saying(["never"]), saying(["never"]));
    let run = two(&writer, &critic).build().unwrap().iterate("go");
    run.cancel();
    let state = run.finish().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert!(writer.requests().is_empty());
}

#[tokio::test]
async fn s4_3_a_lead_that_is_cancelled_in_a_tool_ends_as_such_and_made_no_error() {
    let (world, never, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let lead = Agent::builder(ScriptedModel::new([Turn::call("hang", json!({"n": 1}))]))
        .tools([guarded(spec("hang"), &world, &never)])
        // Its own end takes time.
        .store_in(Arc::new(FaultyStore::over(store).paced([3])))
        .build()
        .unwrap();
    let writer = saying(["never"]);
    let work = two(&writer, &writer).lead("Lea", lead.clone()).build().unwrap();
    let mut run = work.iterate("go");
    next_cancelled(&mut run, &never).await;
    let state = run.finish().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(state.chat().errors_by_speaker().count(), 0);
    let kept = lead.session(format!("{}.Lea", state.chat().id()).as_str()).state().await.unwrap();
    assert_eq!(kept.status(), Some(&ExecutionStatus::Cancelled));
}

#[tokio::test]
async fn s4_2_a_collaboration_that_cannot_work_is_not_built() {
    let model = saying([]);
    let error = collaboration().lead("Lea", agent(&model)).build().unwrap_err();
    assert!(error.to_string().contains("no member works"), "{error}");
    let twice = two(&model, &model).lead("Lea", agent(&model)).lead("Leo", agent(&model));
    assert!(twice.build().unwrap_err().to_string().contains("two agents lead"));
    let same = two(&model, &model).lead("Will", agent(&model));
    assert!(same.build().unwrap_err().to_string().contains("two participants are named `Will`"));
}

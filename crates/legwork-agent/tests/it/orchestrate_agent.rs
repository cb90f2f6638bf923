//! The handle of an agent: a snapshot a step, steering, states fed back.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, hook};
use legwork_core::{
    AgentState, Decision, EffectClass, Event, ExecutionStatus, Progress, SessionId, StopReason,
    StopSignal,
};
use legwork_orchestrate::StepByStep;
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, noting, said};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

fn looking(model: &ScriptedModel) -> Agent {
    Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .clock(Arc::new(VirtualClock::new()))
        .build()
        .unwrap()
}

/// Whatever goes on step by step, with the steps that were seen on the way.
async fn steps_of<R: StepByStep>(mut run: R) -> (Vec<(usize, bool)>, R::State) {
    let mut seen = Vec::new();
    assert!(run.has_next(), "nothing forbids the first step");
    while let Some(state) = run.next().await.unwrap() {
        seen.push((state.step_count(), state.has_next()));
        assert_eq!(run.has_next(), state.has_next());
    }
    assert!(!run.has_next());
    (seen, run.state().clone())
}

#[tokio::test]
async fn s4_1_the_outcome_of_each_step_says_whether_there_is_a_next() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let run = looking(&model).iterate("go").await.unwrap();
    let (seen, state) = steps_of(run).await;
    assert_eq!(seen, [(1, true), (2, true), (3, false)]);
    assert_eq!(Progress::status(&state), Some(&ExecutionStatus::Completed));
    let last = Progress::last_step_result(&state).unwrap();
    assert_eq!(last.step.number, 3);
    assert_eq!(last.outcome.stop_reason(), Some(&StopReason::Completed));
}

#[tokio::test]
async fn s4_1_a_vote_at_the_steps_end_has_the_criteria_asked_once_more() {
    let model = ScriptedModel::new([call(1), call(2)]);
    let signal = || StopSignal::new(StopReason::StopRequested, "enough", "it is enough");
    let enough = hook("enough", [Trigger::StepEnd], move |state: AgentState, _| async move {
        Ok(state.with_vote("enough", Decision::Forbid(signal())))
    });
    let agent = looking(&model);
    let agent = agent.with_override(legwork_agent::Override::new().hook(enough)).unwrap();
    let state = agent.iterate("go").await.unwrap().finish().await.unwrap();
    assert_eq!(state.step_count(), 1);
    let result = state.last_step_result().unwrap();
    assert_eq!(result.outcome.stop_reason(), Some(&StopReason::StopRequested));
    assert!(result.outcome.votes.iter().any(|vote| vote.by == "tool_calls_present"), "{result:?}");
}

#[tokio::test]
async fn s4_1_recording_a_result_ends_the_step_pending() {
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let mut run = looking(&model).iterate("go").await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    let result = state.last_step_result().unwrap();
    let journal = state.clone().record_step_result((**result).clone());
    assert!(journal.extends(&state.mark()));
    assert_eq!(journal.step_count(), 1, "no step was pending: nothing is recorded twice");
}

#[tokio::test]
async fn s4_3_steering_reaches_the_very_next_inference_exactly_once() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let mut run = looking(&model).iterate("go").await.unwrap();
    run.next().await.unwrap().unwrap();
    run.steer("look left").await.unwrap();
    let state = run.finish().await.unwrap();
    assert_eq!(model.asked()[1].last(), "look left");
    assert_eq!(said(&state), ["go", "1", "look left", "2", "done"]);
}

#[tokio::test]
async fn s4_3_steering_after_the_last_answer_is_heard_before_the_stop() {
    let model = ScriptedModel::new([Turn::text("done"), Turn::text("done better")]);
    let mut run = looking(&model).iterate("go").await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    assert!(!state.has_next());
    run.steer("better").await.unwrap();
    let state = run.finish().await.unwrap();
    assert_eq!(said(&state), ["go", "done", "better", "done better"]);
}

#[tokio::test]
async fn s4_3_a_state_fed_back_is_what_the_next_step_goes_on_from() {
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let mut run = looking(&model).iterate("go").await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    run.set(state.with_instructions("Be brief.").with_message("hurry")).unwrap();
    let state = run.finish().await.unwrap();
    assert_eq!(model.asked()[1].instructions, "Be brief.");
    assert_eq!(model.asked()[1].last(), "hurry");
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
}

#[tokio::test]
async fn s4_3_a_state_that_does_not_extend_is_refused_and_changes_nothing() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let mut run = looking(&model).iterate("go").await.unwrap();
    let first = run.next().await.unwrap().unwrap();
    let second = run.next().await.unwrap().unwrap();
    let forged: AgentState =
        serde_json::from_str(&serde_json::to_string(&second).unwrap()).unwrap();
    let foreign = AgentState::new(SessionId::new("other"));
    for (what, state) in [("older", first), ("forged", forged), ("foreign", foreign)] {
        let error = run.set(state).unwrap_err();
        assert!(matches!(error, Error::Lineage), "{what}: {error}");
        assert!(error.to_string().contains("does not extend"), "{what}: {error}");
    }
    let state = run.finish().await.unwrap();
    assert_eq!(said(&state), ["go", "1", "2", "done"]);
}

#[tokio::test]
async fn s4_3_a_state_fed_back_after_the_end_is_journaled() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model).store_in(store).build().unwrap();
    let mut run = agent.run("go").in_session("s").open().await.unwrap();
    while run.next().await.unwrap().is_some() {}
    run.set(run.state().clone().with_metadata("seen", Some(json!(true)))).unwrap();
    assert!(run.next().await.unwrap().is_none());
    let journal = agent.session("s").journal().await.unwrap();
    let last = &journal.entries().last().unwrap().event;
    assert!(matches!(last, Event::MetadataSet(_)), "{last:?}");
}

#[tokio::test]
async fn s4_3_cancelled_before_the_first_step_no_model_is_asked() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let run = looking(&model).iterate("go").await.unwrap();
    run.cancel();
    run.cancel();
    let state = run.finish().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn s4_3_interrupted_it_stays_in_progress_and_goes_on() {
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model)
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .store_in(store)
        .build()
        .unwrap();
    let mut run = agent.run("go").in_session("s").open().await.unwrap();
    run.next().await.unwrap().unwrap();
    run.interrupt();
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(run.state().status(), Some(&ExecutionStatus::InProgress));
    drop(run);
    assert_eq!(agent.resume("s").await.unwrap().text(), "done");
}

/// Says something and feeds a changed state back between steps, then leaves it.
async fn handled<R: StepByStep>(mut run: R, change: impl Fn(R::State) -> R::State) -> R {
    let state = run.next().await.unwrap().unwrap();
    run.set(change(state)).unwrap();
    run.steer("look left").await.unwrap();
    run.next().await.unwrap().unwrap();
    run.interrupt();
    assert!(run.control().interrupt.is_cancelled());
    assert!(!run.control().cancel.is_cancelled());
    assert!(run.next().await.unwrap().is_none());
    run
}

#[tokio::test]
async fn s4_3_who_knows_only_that_it_goes_on_step_by_step_has_the_whole_handle() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("never")]);
    let run = looking(&model).iterate("go").await.unwrap();
    let run = handled(run, |state| state.with_instructions("Be brief.")).await;
    assert_eq!(run.state().status(), Some(&ExecutionStatus::InProgress));
    assert_eq!(said(run.state()), ["go", "1", "look left", "2"]);
    assert_eq!(model.asked()[1].instructions, "Be brief.");
}

#[tokio::test]
async fn s4_2_an_agents_state_taken_through_serde_between_steps_ends_the_same() {
    let turns = || [call(1), call(2), Turn::text("done")];
    let whole = looking(&ScriptedModel::new(turns())).iterate("go").await.unwrap();
    let whole = whole.finish().await.unwrap();

    let agent = looking(&ScriptedModel::new(turns()));
    let mut run = agent.iterate("go").await.unwrap();
    run.next().await.unwrap().unwrap();
    run.steer("look left").await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    drop(run);
    let kept = serde_json::to_string(&state).unwrap();
    let state: AgentState = serde_json::from_str(&kept).unwrap();
    let session = state.session().clone();
    let mut run = agent.resume(session).on_state(state).open().await.unwrap();
    run.steer("look right").await.unwrap();
    while run.next().await.unwrap().is_some() {}
    let end = run.into_run().into_state();
    assert_eq!(said(&end), ["go", "1", "look left", "2", "look right", "done"]);
    assert_eq!(end.used(), whole.used());
    assert_eq!(end.step_count(), whole.step_count());
}

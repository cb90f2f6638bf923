//! A run that did not complete is an error that says why, and how to go on.

use std::sync::Arc;

use legwork_agent::continuation::{End, NextAction};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Error};
use legwork_core::{Budget, ExecutionStatus};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

fn agent(turns: Vec<Turn>, budget: Budget) -> Agent {
    let store = Arc::new(MemoryStore::new());
    Agent::builder(ScriptedModel::new(turns)).budget(budget).store_in(store).build().unwrap()
}

fn text(error: &Error) -> String {
    assert!(error.unfinished().is_some(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn s1_9_a_run_that_completed_is_ok_and_nothing_is_left_to_do() {
    let agent = agent(vec![Turn::text("done")], Budget::unlimited());
    let run = agent.run("go").in_session("s").await.unwrap();
    assert_eq!((run.end(), run.state().next_action()), (End::Completed, NextAction::Task));
}

#[tokio::test]
async fn s1_9_a_run_that_met_a_limit_is_an_error_that_names_the_limit_to_raise() {
    let calls = vec![Turn::call("none", json!({})), Turn::text("done")];
    let agent = agent(calls, Budget::unlimited().steps(1));
    let error = agent.run("go").in_session("s").await.unwrap_err();
    assert_eq!(
        text(&error),
        "session s: stopped: the limit of 1 steps leaves no room: 1 used, 1 wanted. \
         To go on, raise `Budget::steps`, then resume session s"
    );
    let Error::Unfinished(unfinished) = error else { panic!("it is no other error") };
    let run = unfinished.into_run();
    assert!(matches!(run.end(), End::Stopped(Some(_))), "{:?}", run.end());
    // What it says helps.
    let raised = run.into_state().with_budget(Budget::unlimited().steps(2));
    let resumed = agent.resume("s").on_state(raised).await.unwrap();
    assert_eq!(resumed.text(), "done");
}

#[tokio::test]
async fn s1_9_a_run_that_failed_is_an_error_with_the_cause_and_can_be_resumed() {
    let store = Arc::new(MemoryStore::new());
    let with = |turn: Turn| {
        let store: Arc<MemoryStore> = Arc::clone(&store);
        Agent::builder(ScriptedModel::new([turn])).store_in(store).build().unwrap()
    };
    let agent = with(Turn::status(401));
    let error = agent.run("go").in_session("s").await.unwrap_err();
    let run = error.unfinished().unwrap().run();
    let End::Failed(Some(cause)) = run.end() else { panic!("{:?}", run.end()) };
    let expected = format!("session s: failed: {}. To go on, resume session s", cause.message);
    assert_eq!(text(&error), expected);
    assert_eq!(with(Turn::text("done")).resume("s").await.unwrap().text(), "done");
}

#[tokio::test]
async fn s1_9_a_run_that_was_cancelled_takes_a_new_task() {
    let agent = agent(vec![Turn::text("done")], Budget::unlimited());
    let control = Control::default();
    control.cancel.cancel();
    let error = agent.run("go").in_session("s").control(control).await.unwrap_err();
    let told = text(&error);
    let expected = "session s: cancelled: it was cancelled. \
                    To go on, give session s a new task";
    assert_eq!(told, expected);
}

#[tokio::test]
async fn s1_9_a_run_that_was_interrupted_is_resumed() {
    let agent = agent(vec![Turn::text("done")], Budget::unlimited());
    let control = Control::default();
    control.interrupt.cancel();
    let error = agent.run("go").in_session("s").control(control).await.unwrap_err();
    assert_eq!(text(&error), "session s: interrupted. To go on, resume session s");
}

#[tokio::test]
async fn s1_9_the_outcome_and_the_stream_give_every_end_as_a_value() {
    let calls = || vec![Turn::call("none", json!({}))];
    let one = Budget::unlimited().steps(1);
    let run = agent(calls(), one.clone()).run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let run = agent(calls(), one.clone()).run("go").stream().outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let error = agent(calls(), one).run("go").stream().finish().await.unwrap_err();
    assert!(text(&error).contains("raise `Budget::steps`"), "{error}");
}

#[tokio::test]
async fn s1_9_what_is_no_end_of_a_run_is_an_error_of_its_outcome_too() {
    let agent = agent(vec![Turn::text("done")], Budget::unlimited());
    let error = agent.resume("nowhere").outcome().await.unwrap_err();
    assert!(matches!(error, Error::UnknownSession(_)), "{error}");
}

//! A new task for a session whose execution was left in progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Control, Error, hook};
use legwork_core::{AgentState, Budget, EffectClass, ExecutionStatus, Micros, Seq};
use legwork_port::Trigger;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, guarded, said, spec};

/// An agent whose first task waits at a gate for ever.
fn agent(store: &Arc<MemoryStore>, gate: &Gate) -> Builder {
    let model = ScriptedModel::new([Turn::call("wait", json!({"n": 1})), Turn::text("done")]);
    let wait = spec("wait").effect(EffectClass::Idempotent);
    Agent::builder(model).tools([guarded(wait, &World::default(), gate)]).store_in(store.clone())
}

/// Leaves the session `s` in progress, as the death of a process does.
async fn leave(agent: &Agent, gate: &Gate) {
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
}

#[tokio::test]
async fn s1_9_s7_7_a_new_task_outlives_an_interrupt_while_the_execution_before_it_ends() {
    use Trigger as T;
    for trigger in [T::AfterToolUse, T::StepEnd, T::BeforeStop, T::ExecutionEnd, T::ExecutionStart]
    {
        let (store, gate, held) = (Arc::new(MemoryStore::new()), Gate::new(), Gate::new());
        let (waits, armed) = (held.clone(), Arc::new(AtomicBool::new(false)));
        let arm = Arc::clone(&armed);
        let waits = hook("waits", [trigger], move |state: AgentState, _| {
            let (held, waits) = (waits.clone(), armed.swap(false, Ordering::SeqCst));
            async move {
                if waits {
                    held.pass().await;
                }
                Ok(state)
            }
        });
        let agent = agent(&store, &gate).hook(waits).build().unwrap();
        leave(&agent, &gate).await;
        arm.store(true, Ordering::SeqCst);
        let control = Control::default();
        let request = agent.run("no, do this").in_session("s").control(control.clone());
        let interrupt = async {
            held.arrived(1).await;
            control.interrupt.cancel();
        };
        let run = tokio::join!(request.outcome(), interrupt).0.unwrap();
        assert_eq!(run.status(), ExecutionStatus::InProgress, "in a hook on {trigger:?}");
        assert_eq!(run.state().facts().executions, 2);
        let run = agent.resume("s").await.unwrap();
        assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
        let said = said(run.state());
        assert_eq!(said.iter().filter(|said| *said == "no, do this").count(), 1, "{said:?}");
    }
}

#[tokio::test]
async fn s1_9_a_task_that_may_be_resumed_is_given_once() {
    let (store, gate) = (Arc::new(MemoryStore::new()), Gate::new());
    let agent = agent(&store, &gate).build().unwrap();
    leave(&agent, &gate).await;
    gate.open();
    // As a queue delivers a job again, whose first worker died.
    let again = || agent.run("go").in_session("s").or_resume();
    let run = again().await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    assert_eq!(run.state().facts().executions, 1);
    assert_eq!(said(run.state()).iter().filter(|said| *said == "go").count(), 1);
    let entries = run.state().version();
    // What completed is given as it is: the script has no turn left.
    let run = again().await.unwrap();
    assert_eq!((run.text().as_str(), run.state().version()), ("done", entries));
}

#[tokio::test]
async fn s1_9_a_task_that_may_be_resumed_begins_a_new_session() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).store_in(store).build().unwrap();
    let run = agent.run("go").in_session("s").or_resume().await.unwrap();
    assert_eq!(
        (&*run.text(), said(run.state())),
        ("done", vec!["go".to_owned(), "done".to_owned()])
    );
    // Without a session there is nothing to go on with.
    let run = agent.run("go").or_resume().await.unwrap();
    assert_eq!((run.text(), run.state().facts().executions), ("done".to_owned(), 1));
    assert_ne!(run.session().as_str(), "s");
}

#[tokio::test]
async fn s1_9_a_task_that_failed_is_resumed_as_any_other() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let builder = || Agent::builder(model.clone()).store_in(store.clone());
    let agent = builder().budget(Budget::unlimited().steps(0)).build().unwrap();
    let request = |agent: &Agent| agent.run("go").in_session("s").or_resume();
    let stopped = request(&agent).outcome().await.unwrap();
    assert_eq!(stopped.status(), ExecutionStatus::Stopped);
    // It is told the same way however often it is asked for.
    let again = request(&agent).outcome().await.unwrap();
    assert_eq!(*again.state(), *stopped.state());
    let error = request(&agent).await.unwrap_err();
    assert_eq!(error.unfinished().unwrap().run().status(), ExecutionStatus::Stopped);
    let raised = builder().budget(Budget::unlimited().steps(1)).build().unwrap();
    assert_eq!(request(&raised).await.unwrap().text(), "done");
    // A head that was moved before the task gives it no second time.
    raised.session("s").move_head(Seq(2)).await.unwrap();
    assert!(matches!(request(&raised).await, Err(Error::Refused(_))));
}

#[tokio::test]
async fn s1_8_an_execution_that_died_is_charged_its_time_when_a_new_task_ends_it() {
    let (store, gate, clock) = (Arc::new(MemoryStore::new()), Gate::new(), VirtualClock::new());
    let agent = agent(&store, &gate).clock(Arc::new(clock.clone())).build().unwrap();
    leave(&agent, &gate).await;
    clock.advance(Duration::from_secs(4));
    let run = agent.run("no, do this").in_session("s").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(run.state().ledger().lifetime.active_time, Micros(4_000_000));
}

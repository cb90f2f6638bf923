//! Where a run stops, fails or is interrupted, nothing is left open, lost or done again.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Driver, ToolCalling, hook};
use legwork_core::continuation::{ErrorHandler, FailExecution, Failure};
use legwork_core::error::ErrorRecord;
use legwork_core::inbox::Item;
use legwork_core::{AgentState, ExecutionStatus};
use legwork_port::Trigger;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};

use crate::sets::Set;
use crate::stepping::stepping;
use crate::tools::{World, said};

/// Says of an execution that failed that it goes on, a few times.
#[derive(Clone, Default)]
struct GoesOn(World);

impl ErrorHandler for GoesOn {
    fn handle(&self, state: &AgentState, error: &ErrorRecord) -> Failure {
        self.0.note("asked");
        let failed = FailExecution.handle(state, error);
        match self.0.notes().len() {
            1..=5 => Failure { status: ExecutionStatus::InProgress, ..failed },
            _ => failed,
        }
    }
}

#[tokio::test]
async fn s2_1_an_error_handler_that_names_no_end_is_asked_once_and_the_execution_fails() {
    let handler = GoesOn::default();
    let model = ScriptedModel::new([Turn::status(401)]);
    let agent = Agent::builder(model).error_handler(handler.clone()).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!((run.status(), handler.0.count("asked")), (ExecutionStatus::Failed, 1));
}

#[tokio::test]
async fn s7_5_a_follow_up_stays_queued_where_the_run_is_cancelled_before_it_is_taken() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = Agent::builder(model).store_in(store).build().unwrap();
    let mut active = agent.run("go").in_session("s").open().await.unwrap();
    let session = agent.session("s");
    session.follow_up("and then?").await.unwrap();
    active.next().await.unwrap();
    active.cancel();
    while active.next().await.unwrap().is_some() {}
    let run = active.into_run();
    assert_eq!(run.state().facts().follow_ups.len(), 1);
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state()), ["go", "one", "and then?", "two"]);
}

#[tokio::test]
async fn s7_5_a_follow_up_posted_with_a_stop_stays_queued() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = Agent::builder(model).store_in(store).build().unwrap();
    let mut active = agent.run("go").in_session("s").open().await.unwrap();
    let session = agent.session("s");
    active.next().await.unwrap();
    session.post("f", Item::FollowUp(Arc::new("and then?".into()))).await.unwrap();
    session.post("s", Item::Stop("enough".to_owned())).await.unwrap();
    while active.next().await.unwrap().is_some() {}
    let run = active.into_run();
    assert_eq!(run.state().facts().follow_ups.len(), 1);
}

/// A driver that panics two seconds after its step is committed.
fn dies(clock: Arc<VirtualClock>) -> impl Driver {
    stepping(move |state, cx| {
        let clock = Arc::clone(&clock);
        Box::pin(async move {
            let state = ToolCalling.use_tools(state, cx).await?;
            let _ = cx.commit(state).await?;
            clock.advance(Duration::from_secs(2));
            panic!("no power")
        })
    })
}

#[tokio::test]
async fn s1_8_a_driver_that_panics_charges_no_time_before_its_step() {
    let clock = Arc::new(VirtualClock::new());
    clock.advance(Duration::from_secs(1_000));
    let model = ScriptedModel::new([Turn::text("one")]);
    let agent = Agent::builder(model)
        .store_in(Arc::new(MemoryStore::new()))
        .clock(clock.clone())
        .driver(dies(clock))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let active = Duration::from(run.state().ledger().lifetime.active_time);
    assert!(active <= Duration::from_secs(2), "{active:?}");
}

#[tokio::test]
async fn s6_11_toolsets_are_opened_and_closed_once_in_each_run_whatever_came_of_it() {
    for (turn, status) in [
        (Turn::text("done"), ExecutionStatus::Completed),
        (Turn::status(401), ExecutionStatus::Failed),
    ] {
        let world = World::default();
        let agent = Agent::builder(ScriptedModel::new([turn]))
            .toolset(Set::new("first").noting(&world))
            .toolset(Set::new("second").noting(&world))
            .build()
            .unwrap();
        assert_eq!(agent.run("go").outcome().await.unwrap().status(), status);
        let once = ["first opens", "second opens", "first closes", "second closes"];
        assert_eq!(world.notes(), once);
        agent.run("go").outcome().await.unwrap();
        assert_eq!(world.notes()[4..], once, "in the next run again");
    }
}

#[tokio::test]
async fn s7_7_a_hook_that_was_interrupted_after_an_inference_sees_it_again() {
    interrupted_after_an_inference(None).await;
    interrupted_after_an_inference(Some("be brief")).await;
}

/// Interrupts a hook that waits, and says something to the session before it is resumed.
async fn interrupted_after_an_inference(said: Option<&str>) {
    let (clock, gate, world) = (Arc::new(VirtualClock::new()), Gate::new(), World::default());
    let (waits, seen) = (gate.clone(), world.clone());
    let hook = hook("looks", [Trigger::AfterInference], move |state: AgentState, _| {
        let (gate, world) = (waits.clone(), seen.clone());
        async move {
            world.note("began");
            gate.pass().await;
            world.note("ended");
            Ok(state)
        }
    });
    let agent = Agent::builder(ScriptedModel::new([Turn::text("one"), Turn::text("two")]))
        .store_in(Arc::new(MemoryStore::new()))
        .clock(clock.clone())
        .hook(hook)
        .build()
        .unwrap();
    let control = Control::default();
    let run = agent.run("go").in_session("s").control(control.clone());
    let interrupts = async {
        gate.arrived(1).await;
        clock.advance(Duration::from_millis(10));
        control.interrupt.cancel();
    };
    let run = tokio::join!(interrupts, run.outcome()).1.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    gate.open();
    if let Some(said) = said {
        agent.session("s").steer(said).await.unwrap();
    }
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes()[..3], ["began", "began", "ended"]);
}

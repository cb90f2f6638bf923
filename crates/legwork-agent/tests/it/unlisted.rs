//! Calls whose tools are not known when a session is taken up again.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Run};
use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, ExecutionStatus, ToolOutcome};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::sets::Set;
use crate::tools::{World, noting, once, outcomes, spec, waiting};

/// A source that waits at a gate when it is asked for its tools.
pub(crate) fn far(gate: Gate) -> Set {
    Set::new("far").listing_late(move |_| {
        let gate = gate.clone();
        Box::pin(async move {
            gate.pass().await;
            Ok(Vec::new())
        })
    })
}

/// What a session asked for that died; one call was answered, one was at work.
const BEGUN: &[&str] = &["send", "wait"];
/// The same with one that had not begun.
const ALL: &[&str] = &["send", "wait", "alone"];

/// An agent of three tools and another source; its first turn asks for some of the three.
fn agent(asked: &[&'static str], store: &MemoryStore, gate: &Gate, far: Set) -> Agent {
    let world = World::default();
    let alone = spec("alone").effect(EffectClass::ReadOnly).mode(ExecutionMode::Sequential);
    let alone =
        crate::tools::made(alone, |_, _| Box::pin(std::future::ready(ToolOutcome::text("alone"))));
    let calls: Vec<_> = asked.iter().map(|name| (*name, json!({"n": 1}))).collect();
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    Agent::builder(model)
        .tools([noting("send", once(), &world), alone])
        .tool(waiting("wait", ExecutionMode::ParallelOrdered, &world, gate))
        .toolset(far)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap()
}

/// A session that died while one of its calls was at work.
async fn died(asked: &[&'static str]) -> MemoryStore {
    let (store, gate) = (MemoryStore::new(), Gate::new());
    let seen = RecordingObserver::new();
    let agent = agent(asked, &store, &gate, Set::new("far"));
    let answered = seen.until_committed("tool_finished");
    tokio::select! {
        _ = agent.run("go").in_session("s").observer(Arc::new(seen.clone())) => {
            unreachable!("it waits at the gate")
        }
        _ = answered => {}
    }
    store
}

#[tokio::test]
async fn s6_11_calls_of_a_step_whose_tools_cannot_be_told_any_more_fail_and_answers_stay() {
    for asked in [BEGUN, ALL] {
        let store = died(asked).await;
        let far = Set::new("far").tools([noting("send", once(), &World::default())]);
        let run = agent(asked, &store, &Gate::new(), far).resume("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        let failed = ToolOutcome::failed(
            "two tools are named `send`, one given to the builder and one of the toolset `far`: \
             rename one of them, or leave one out",
        );
        let mut expected = vec![failed; asked.len()];
        expected[0] = ToolOutcome::value(json!(1));
        assert_eq!(outcomes(run.state()), expected);
    }
}

/// A session whose source of tools does not answer is taken up, and ended meanwhile.
async fn ended(asked: &[&'static str], store: &MemoryStore, end: fn(&Control)) -> Run {
    let (reached, control) = (Gate::new(), Control::default());
    let waits = reached.clone();
    let agent = agent(asked, store, &Gate::new(), far(waits));
    let run = async { agent.resume("s").control(control.clone()).outcome().await.unwrap() };
    let ending = async {
        reached.arrived(1).await;
        end(&control);
    };
    tokio::join!(run, ending).0
}

#[tokio::test]
async fn s7_7_cancelled_while_the_tools_are_asked_for_open_calls_are_answered_and_none_runs() {
    for asked in [BEGUN, ALL] {
        let store = died(asked).await;
        let run = ended(asked, &store, |control| control.interrupt.cancel()).await;
        assert_eq!(run.status(), ExecutionStatus::InProgress);
        let calls = &run.state().current_step().unwrap().calls;
        let answered = calls.iter().filter(|slot| slot.execution().is_some()).count();
        assert_eq!(answered, 1, "an interrupt answers nothing");

        let run = ended(asked, &store, |control| control.cancel.cancel()).await;
        assert_eq!(run.status(), ExecutionStatus::Cancelled);
        let all = outcomes(run.state());
        assert_eq!(all[..2], [ToolOutcome::value(json!(1)), ToolOutcome::Interrupted]);
        assert!(all[2..].iter().all(|one| matches!(one, ToolOutcome::Skipped(_))), "{all:?}");
        assert_eq!(all.len(), asked.len());
    }
}

//! Calls whose tools are not known when a session is taken up again.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control};
use legwork_core::tool::ExecutionMode;
use legwork_core::{AgentState, EffectClass, ExecutionStatus, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, ToolContext, Toolset};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting, once, outcomes, spec, waiting};

type Listed = Result<Vec<Arc<ToolSpec>>, String>;

/// A source that says its tools as `tell` does; it has none.
struct Tells<F>(F);

impl<F> Toolset for Tells<F>
where
    F: Fn() -> BoxFuture<'static, Listed> + Send + Sync,
{
    fn name(&self) -> &str {
        "far"
    }

    fn specs<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Listed> {
        (self.0)()
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::text("never")))
    }
}

/// An agent of three tools and another source; its first turn asks for each of the three.
fn agent<F>(store: &MemoryStore, gate: &Gate, tell: F) -> Agent
where
    F: Fn() -> BoxFuture<'static, Listed> + Send + Sync + 'static,
{
    let world = World::default();
    let alone = spec("alone").effect(EffectClass::ReadOnly).mode(ExecutionMode::Sequential);
    let alone =
        crate::tools::made(alone, |_, _| Box::pin(std::future::ready(ToolOutcome::text("alone"))));
    let calls = ["send", "wait", "alone"].map(|name| (name, json!({"n": 1})));
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    Agent::builder(model)
        .tools([noting("send", once(), &world), alone])
        .tool(waiting("wait", ExecutionMode::ParallelOrdered, &world, gate))
        .toolset(Tells(tell))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap()
}

/// A session that died: one call was answered, one was at work, one had not begun.
async fn died() -> MemoryStore {
    let (store, gate) = (MemoryStore::new(), Gate::new());
    let seen = RecordingObserver::new();
    let agent = agent(&store, &gate, || Box::pin(std::future::ready(Ok(Vec::new()))));
    let answered = seen.until(|news| {
        matches!(news, legwork_testkit::News::Committed(_, entry)
            if entry.event.kind() == "tool_finished")
    });
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
    let store = died().await;
    let tell = || Box::pin(std::future::ready(Err("no line".to_owned()))) as BoxFuture<'_, _>;
    let run = agent(&store, &Gate::new(), tell).resume("s").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let failed = ToolOutcome::failed("the toolset `far` cannot tell its tools: no line");
    assert_eq!(outcomes(run.state()), [ToolOutcome::Ok(json!(1)), failed.clone(), failed]);
}

#[tokio::test]
async fn s7_7_cancelled_while_the_tools_are_asked_for_open_calls_are_answered_and_none_runs() {
    let (store, asked, control) = (died().await, Gate::new(), Control::default());
    let waits = asked.clone();
    let tell = move || {
        let waits = waits.clone();
        Box::pin(async move {
            waits.pass().await;
            Ok(Vec::new())
        }) as BoxFuture<'_, _>
    };
    let agent = agent(&store, &Gate::new(), tell);

    // An interrupt answers nothing.
    let leaves = Control::default();
    let run = async { agent.resume("s").control(leaves.clone()).await.unwrap() };
    let (run, ()) = tokio::join!(run, async {
        asked.arrived(1).await;
        leaves.interrupt.cancel();
    });
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    let step = run.state().current_step().unwrap();
    assert_eq!(step.calls.iter().filter(|slot| slot.execution().is_some()).count(), 1);

    let run = async { agent.resume("s").control(control.clone()).await.unwrap() };
    let (run, ()) = tokio::join!(run, async {
        asked.arrived(2).await;
        control.cancel.cancel();
    });
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    let skipped = ToolOutcome::Skipped("the execution was cancelled".to_owned());
    let expected = [ToolOutcome::Ok(json!(1)), ToolOutcome::Interrupted, skipped];
    assert_eq!(outcomes(run.state()), expected);
}

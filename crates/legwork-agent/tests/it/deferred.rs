//! Results that come later, and bodies that stop or finish the execution.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_core::inbox::Answer;
use legwork_core::state::PendingReason;
use legwork_core::tool::EndStrategy;
use legwork_core::{EffectClass, ExecutionStatus, StopReason, ToolOutcome};
use legwork_port::{Clock as _, Tool};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::{Value, json};

use crate::tools::{World, made, noting, once, outcomes, said, spec};

fn ready(
    name: &'static str,
    world: &World,
    answer: impl Fn(&Value) -> ToolOutcome + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec(name).effect(EffectClass::Idempotent), move |arguments, _| {
        world.note(format!("{name} {}", arguments["n"]));
        Box::pin(std::future::ready(answer(&arguments)))
    })
}

fn turns(calls: &[(&'static str, u32)]) -> ScriptedModel {
    let calls = calls.iter().map(|(name, n)| (*name, json!({"n": n})));
    ScriptedModel::new([Turn::calls(calls), Turn::text("done")])
}

#[tokio::test]
async fn s6_4_a_deferred_result_is_supplied_from_outside() {
    let (world, store) = (World::default(), MemoryStore::new());
    for (session, decorated) in [("body", false), ("set", true)] {
        let body = ready("render", &world, |_| ToolOutcome::deferred());
        let builder = Agent::builder(turns(&[("render", 1), ("look", 2)]))
            .tool(noting("look", EffectClass::ReadOnly, &world))
            .store_in(Arc::new(store.clone()));
        let builder = match decorated {
            true => builder.toolset(Tools::new("farm", [body]).deferred()),
            false => builder.tool(body),
        };
        let agent = builder.build().unwrap();
        let run = agent.run("go").in_session(session).outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingInput);
        let pending = run.state().pending()[0].clone();
        assert_eq!(pending.reason, PendingReason::External);
        agent.session(session).answer(Answer::supply(&pending, json!("frame.png"))).await.unwrap();
        let run = agent.resume(session).await.unwrap();
        assert_eq!(said(run.state())[1..3], ["frame.png", "2"]);
    }
    assert_eq!(world.count("render 1"), 1, "the body of a deferred tool does not run");
    assert_eq!(world.count("look 2"), 2);
}

#[tokio::test]
async fn s6_4_s7_2_a_call_that_is_deferred_until_a_time_runs_again_then() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::auto());
    let until = legwork_core::Timestamp(clock.now().wall.0 + 90_000);
    let (polled, now) = (world.clone(), clock.clone());
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
        polled.note("polled");
        let outcome = match now.now().wall < until {
            true => ToolOutcome::deferred_until(until),
            false => ToolOutcome::text("ready"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("poll", 1)]))
        .tool(poll)
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").await.unwrap();
    assert_eq!(said(run.state())[1], "ready");
    assert_eq!(world.notes(), ["polled", "polled"]);
    assert!(clock.now().wall >= until);
    let active = run.state().ledger().spent.active_time;
    assert!(Duration::from(active) < Duration::from_secs(60), "waiting is no work: {active}");
    assert_eq!(run.state().ledger().spent.tool_calls, 1);
}

#[tokio::test]
async fn s6_4_a_body_may_stop_the_execution() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("hang_up", 1), ("send", 2)]);
    let agent = Agent::builder(model.clone())
        .tool(ready("hang_up", &world, |_| ToolOutcome::stopped("the line is dead")))
        .tool(made(
            spec("send").effect(once()).mode(legwork_core::tool::ExecutionMode::Sequential),
            |_, _| unreachable!("it does not begin"),
        ))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let why = run.state().stop_signal().unwrap().clone();
    assert_eq!((&why.reason, &*why.source), (&StopReason::StopRequested, "hang_up"));
    assert_eq!(why.message, "the line is dead");
    assert_eq!(model.requests().len(), 1);
    assert!(matches!(outcomes(run.state())[1], ToolOutcome::Skipped(_)));
}

#[tokio::test]
async fn s6_4_a_body_may_finish_the_execution_with_a_value() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("close", 1)]);
    let agent = Agent::builder(model.clone())
        .tool(ready("close", &world, |_| ToolOutcome::finished(json!({"total": 3}))))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").await.unwrap();
    assert_eq!(run.output(), Some(&json!({"total": 3})));
    assert_eq!(model.requests().len(), 1, "the model is not asked again");
}

#[tokio::test]
async fn s6_13_the_end_strategy_says_which_calls_run_beside_an_output() {
    // The second and the fourth give the output; the second succeeds.
    let calls = [("look", 1), ("answer", 2), ("look", 3), ("answer", 4)];
    let expected = [
        (EndStrategy::Early, vec!["answer 2"]),
        (EndStrategy::Graceful, vec!["look 1", "answer 2", "look 3"]),
        (EndStrategy::Exhaustive, vec!["look 1", "answer 2", "look 3", "answer 4"]),
    ];
    for (strategy, notes) in expected {
        let (world, store) = (World::default(), MemoryStore::new());
        let answer = {
            let world = world.clone();
            made(
                spec("answer").effect(EffectClass::Idempotent).gives_output(),
                move |arguments, _| {
                    world.note(format!("answer {}", arguments["n"]));
                    Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
                },
            )
        };
        let agent = Agent::builder(turns(&calls))
            .tools([answer, noting("look", EffectClass::ReadOnly, &world)])
            .end_strategy(strategy)
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        let mut ran = world.notes();
        ran.sort_by_key(|note| note.rsplit(' ').next().map(str::to_owned));
        assert_eq!(ran, notes, "{strategy:?}");
        assert_eq!(run.output(), Some(&json!(2)), "{strategy:?}");
        assert_eq!(outcomes(run.state()).len(), 4, "each call is answered once");
    }
}

/// Gives its number as the output, if that is an even one.
fn even(world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec("answer").effect(EffectClass::Idempotent).gives_output(), move |arguments, _| {
        let n = arguments["n"].as_u64().unwrap();
        world.note(format!("answer {n}"));
        let outcome = match n % 2 {
            0 => ToolOutcome::value(json!(n)),
            _ => ToolOutcome::failed("it is odd"),
        };
        Box::pin(std::future::ready(outcome))
    })
}

#[tokio::test]
async fn s6_13_a_call_that_failed_gave_no_output() {
    for strategy in [EndStrategy::Early, EndStrategy::Graceful] {
        let world = World::default();
        let agent = Agent::builder(turns(&[("answer", 1), ("answer", 2), ("answer", 4)]))
            .tool(even(&world))
            .end_strategy(strategy)
            .build()
            .unwrap();
        let run = agent.run("go").await.unwrap();
        assert_eq!(world.notes(), ["answer 1", "answer 2"], "{strategy:?}");
        assert_eq!(run.output(), Some(&json!(2)), "{strategy:?}");
    }
}

#[tokio::test]
async fn s6_13_a_call_that_waits_for_approval_is_not_dropped_for_an_output() {
    for strategy in [EndStrategy::Early, EndStrategy::Graceful, EndStrategy::Exhaustive] {
        let (world, store) = (World::default(), MemoryStore::new());
        let send = Tools::new("asked", [noting("send", once(), &world)]);
        let agent = Agent::builder(turns(&[("send", 1), ("answer", 2)]))
            .tool(even(&world))
            .toolset(send.approval_required(Ask::always()))
            .end_strategy(strategy)
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingApproval, "{strategy:?}");
        let answer = Answer::approve(&run.state().pending()[0]);
        agent.session("s").answer(answer).await.unwrap();
        let run = agent.resume("s").await.unwrap();
        assert_eq!(world.notes(), ["answer 2", "send 1"], "{strategy:?}");
        assert_eq!(run.output(), Some(&json!(2)), "{strategy:?}");
    }
}

//! Bodies that ask a person for input in the middle of their work.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Error};
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::state::{Pending, PendingReason, Refusal};
use legwork_core::tool::{ExecutionMode, FailureKind, InputRequest};
use legwork_core::{AgentState, ExecutionStatus, ToolOutcome, ToolSpec};
use legwork_port::Tool;
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, made, noting, once, outcomes, said, spec};

fn turns(calls: &[(&'static str, u32)]) -> ScriptedModel {
    let calls = calls.iter().map(|(name, n)| (*name, json!({"n": n})));
    ScriptedModel::new([Turn::calls(calls), Turn::text("done")])
}

/// A tool of class `Once` that asks which branch, and whether it is sure, before it deletes.
fn delete(world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec("delete").effect(once()), move |_, cx| {
        let said: Vec<_> = cx.supplied().iter().map(|one| one.value.clone()).collect();
        let outcome = match &said[..] {
            [] => InputRequest::new("which branch?").with_state(json!({"seen": 3})).into(),
            [_] => ToolOutcome::needs_input("sure?"),
            [branch, sure, ..] => {
                assert_eq!(cx.supplied()[0].request.message, "which branch?");
                assert_eq!(cx.supplied()[0].request.state(), Some(&json!({"seen": 3})));
                world.note(format!("deleted {branch} {sure}"));
                ToolOutcome::text("deleted")
            }
        };
        world.note(format!("{} said", said.len()));
        Box::pin(std::future::ready(outcome))
    })
}

/// An agent that deletes branches; each build is another process.
fn gardener(world: &World, store: &MemoryStore, calls: &[(&'static str, u32)]) -> Builder {
    Agent::builder(turns(calls))
        .tool(delete(world))
        .tool(noting("send", once(), world))
        .store_in(Arc::new(store.clone()))
}

fn waits(state: &AgentState) -> Pending {
    assert_eq!(state.status(), Some(&ExecutionStatus::AwaitingInput));
    let [pending] = state.pending() else { panic!("{:?}", state.pending()) };
    assert_eq!(pending.reason, PendingReason::Input);
    pending.clone()
}

async fn asks(agent: &Agent) -> Pending {
    waits(agent.run("go").in_session("s").outcome().await.unwrap().state())
}

#[tokio::test]
async fn s6_4_s7_9_a_body_asks_for_input_and_runs_again_with_all_it_was_given() {
    let (world, store) = (World::default(), MemoryStore::new());
    let calls = [("delete", 1), ("send", 2)];
    let pending = asks(&gardener(&world, &store, &calls).build().unwrap()).await;
    assert_eq!(pending.explanation.as_deref(), Some("which branch?"));
    assert_eq!(world.notes(), ["0 said", "send 2"], "the rest of the turn runs first");

    // Each answer comes from another process.
    let agent = gardener(&world, &store, &calls).build().unwrap();
    agent.session("s").answer(Answer::supply(&pending, json!("main"))).await.unwrap();
    let again = waits(agent.resume("s").outcome().await.unwrap().state());
    assert_eq!((again.explanation.as_deref(), &again.id), (Some("sure?"), &pending.id));
    assert_ne!(again.digest, pending.digest);

    let agent = gardener(&world, &store, &calls).build().unwrap();
    // One to the question before comes too late, and changes nothing.
    for late in [Answer::supply(&pending, json!("main")), Answer::deny(&pending, "no")] {
        let refused = agent.session("s").answer(late).await.unwrap_err();
        assert!(matches!(refused, Error::Refused(Refusal::OtherCall { .. })), "{refused}");
    }
    agent.session("s").answer(Answer::supply(&again, json!(true)).by("Ann")).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    let notes = world.notes();
    assert_eq!(notes[2..], ["1 said", "deleted \"main\" true", "2 said"]);
    assert_eq!(said(run.state())[1..3], ["deleted", "2"]);
    assert_eq!(run.state().ledger().spent.tool_calls, 2, "it is one call");
}

#[tokio::test]
async fn s7_9_what_is_no_input_is_refused_and_a_denial_is_a_result() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = gardener(&world, &store, &[("delete", 1)]).build().unwrap();
    let pending = asks(&agent).await;
    let session = agent.session("s");
    for verdict in [Answer::approve(&pending).verdict, Verdict::RunAgain, Verdict::Tell] {
        let refused = session.answer(Answer::new(&pending.id, verdict)).await.unwrap_err();
        assert!(matches!(refused, Error::Refused(Refusal::OtherAnswer { .. })), "{refused}");
    }
    session.answer(Answer::deny(&pending, "not today").by("Ann")).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    let denied = ToolOutcome::Denied { by: "Ann".into(), reason: "not today".into() };
    assert_eq!(outcomes(run.state()), [denied]);
    assert_eq!(world.notes(), ["0 said"], "its body does not run again");
}

#[tokio::test]
async fn s7_9_a_request_for_input_expires_and_steering_ends_it() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::new());
    let request = InputRequest::new("which?").expires_in(Duration::from_secs(60));
    let ask = made(spec("ask"), move |_, _| Box::pin(std::future::ready(request.clone().into())));
    let build = || {
        let (clock, store) = (Arc::new(clock.clone()), Arc::new(store.clone()));
        let agent = Agent::builder(turns(&[("ask", 1)])).tool(ask.clone()).clock(clock);
        agent.store_in(store).build().unwrap()
    };
    asks(&build()).await;
    clock.advance(Duration::from_secs(61));
    let run = build().resume("s").await.unwrap();
    let [ToolOutcome::Denied { by, .. }] = &outcomes(run.state())[..] else { panic!() };
    assert_eq!(by, "the time limit");

    let agent = gardener(&world, &store, &[("delete", 1)]).build().unwrap();
    let run = agent.run("go").in_session("t").outcome().await.unwrap();
    let pending = waits(run.state());
    agent.session("t").steer("leave it").await.unwrap();
    let run = agent.resume("t").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted], "its body ran before");
    let late = agent.session("t").answer(Answer::supply(&pending, json!("main"))).await;
    assert!(matches!(late, Err(Error::Refused(_))), "{late:?}");
}

#[tokio::test]
async fn s7_9_a_body_that_may_run_again_after_its_input_is_in_doubt_as_any() {
    let (world, store) = (World::default(), MemoryStore::new());
    let calls = [("delete", 1)];
    let agent = gardener(&world, &store, &calls).build().unwrap();
    let mut pending = asks(&agent).await;
    for input in ["main", "yes"] {
        agent.session("s").answer(Answer::supply(&pending, json!(input))).await.unwrap();
        let run = agent.resume("s").outcome().await.unwrap();
        if run.status() != ExecutionStatus::Completed {
            pending = waits(run.state());
        }
    }
    // The session as a process left it that died while the body ran with all of its input.
    let lines = String::from_utf8(store.lines(&"s".into()).unwrap()).unwrap();
    let lines: Vec<_> = lines.lines().collect();
    let last = lines.iter().rposition(|line| line.contains(r#""type":"tool_started""#)).unwrap();
    let cut = MemoryStore::new();
    cut.restore(&"s".into(), format!("{}\n", lines[..=last].join("\n")).as_bytes()).unwrap();
    let run = gardener(&world, &cut, &calls).build().unwrap().resume("s").outcome().await.unwrap();
    let [doubt] = run.state().pending() else { panic!("{:?}", run.state().pending()) };
    assert_eq!(doubt.reason, PendingReason::Doubt);
    let session = gardener(&world, &cut, &calls).build().unwrap().session("s");
    session.answer(Answer::new(&doubt.id, Verdict::RunAgain)).await.unwrap();
    let run = gardener(&world, &cut, &calls).build().unwrap().resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("deleted")]);
    assert_eq!(world.count("deleted \"main\" \"yes\""), 2, "a person said so");
}

#[tokio::test]
async fn s7_9_input_that_is_nested_too_deeply_is_refused_and_a_deep_state_is_its_text() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let store = MemoryStore::new();
    let ask = made(spec("ask"), move |_, cx| {
        let request = InputRequest::new("which?").with_state(deep(200)).with_schema(deep(200));
        let outcome = match cx.supplied() {
            [] => request.into(),
            [one] if one.request.state().is_some_and(|state| state.is_string()) => {
                one.read::<u8>().map_or_else(
                    |_| ToolOutcome::retry("no number"),
                    |n| ToolOutcome::text(n.to_string()),
                )
            }
            other => ToolOutcome::Failed(FailureKind::Hard, format!("{other:?}")),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("ask", 1)])).tool(ask).store_in(Arc::new(store));
    let agent = agent.build().unwrap();
    let pending = asks(&agent).await;
    let refused = agent.session("s").answer(Answer::supply(&pending, deep(200))).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::TooDeep))), "{refused:?}");
    agent.session("s").answer(Answer::supply(&pending, json!(7))).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(said(run.state())[1], "7");
}

#[tokio::test]
async fn s7_2_s7_9_what_a_call_holds_back_whose_body_asks_waits_with_it() {
    let asking = |spec: ToolSpec, world: &World| {
        let world = world.clone();
        made(spec.effect(once()), move |arguments, cx| {
            world.note(format!("write {} {}", arguments["n"], cx.supplied().len()));
            let outcome = match cx.supplied() {
                [] if arguments["n"] == 1 => ToolOutcome::needs_input("which?"),
                _ => ToolOutcome::value(arguments["n"].clone()),
            };
            Box::pin(std::future::ready(outcome))
        })
    };
    // A barrier holds back all behind it, and a resource what works on it.
    let barrier = spec("write").mode(ExecutionMode::Sequential);
    let shared = spec("write").resource("n");
    let calls = [("write", 1), ("write", 2), ("write", 1), ("send", 3)];
    for (spec, first) in
        [(barrier, &["write 1 0"][..]), (shared, &["write 1 0", "write 2 0", "send 3"][..])]
    {
        let (world, store) = (World::default(), MemoryStore::new());
        let build = || {
            let agent = Agent::builder(turns(&calls)).tool(asking(spec.clone(), &world));
            let agent = agent.tool(noting("send", once(), &world));
            agent.store_in(Arc::new(store.clone())).build().unwrap()
        };
        let mut run = build().run("go").in_session("s").outcome().await.unwrap();
        assert_eq!(world.notes(), first);
        while run.status() != ExecutionStatus::Completed {
            let pending = waits(run.state());
            build().session("s").answer(Answer::supply(&pending, json!("this"))).await.unwrap();
            run = build().resume("s").outcome().await.unwrap();
        }
        assert_eq!(said(run.state())[1..5], ["1", "2", "1", "3"]);
        assert_eq!(world.count("write 1 1"), 2, "each call is supplied with its own input");
    }
}

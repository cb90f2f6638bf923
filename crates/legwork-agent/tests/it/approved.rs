//! What an approval covers, and what runs of a call that was approved.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, ToolExt as _, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Run, hook};
use legwork_core::approval::{Remember, Request};
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use legwork_core::{AgentState, EffectClass, ExecutionStatus, StopReason, ToolOutcome};
use legwork_port::{Admission, Clock as _, Trigger};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, made, noting, once, outcomes, spec};

fn turns(calls: &[(&'static str, u32)]) -> ScriptedModel {
    let turns = calls.iter().map(|(name, n)| Turn::call(*name, json!({"n": n})));
    ScriptedModel::new(turns.chain([Turn::text("done")]).collect::<Vec<_>>())
}

fn one_waits(run: &Run) -> Pending {
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    let [pending] = run.state().pending() else { panic!("one call waits") };
    pending.clone()
}

#[tokio::test]
async fn s7_3_s14_6_a_tool_that_gives_the_output_is_approved_like_any_other() {
    let world = World::default();
    let pay = noting("pay", once(), &world).approval_required(Ask::always());
    let agent = Agent::builder(turns(&[("pay", 7)])).output_tool(pay).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    one_waits(&run);
    assert!(world.notes().is_empty(), "it ran unasked");
}

#[tokio::test]
async fn s6_7_s7_3_a_call_that_is_put_off_keeps_the_arguments_that_a_person_wrote() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::auto());
    let (noted, now) = (world.clone(), clock.clone());
    let pay = made(spec("pay").effect(EffectClass::Idempotent), move |arguments, _| {
        noted.note(format!("pay {}", arguments["n"]));
        let later = legwork_core::Timestamp(now.now().wall.0 + 5_000);
        Box::pin(ready(match noted.notes().len() {
            1 => ToolOutcome::deferred_until(later),
            _ => ToolOutcome::text("paid"),
        }))
    });
    let doubles = hook("doubles", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let n = state.current_tool_call().unwrap().arguments["n"].as_u64().unwrap();
        Ok(state.with_tool_call_arguments(json!({"n": 2 * n})))
    });
    let agent = Agent::builder(turns(&[("pay", 700)]))
        .toolset(Tools::new("bank", [pay]).approval_required(Ask::always()))
        .hook(doubles)
        .approver(async |pending: Pending, _: AgentState| {
            Some(Answer::approve_with(&pending, &json!({"n": 7})))
        })
        .store_in(Arc::new(store))
        .clock(Arc::new(clock))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["pay 7", "pay 7"]);
}

#[tokio::test]
async fn s7_3_arguments_that_a_person_wrote_are_blocked_as_those_of_the_model_are() {
    let (world, store) = (World::default(), MemoryStore::new());
    let tools = Tools::new("bank", [noting("pay", once(), &world)])
        .guarded("not one", |call| match call.arguments["n"].as_u64() {
            Some(1) => Admission::Block { by: "guard".into(), reason: "not one".into() },
            _ => Admission::Run,
        })
        .approval_required(Ask::always());
    let agent = Agent::builder(turns(&[("pay", 2)]))
        .toolset(tools)
        .store_in(Arc::new(store))
        .build()
        .unwrap();
    let pending = one_waits(&agent.run("go").in_session("s").outcome().await.unwrap());
    let answer = Answer::approve_with(&pending, &json!({"n": 1}));
    agent.session("s").answer(answer).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert!(matches!(outcomes(run.state())[0], ToolOutcome::Blocked { .. }));
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_3_an_approval_covers_what_the_same_policy_asks_and_no_other() {
    let (world, store) = (World::default(), MemoryStore::new());
    let cheap = |n: u64| n < 100;
    let tools = Tools::new("bank", [noting("pay", once(), &world)])
        .approval_required(
            Ask::once_per_session()
                .when(move |call| cheap(call.arguments["n"].as_u64().unwrap()))
                .because("it pays"),
        )
        .approval_required(
            Ask::once_per_session()
                .when(move |call| !cheap(call.arguments["n"].as_u64().unwrap()))
                .because("it pays a lot"),
        );
    let agent = Agent::builder(turns(&[("pay", 5), ("pay", 6), ("pay", 5000)]))
        .toolset(tools)
        .store_in(Arc::new(store))
        .build()
        .unwrap();
    let pending = one_waits(&agent.run("go").in_session("s").outcome().await.unwrap());
    let always = Answer::approve_and_remember(&pending, Remember::Tool);
    agent.session("s").answer(always).await.unwrap();
    let pending = one_waits(&agent.resume("s").outcome().await.unwrap());
    assert_eq!(pending.explanation.as_deref(), Some("it pays a lot"));
    assert_eq!(world.notes(), ["pay 5", "pay 6"]);
}

#[tokio::test]
async fn s7_3_what_always_asks_asks_though_an_approval_covered_such_calls() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("pay", 1), ("pay", 2)]);
    // Two policies with the same words, one after the other: as another process has it.
    let agent = |ask: Ask| {
        Agent::builder(model.clone())
            .toolset(Tools::new("bank", [noting("pay", once(), &world)]).approval_required(ask))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap()
    };
    let run = agent(Ask::each()).run("go").in_session("s").outcome().await.unwrap();
    let always = Answer::approve_and_remember(&one_waits(&run), Remember::Tool);
    agent(Ask::each()).session("s").answer(always).await.unwrap();
    one_waits(&agent(Ask::always()).resume("s").outcome().await.unwrap());
    assert_eq!(world.notes(), ["pay 1"]);
}

#[tokio::test]
async fn s7_3_where_a_hook_asks_too_the_shorter_time_holds() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::auto());
    let asks = hook("careful", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_call_needs_approval(Request::new("the hook asks")))
    });
    let ask = Ask::always().expires_in(Duration::from_secs(60));
    let tools = Tools::new("bank", [noting("pay", once(), &world)]).approval_required(ask);
    let agent = Agent::builder(turns(&[("pay", 5)]))
        .toolset(tools)
        .hook(asks)
        .store_in(Arc::new(store))
        .clock(Arc::new(clock))
        .build()
        .unwrap();
    let pending = one_waits(&agent.run("go").in_session("s").outcome().await.unwrap());
    assert_eq!(pending.explanation.as_deref(), Some("the hook asks"));
    let left = pending.expires_at.unwrap().0 - pending.asked_at.0;
    assert_eq!(left, 60_000);
}

#[tokio::test]
async fn s6_4_a_call_whose_body_runs_elsewhere_counts_for_limits() {
    let (world, store) = (World::default(), MemoryStore::new());
    let tools = || Tools::new("page", [noting("click", once(), &world)]).deferred();
    let builder =
        || Agent::builder(turns(&[("click", 1), ("click", 2)])).store_in(Arc::new(store.clone()));
    let limited = builder().toolset(tools().limited(1)).build().unwrap();
    let budgeted = builder()
        .toolset(tools())
        .budget(legwork_core::Budget::unlimited().tool_calls(1))
        .build()
        .unwrap();
    for (session, agent) in [("limited", limited), ("budget", budgeted)] {
        let run = agent.run("go").in_session(session).outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingInput);
        assert_eq!(run.state().used().tool_calls, 1);
        let pending = run.state().pending()[0].clone();
        agent.session(session).answer(Answer::supply(&pending, json!("clicked"))).await.unwrap();
        let run = agent.resume(session).outcome().await.unwrap();
        assert!(run.state().pending().is_empty(), "{session}: a second call waits");
        match session {
            "limited" => {
                assert!(matches!(outcomes(run.state())[1], ToolOutcome::Blocked { .. }));
            }
            _ => assert_eq!(run.state().stop_reason(), Some(&StopReason::ToolCallsLimit)),
        }
    }
}

#[tokio::test]
async fn s6_4_a_call_that_is_put_off_runs_again_a_second_later_at_least() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::auto());
    let (world, now) = (World::default(), clock.clone());
    let noted = world.clone();
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
        let time = now.now().wall;
        noted.note(time.0.to_string());
        Box::pin(ready(match noted.notes().len() {
            1..5 => ToolOutcome::deferred_until(legwork_core::Timestamp(time.0 + 1)),
            _ => ToolOutcome::text("ready"),
        }))
    });
    let agent = Agent::builder(turns(&[("poll", 1)]))
        .tool(poll)
        .store_in(Arc::new(store))
        .clock(Arc::new(clock))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let times: Vec<i64> = world.notes().iter().map(|time| time.parse().unwrap()).collect();
    assert_eq!(times.len(), 5);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 1_000), "{times:?}");
}

#[tokio::test]
async fn s7_3_a_channel_to_somebody_who_asks_people_is_an_approver() {
    let (world, store) = (World::default(), MemoryStore::new());
    let (questions, mut asked) = tokio::sync::mpsc::channel::<(Pending, Answers)>(1);
    let agent = Agent::builder(turns(&[("pay", 1), ("pay", 2)]))
        .toolset(
            Tools::new("bank", [noting("pay", once(), &world)]).approval_required(Ask::always()),
        )
        .approver(move |pending: Pending, _: AgentState| {
            let questions = questions.clone();
            async move {
                let (answer, answered) = tokio::sync::oneshot::channel();
                questions.send((pending, answer)).await.ok()?;
                answered.await.ok()
            }
        })
        .store_in(Arc::new(store))
        .build()
        .unwrap();
    let person = async {
        let (pending, answer) = asked.recv().await.unwrap();
        answer.send(Answer::approve(&pending)).unwrap();
        // The second is left: whoever asked has gone.
        drop(asked.recv().await.unwrap());
    };
    let (run, ()) = tokio::join!(agent.run("go").in_session("s").outcome(), person);
    one_waits(&run.unwrap());
    assert_eq!(world.notes(), ["pay 1"]);
}

type Answers = tokio::sync::oneshot::Sender<Answer>;

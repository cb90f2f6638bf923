//! Calls that a person has to approve: asked after the rest of the turn, answered anywhere.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Builder, Error, Subagent, hook};
use legwork_core::approval::Remember;
use legwork_core::inbox::{Answer, Item, Verdict};
use legwork_core::state::{Pending, PendingReason, Refusal};
use legwork_core::tool::{ExecutionMode, FailureKind, OnBlock};
use legwork_core::{AgentState, EffectClass, ExecutionStatus, ToolOutcome};
use legwork_port::{Admission, Clock as _, Store as _, Tool, Trigger};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::subagents::{scripted, spawn};
use crate::tools::{World, made, noting, once, outcomes, said, spec};

/// A set whose calls have to be approved.
fn asked(ask: Ask, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> impl legwork_port::Toolset {
    Tools::new("asked", tools).approval_required(ask)
}

fn turns(calls: &[(&'static str, u32)]) -> ScriptedModel {
    let calls = calls.iter().map(|(name, n)| (*name, json!({"n": n})));
    ScriptedModel::new([Turn::calls(calls), Turn::text("done")])
}

/// An agent that looks without asking and sends with approval; each build is another process.
fn clerk(world: &World, store: &MemoryStore, model: &ScriptedModel) -> Builder {
    Agent::builder(model.clone())
        .tool(noting("look", EffectClass::ReadOnly, world))
        .toolset(asked(Ask::always().because("it sends"), [noting("send", once(), world)]))
        .store_in(Arc::new(store.clone()))
}

/// Runs until it rests, and gives what waits.
async fn rests(agent: &Agent) -> Vec<Pending> {
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(
        run.status(),
        ExecutionStatus::AwaitingApproval,
        "{:?}",
        run.state().errors().next()
    );
    run.state().pending().to_vec()
}

async fn refused(agent: &Agent, answer: Answer) -> Refusal {
    match agent.session("s").answer(answer).await {
        Err(Error::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn s7_2_the_rest_of_the_turn_runs_before_a_person_is_asked() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("send", 1), ("look", 2), ("look", 3)]);
    let agent = clerk(&world, &store, &model).build().unwrap();
    let pending = rests(&agent).await;
    assert_eq!(world.notes(), ["look 2", "look 3"]);
    let [call] = &pending[..] else { panic!("{pending:?}") };
    assert_eq!((&*call.tool, &*call.arguments, call.index), ("send", "{\"n\":1}", 0));
    assert_eq!(
        (&call.reason, call.explanation.as_deref()),
        (&PendingReason::Approval, Some("it sends"))
    );
    assert_eq!(model.requests().len(), 1, "no further request is made");
    // Whoever only looks changes nothing.
    let before = agent.session("s").journal().await.unwrap().version();
    assert_eq!(
        agent.resume("s").outcome().await.unwrap().status(),
        ExecutionStatus::AwaitingApproval
    );
    assert_eq!(agent.session("s").journal().await.unwrap().version(), before);
}

#[tokio::test]
async fn s7_4_an_approval_in_another_process_two_restarts_later_resumes_the_run() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("send", 1), ("look", 2)]);
    let built = || clerk(&world, &store, &model).build().unwrap();
    let pending = rests(&built()).await;
    for _ in 0..2 {
        let again = built().resume("s").outcome().await.unwrap();
        assert_eq!(again.state().pending(), pending, "a restart asks for the same");
    }
    let answer = Answer::approve(&pending[0]).by("Ann");
    built().session("s").answer(answer).await.unwrap();
    assert_eq!(world.count("send 1"), 0, "answering runs nothing");
    let run = built().resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.notes(), ["look 2", "send 1"]);
    assert_eq!(said(run.state())[1..3], ["1", "2"], "results are in call order");
}

#[tokio::test]
async fn s7_3_each_wrong_answer_is_its_own_error_before_any_model_call() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::new());
    let model = turns(&[("send", 1)]);
    let ask = Ask::always().expires_in(Duration::from_secs(60));
    let agent = Agent::builder(model.clone())
        .toolset(asked(ask, [noting("send", once(), &world)]))
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let pending = rests(&agent).await.remove(0);
    let id = pending.id.clone();
    let unknown = Answer::new("s/9/9", Verdict::Tell);
    assert_eq!(refused(&agent, unknown).await, Refusal::UnknownPending { id: "s/9/9".into() });
    let other = Pending { digest: legwork_core::Digest::of_bytes(b"other"), ..pending.clone() };
    let wrong = refused(&agent, Answer::approve(&other)).await;
    assert!(matches!(wrong, Refusal::OtherCall { .. }), "{wrong:?}");
    let no_answer = refused(&agent, Answer::new(&*id, Verdict::RunAgain)).await;
    assert!(matches!(no_answer, Refusal::OtherAnswer { .. }), "{no_answer:?}");
    clock.advance(Duration::from_secs(61));
    let late = refused(&agent, Answer::approve(&pending)).await;
    assert!(matches!(late, Refusal::Expired { .. }), "{late:?}");
    assert_eq!((model.requests().len(), world.notes().len()), (1, 0));
    // The run goes on without it: nobody approved in time.
    let run = agent.resume("s").await.unwrap();
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Denied { reason, .. }
        if reason.contains("nobody answered")));
    let late = refused(&agent, Answer::approve(&pending)).await;
    assert!(matches!(late, Refusal::Expired { .. }), "{late:?}");
}

#[tokio::test]
async fn s7_3_a_call_is_answered_once() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    agent.session("s").answer(Answer::approve(&pending)).await.unwrap();
    let before = Refusal::AnsweredBefore { id: pending.id.clone() };
    assert_eq!(refused(&agent, Answer::deny(&pending, "no")).await, before);
    agent.resume("s").await.unwrap();
    assert_eq!(refused(&agent, Answer::approve(&pending)).await, before);
    assert_eq!(world.notes(), ["send 1"]);
}

#[tokio::test]
async fn s7_3_a_denial_is_what_the_model_reads() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    let denial = Answer::deny(&pending, "not on a Sunday").by("Ann");
    agent.session("s").answer(denial).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(said(run.state())[1], "Denied by Ann: not on a Sunday");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_3_a_call_is_approved_with_other_arguments_only_if_they_fit() {
    for (arguments, ran) in [(json!({"n": 7}), true), (json!({"n": "seven"}), false)] {
        let (world, store) = (World::default(), MemoryStore::new());
        let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
        let pending = rests(&agent).await.remove(0);
        agent.session("s").answer(Answer::approve_with(&pending, &arguments)).await.unwrap();
        let run = agent.resume("s").await.unwrap();
        match ran {
            true => assert_eq!(world.notes(), ["send 7"]),
            false => {
                let failed = &outcomes(run.state())[0];
                let invalid = FailureKind::InvalidArguments;
                assert!(matches!(failed, ToolOutcome::Failed(kind, _) if *kind == invalid));
                assert!(world.notes().is_empty());
            }
        }
    }
}

#[tokio::test]
async fn s7_3_a_result_may_be_supplied_in_place_of_an_approval() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    agent.session("s").answer(Answer::supply(&pending, json!("sent by hand"))).await.unwrap();
    assert_eq!(said(agent.resume("s").await.unwrap().state())[1], "sent by hand");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_2_what_is_behind_a_barrier_that_waits_waits_with_it() {
    let (world, store) = (World::default(), MemoryStore::new());
    let stamp = spec("stamp").effect(EffectClass::ReadOnly).mode(ExecutionMode::Sequential);
    let stamp = {
        let world = world.clone();
        made(stamp, move |arguments, _| {
            world.note(format!("stamp {}", arguments["n"]));
            Box::pin(std::future::ready(ToolOutcome::text("stamped")))
        })
    };
    let agent = clerk(
        &world,
        &store,
        &turns(&[("look", 1), ("send", 2), ("look", 3), ("stamp", 4), ("look", 5)]),
    )
    .tool(stamp)
    .build()
    .unwrap();
    let pending = rests(&agent).await;
    assert_eq!(world.notes(), ["look 1", "look 3"], "the barrier waits for the call before it");
    agent.session("s").answer(Answer::approve(&pending[0])).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.notes(), ["look 1", "look 3", "send 2", "stamp 4", "look 5"]);
}

#[tokio::test]
async fn s7_2_calls_on_the_resource_of_a_call_that_waits_wait_with_it() {
    let (world, store) = (World::default(), MemoryStore::new());
    let write = |name: &'static str| {
        let world = world.clone();
        made(spec(name).effect(EffectClass::Idempotent).resource("n"), move |arguments, _| {
            world.note(format!("{name} {}", arguments["n"]));
            Box::pin(std::future::ready(ToolOutcome::text("written")))
        })
    };
    let model = turns(&[("put", 1), ("add", 1), ("add", 2)]);
    let agent = Agent::builder(model)
        .toolset(asked(Ask::always(), [write("put")]))
        .tool(write("add"))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let pending = rests(&agent).await;
    assert_eq!(world.notes(), ["add 2"]);
    agent.session("s").answer(Answer::approve(&pending[0])).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), ["add 2", "put 1", "add 1"]);
}

#[tokio::test]
async fn s7_1_the_arguments_that_hooks_changed_are_what_is_asked_and_run() {
    let (world, store) = (World::default(), MemoryStore::new());
    let shown = World::default();
    let changes = {
        let shown = shown.clone();
        hook("doubles", [Trigger::BeforeToolUse], move |state: AgentState, _| {
            let shown = shown.clone();
            async move {
                let call = state.current_tool_call().unwrap();
                let n = call.arguments["n"].as_u64().unwrap();
                shown.note("asked");
                Ok(state.with_tool_call_arguments(json!({"n": n * 2})))
            }
        })
    };
    let agent = clerk(&world, &store, &turns(&[("send", 4)])).hook(changes).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    assert_eq!(&*pending.arguments, "{\"n\":8}");
    agent.session("s").answer(Answer::approve(&pending)).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), ["send 8"]);
    assert_eq!(shown.count("asked"), 1, "hooks do not see it again");
}

#[tokio::test]
async fn s7_1_a_hook_may_ask_for_approval() {
    let (world, store) = (World::default(), MemoryStore::new());
    let asks = hook("careful", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let request = legwork_core::approval::Request::new("it looks into the safe");
        Ok(state.with_tool_call_needs_approval(request))
    });
    let agent = clerk(&world, &store, &turns(&[("look", 1)])).hook(asks).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    assert_eq!(pending.explanation.as_deref(), Some("it looks into the safe"));
    agent.session("s").answer(Answer::approve(&pending)).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), ["look 1"]);
}

#[tokio::test]
async fn s6_4_a_body_may_ask_for_approval_and_runs_again_with_it() {
    let (world, store) = (World::default(), MemoryStore::new());
    let pay = {
        let world = world.clone();
        made(spec("pay"), move |arguments, cx| {
            let n = arguments["n"].as_u64().unwrap();
            world.note(format!("{n} {}", cx.approved()));
            let outcome = match n > 100 && !cx.approved() {
                true => ToolOutcome::needs_approval("more than 100"),
                false => ToolOutcome::text("paid"),
            };
            Box::pin(std::future::ready(outcome))
        })
    };
    let agent = Agent::builder(turns(&[("pay", 7), ("pay", 700)]))
        .tool(pay)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let pending = rests(&agent).await.remove(0);
    assert_eq!((pending.index, pending.explanation.as_deref()), (1, Some("more than 100")));
    agent.session("s").answer(Answer::approve(&pending)).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), ["7 false", "700 false", "700 true"]);
    assert_eq!(run.state().ledger().spent.tool_calls, 2, "it is one call");
}

#[tokio::test]
async fn s7_3_what_was_approved_once_is_not_asked_again_as_its_policy_says() {
    // How often a person is asked about four calls, two of them the same.
    for (ask, times) in [
        (Ask::always(), 4),
        (Ask::once(), 3),
        (Ask::once_per_session(), 1),
        (Ask::never(), 0),
        (Ask::always().when(|call| call.arguments["n"] == 2), 1),
    ] {
        let (world, store) = (World::default(), MemoryStore::new());
        let calls = [1, 1, 2, 3].map(|n| Turn::call("send", json!({"n": n})));
        let model =
            ScriptedModel::new(calls.into_iter().chain([Turn::text("done")]).collect::<Vec<_>>());
        let agent = Agent::builder(model)
            .toolset(asked(ask, [noting("send", once(), &world)]))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let mut run = agent.run("go").in_session("s").outcome().await.unwrap();
        let mut asked = 0;
        while let [pending] = run.state().pending() {
            asked += 1;
            agent.session("s").answer(Answer::approve(pending)).await.unwrap();
            run = agent.resume("s").outcome().await.unwrap();
        }
        assert_eq!((run.text(), asked), ("done".into(), times));
        assert_eq!(world.notes().len(), 4);
    }
}

#[tokio::test]
async fn s7_3_a_person_may_approve_all_calls_of_a_tool_for_the_session() {
    let (world, store) = (World::default(), MemoryStore::new());
    let calls = [1, 2].map(|n| Turn::call("send", json!({"n": n})));
    let model =
        ScriptedModel::new(calls.into_iter().chain([Turn::text("done")]).collect::<Vec<_>>());
    let agent = Agent::builder(model)
        .toolset(asked(Ask::once(), [noting("send", once(), &world)]))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let pending = rests(&agent).await.remove(0);
    let answer = Answer::approve_and_remember(&pending, Remember::Tool);
    agent.session("s").answer(answer).await.unwrap();
    assert_eq!(agent.resume("s").await.unwrap().text(), "done");
    assert_eq!(world.notes(), ["send 1", "send 2"]);
}

#[tokio::test]
async fn s7_3_what_a_person_said_of_a_tool_holds_for_that_tool_and_not_where_each_call_is_asked() {
    // How often a person is asked who approves all calls of the first tool.
    for (ask, calls, times) in [
        (Ask::once(), [("send", 1), ("send", 2)], 1),
        (Ask::once(), [("send", 1), ("pay", 1)], 2),
        (Ask::always(), [("send", 1), ("send", 2)], 2),
    ] {
        let (world, store) = (World::default(), MemoryStore::new());
        let turns = calls.map(|(name, n)| Turn::call(name, json!({"n": n})));
        let model =
            ScriptedModel::new(turns.into_iter().chain([Turn::text("done")]).collect::<Vec<_>>());
        let tools = [noting("send", once(), &world), noting("pay", once(), &world)];
        let agent = Agent::builder(model)
            .toolset(asked(ask, tools))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let mut run = agent.run("go").in_session("s").outcome().await.unwrap();
        let mut asked = 0;
        while let [pending] = run.state().pending() {
            asked += 1;
            let answer = Answer::approve_and_remember(pending, Remember::Tool);
            agent.session("s").answer(answer).await.unwrap();
            run = agent.resume("s").outcome().await.unwrap();
        }
        assert_eq!((run.text(), asked), ("done".into(), times), "{calls:?}");
    }
}

#[tokio::test]
async fn s7_3_an_approver_of_this_process_answers_after_the_wait_is_durable() {
    let (world, store) = (World::default(), MemoryStore::new());
    let (seen, kept) = (World::default(), store.clone());
    let approver = {
        let seen = seen.clone();
        move |pending: Pending, _: AgentState| {
            let (seen, kept) = (seen.clone(), kept.clone());
            async move {
                let durable = Agent::builder(ScriptedModel::new([]))
                    .store_in(Arc::new(kept))
                    .build()
                    .unwrap()
                    .session("s")
                    .state()
                    .await
                    .unwrap();
                seen.note(format!("{} {}", pending.arguments, durable.pending().len()));
                (&*pending.arguments == "{\"n\":1}").then(|| Answer::approve(&pending))
            }
        }
    };
    let agent = clerk(&world, &store, &turns(&[("send", 1), ("send", 2)]))
        .approver(approver)
        .build()
        .unwrap();
    let pending = rests(&agent).await;
    assert_eq!(pending.len(), 1, "the one that nobody answered");
    assert_eq!(world.notes(), ["send 1"]);
    assert_eq!(seen.notes(), ["{\"n\":1} 2", "{\"n\":2} 1"]);
}

#[tokio::test]
async fn s7_3_a_call_that_is_approved_in_its_run_has_the_arguments_that_were_approved() {
    let doubles = || {
        hook("doubles", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
            let n = state.current_tool_call().unwrap().arguments["n"].as_u64().unwrap();
            Ok(state.with_tool_call_arguments(json!({"n": n * 2})))
        })
    };
    // Whether a hook changed the arguments before, and whether the person changes them.
    for (hooked, other, ran) in
        [(false, None, 4), (false, Some(7), 7), (true, None, 8), (true, Some(7), 7)]
    {
        let (world, store) = (World::default(), MemoryStore::new());
        let agent = clerk(&world, &store, &turns(&[("send", 4)]));
        let agent = if hooked { agent.hook(doubles()) } else { agent };
        let agent = agent.approver(move |pending: Pending, _: AgentState| async move {
            Some(match other {
                Some(n) => Answer::approve_with(&pending, &json!({"n": n})),
                None => Answer::approve(&pending),
            })
        });
        let run = agent.build().unwrap().run("go").in_session("s").await.unwrap();
        assert_eq!(run.text(), "done");
        assert_eq!(world.notes(), [format!("send {ran}")], "{hooked} {other:?}");
    }
}

#[tokio::test]
async fn s7_3_a_rule_that_a_person_approved_covers_the_calls_that_it_means() {
    let (world, store) = (World::default(), MemoryStore::new());
    let calls = [1, 2].map(|n| Turn::call("send", json!({"n": n})));
    let model =
        ScriptedModel::new(calls.into_iter().chain([Turn::text("done")]).collect::<Vec<_>>());
    for (rule, rests_again) in [("send", false), ("send(1*)", true), ("look", true)] {
        let (model, id) = (model.clone(), format!("s-{rule}"));
        let agent = Agent::builder(ScriptedModel::clone(&model))
            .toolset(asked(Ask::each(), [noting("send", once(), &world)]))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session(&*id).outcome().await.unwrap();
        let remember = Remember::Rule(rule.to_owned());
        let answer = Answer::approve_and_remember(&run.state().pending()[0], remember);
        agent.session(&*id).answer(answer).await.unwrap();
        let run = agent.resume(&*id).outcome().await.unwrap();
        assert_eq!(run.status().is_waiting(), rests_again, "{rule}");
    }
}

#[tokio::test]
async fn s7_5_steering_withdraws_what_waits_for_approval() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("send", 1)]);
    let agent = clerk(&world, &store, &model).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    agent.session("s").steer("leave it").await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Skipped(why) if why.contains("said")));
    assert_eq!(said(run.state())[2], "leave it", "the next inference hears it");
    let late = refused(&agent, Answer::approve(&pending)).await;
    assert_eq!(late, Refusal::Withdrawn { id: pending.id });
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_5_calls_that_have_not_begun_do_not_run_once_the_user_said_something() {
    // Behind a barrier, and behind the bound.
    for (mode, bound) in [(ExecutionMode::Sequential, 16), (ExecutionMode::ParallelOrdered, 1)] {
        let (world, store) = (World::default(), MemoryStore::new());
        let inbox = store.clone();
        let send = made(spec("send").effect(once()).mode(mode), move |_, _| {
            let inbox = inbox.clone();
            Box::pin(async move {
                let item = Item::Steer(Arc::new("leave it".into()));
                inbox.post(&"s".into(), "k", &item).await.unwrap();
                ToolOutcome::text("sent")
            })
        });
        let agent = Agent::builder(turns(&[("send", 1), ("look", 2)]))
            .tools([send, noting("look", EffectClass::ReadOnly, &world)])
            .parallel_calls(bound)
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert!(world.notes().is_empty(), "{mode:?}: {:?}", world.notes());
        let skipped = &outcomes(run.state())[1];
        assert!(matches!(skipped, ToolOutcome::Skipped(why) if why.contains("said")));
        assert_eq!(said(run.state())[3..], ["leave it", "done"], "{mode:?}");
    }
}

#[tokio::test]
async fn s7_7_a_call_that_waits_does_not_run_once_its_execution_is_stopped() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    rests(&agent).await;
    agent.session("s").stop("enough").await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Skipped(_)));
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s6_10_a_blocked_call_stops_the_rest_of_its_turn_if_the_agent_says_so() {
    for (on_block, notes) in
        [(OnBlock::Continue, vec!["look 1", "look 3"]), (OnBlock::Stop, vec!["look 1"])]
    {
        let (world, store) = (World::default(), MemoryStore::new());
        let set = Tools::new("looks", [noting("look", EffectClass::ReadOnly, &world)]);
        let guarded = set.guarded("no twos", |call| match call.arguments["n"] == 2 {
            true => Admission::Block { by: "guard".into(), reason: "no twos".into() },
            false => Admission::Run,
        });
        let agent = Agent::builder(turns(&[("look", 1), ("look", 2), ("look", 3)]))
            .toolset(guarded)
            .on_block(on_block)
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert_eq!(world.notes(), notes);
        let all = outcomes(run.state());
        assert_eq!(all.len(), 3, "each call is answered once");
        assert!(matches!(&all[1], ToolOutcome::Blocked { by, .. } if by == "guard"));
    }
}

#[tokio::test]
async fn s6_10_a_call_that_failed_stops_nothing() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([
        Turn::calls([("look", json!({"n": "one"})), ("look", json!({"n": 2}))]),
        Turn::text("done"),
    ]);
    let agent = clerk(&world, &store, &model).on_block(OnBlock::Stop).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["look 2"]);
}

#[tokio::test]
async fn s6_11_a_tool_may_be_called_only_so_often() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([
        Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": 2}))]),
        Turn::calls([("look", json!({"n": 3})), ("look", json!({"n": 4}))]),
        Turn::text("done"),
    ]);
    let set = Tools::new("looks", [noting("look", EffectClass::ReadOnly, &world)]).limited(3);
    let agent = Agent::builder(model).toolset(set).store_in(Arc::new(store)).build().unwrap();
    let run = agent.run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["look 1", "look 2", "look 3"]);
    let last = outcomes(run.state()).pop().unwrap();
    assert!(matches!(last, ToolOutcome::Blocked { reason, .. } if reason.contains("3 times")));
}

#[tokio::test]
async fn s7_1_a_tool_that_changed_since_it_was_asked_about_does_not_run() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    let pending = rests(&agent).await.remove(0);
    let model = ScriptedModel::new([Turn::text("never"), Turn::text("done")]);
    let other = Agent::builder(model)
        .tool(noting("send", EffectClass::ReadOnly, &world))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    other.session("s").answer(Answer::approve(&pending)).await.unwrap();
    let run = other.resume("s").await.unwrap();
    let failed = &outcomes(run.state())[0];
    assert!(matches!(failed, ToolOutcome::Failed(kind, _) if *kind == FailureKind::ToolChanged));
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_1_limits_are_checked_again_when_a_call_is_approved() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::new());
    let deadline = legwork_core::Timestamp(clock.now().wall.0 + 10_000);
    let agent = clerk(&world, &store, &turns(&[("send", 1)]))
        .clock(Arc::new(clock.clone()))
        .budget(legwork_core::Budget::guards().deadline(deadline))
        .build()
        .unwrap();
    let pending = rests(&agent).await.remove(0);
    clock.advance(Duration::from_secs(11));
    agent.session("s").answer(Answer::approve(&pending)).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Skipped(_)), "it never begins");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_1_the_time_is_checked_again_when_an_approver_took_long() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::new());
    let deadline = legwork_core::Timestamp(clock.now().wall.0 + 10_000);
    let slow = clock.clone();
    let approver = move |pending: Pending, _: AgentState| {
        slow.advance(Duration::from_secs(11));
        std::future::ready(Some(Answer::approve(&pending)))
    };
    let agent = clerk(&world, &store, &turns(&[("send", 1)]))
        .clock(Arc::new(clock.clone()))
        .budget(legwork_core::Budget::guards().deadline(deadline))
        .approver(approver)
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Skipped(_)), "it never begins");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_4_a_call_two_subagents_deep_is_listed_and_answered_from_the_root() {
    let (world, store) = (World::default(), MemoryStore::new());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let a = scripted("x:a", [Turn::calls([spawn("b", "go")]), Turn::text("a is done")]);
    let b = scripted("x:b", [Turn::call("send", json!({"n": 1})), Turn::text("b is done")]);
    let built = || {
        Agent::builder(root.clone())
            .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
            .subagent(Subagent::new("a", "Works.", "").model(a.clone()))
            .subagent(Subagent::new("b", "Works.", "").model(b.clone()))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap()
    };
    let run = built().run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    let session = built().session("s");
    let waiting = session.pending().await.unwrap();
    let [call] = &waiting[..] else { panic!("{waiting:?}") };
    assert_eq!((&*call.pending.tool, call.session.as_str().matches('.').count()), ("send", 2));
    let other =
        Pending { digest: legwork_core::Digest::of_bytes(b"other"), ..call.pending.clone() };
    let wrong = refused(&built(), Answer::approve(&other)).await;
    assert!(matches!(wrong, Refusal::OtherCall { .. }), "{wrong:?}");
    session.answer(Answer::approve(&call.pending)).await.unwrap();
    let before = Refusal::AnsweredBefore { id: call.pending.id.clone() };
    assert_eq!(refused(&built(), Answer::approve(&call.pending)).await, before);
    let run = built().resume("s").await.unwrap();
    assert_eq!((run.text(), world.notes()), ("done".into(), vec!["send 1".to_owned()]));
    assert_eq!([&root, &a, &b].map(|model| model.requests().len()), [2, 2, 2]);
    assert_eq!(built().session("s").pending().await.unwrap(), []);
}

#[tokio::test]
async fn s7_2_a_call_is_asked_about_beside_a_subagent_that_waits_and_a_barrier_behind_both() {
    let (world, store) = (World::default(), MemoryStore::new());
    let send = || ("send", json!({"n": 1}));
    let root =
        [Turn::calls([spawn("a", "go"), send(), ("stamp", json!({"n": 2}))]), Turn::text("done")];
    let a = scripted("x:a", [Turn::calls([send()]), Turn::text("a is done")]);
    let stamp = spec("stamp").mode(ExecutionMode::Sequential);
    let stamp = made(stamp, |_, _| Box::pin(std::future::ready(ToolOutcome::text("stamped"))));
    let agent = Agent::builder(scripted("x:root", root))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .tool(stamp)
        .subagent(Subagent::new("a", "Works.", "").model(a))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let reasons: Vec<_> = run.state().pending().iter().map(|one| one.reason.clone()).collect();
    assert_eq!(reasons, [PendingReason::Subagent, PendingReason::Approval]);
}

#[tokio::test]
async fn s7_3_a_call_that_is_approved_while_the_last_one_runs_runs_too() {
    let (store, gate) = (MemoryStore::new(), legwork_testkit::Gate::new());
    let built = |gate: &legwork_testkit::Gate| {
        let gate = gate.clone();
        let slow = made(spec("slow").effect(once()), move |arguments, _| {
            let gate = gate.clone();
            Box::pin(async move {
                if arguments["n"] == 1 {
                    gate.pass().await;
                }
                ToolOutcome::value(arguments["n"].clone())
            })
        });
        Agent::builder(turns(&[("slow", 1), ("slow", 2), ("slow", 3)]))
            .toolset(asked(Ask::always(), [slow]))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap()
    };
    let pending = rests(&built(&gate)).await;
    let session = built(&gate).session("s");
    session.answer(Answer::approve(&pending[0])).await.unwrap();
    let agent = built(&gate);
    let approves = async {
        gate.arrived(1).await;
        session.answer(Answer::approve(&pending[1])).await.unwrap();
        gate.open();
    };
    let run = tokio::join!(agent.resume("s").outcome(), approves).0.unwrap();
    let left: Vec<_> = run.state().pending().iter().map(|one| one.index).collect();
    assert_eq!(left, [2], "only the third waits");
    assert!(run.state().call(1).unwrap().execution().is_some(), "the second ran");
}

#[tokio::test]
async fn s7_4_a_state_is_answered_without_a_store() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = clerk(&world, &store, &turns(&[("send", 1)])).build().unwrap();
    rests(&agent).await;
    // It was kept as text, and comes back as text.
    let text = serde_json::to_string(&agent.session("s").state().await.unwrap()).unwrap();
    let state: AgentState = serde_json::from_str(&text).unwrap();
    let pending = state.pending()[0].clone();
    let other = Answer::new("s/9/9", Verdict::Tell);
    let refused = state.clone().with_deferred_results([Answer::approve(&pending), other]);
    assert!(matches!(refused, Err(Refusal::UnknownPending { .. })));
    let answered = state.with_deferred_results([Answer::approve(&pending)]).unwrap();
    assert!(answered.pending().is_empty());
    let run = agent.resume("s").on_state(answered).await.unwrap();
    assert_eq!((run.text(), world.notes()), ("done".into(), vec!["send 1".to_owned()]));
}

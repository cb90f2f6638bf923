//! What hostile programs found of calls that wait: each was wrong once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, hook};
use legwork_core::budget::Amounts;
use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::{Deferral, EndStrategy, ExecutionMode};
use legwork_core::{AgentState, EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::store::Range;
use legwork_port::{Admission, BoxFuture, Clock as _, Store as _, Tool, ToolContext, Trigger};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::tools::{World, made, noting, once, outcomes, spec};

/// Reads its arguments as typed tools do: by the context.
struct Typed(Arc<ToolSpec>, World);

impl Tool for Typed {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let n = cx.arguments::<Value>(call).unwrap()["n"].clone();
        self.1.note(format!("{} {n}", self.0.name));
        Box::pin(std::future::ready(ToolOutcome::value(n)))
    }
}

fn turns(calls: &[(&'static str, u32)]) -> ScriptedModel {
    let calls = calls.iter().map(|(name, n)| (*name, json!({"n": n})));
    ScriptedModel::new([Turn::calls(calls), Turn::text("done")])
}

fn asked(ask: Ask, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> impl legwork_port::Toolset {
    Tools::new("asked", tools).approval_required(ask)
}

#[tokio::test]
async fn s7_3_an_approver_changes_arguments_of_a_typed_tool() {
    let (world, store) = (World::default(), MemoryStore::new());
    let tool: Arc<dyn Tool> = Arc::new(Typed(Arc::new(spec("send")), world.clone()));
    let agent = Agent::builder(turns(&[("send", 700)]))
        .toolset(asked(Ask::always(), [tool]))
        .approver(|pending: Pending, _: AgentState| async move {
            Some(Answer::approve_with(&pending, &json!({"n": 7})))
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["send 7"]);
}

#[tokio::test]
async fn s7_3_an_approver_changes_arguments_that_a_hook_changed() {
    let (world, store) = (World::default(), MemoryStore::new());
    let changes = hook("doubles", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let n = state.current_tool_call().unwrap().arguments["n"].as_u64().unwrap();
        Ok(state.with_tool_call_arguments(json!({"n": n * 2})))
    });
    let agent = Agent::builder(turns(&[("send", 700)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .hook(changes)
        .approver(|pending: Pending, _: AgentState| async move {
            Some(Answer::approve_with(&pending, &json!({"n": 7})))
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["send 7"]);
}

#[tokio::test]
async fn s7_3_an_approval_with_other_arguments_covers_those_and_not_the_first() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([
        Turn::call("send", json!({"n": 700})),
        Turn::call("send", json!({"n": 700})),
        Turn::text("done"),
    ]);
    let agent = Agent::builder(model)
        .toolset(asked(Ask::once(), [noting("send", once(), &world)]))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let answer = Answer::approve_with(&run.state().pending()[0], &json!({"n": 7}));
    agent.session("s").answer(answer).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(world.notes(), ["send 7"], "700 was never approved");
    assert_eq!(run.state().pending().len(), 1);
}

#[tokio::test]
async fn s6_11_a_guard_around_approval_is_asked_too() {
    let (world, store) = (World::default(), MemoryStore::new());
    let set =
        asked(Ask::always(), [noting("send", once(), &world)]).guarded(
            "never 1",
            |call| match call.arguments["n"] == 1 {
                true => Admission::Block { by: "guard".into(), reason: "never".into() },
                false => Admission::Run,
            },
        );
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(set)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(
        run.status(),
        legwork_core::ExecutionStatus::Completed,
        "nobody is asked about what is blocked"
    );
    assert!(world.notes().is_empty(), "{:?}", world.notes());
}

#[tokio::test]
async fn s6_11_a_deferred_tool_never_runs_its_body() {
    for by_hook in [true, false] {
        let (world, store) = (World::default(), MemoryStore::new());
        let tools = [noting("send", once(), &world)];
        let builder = Agent::builder(turns(&[("send", 1)])).store_in(Arc::new(store.clone()));
        let builder = match by_hook {
            true => builder.toolset(Tools::new("t", tools).deferred()).hook(hook(
                "asks",
                [Trigger::BeforeToolUse],
                |state: AgentState, _| async move {
                    let request = legwork_core::approval::Request::new("so");
                    Ok(state.with_tool_call_needs_approval(request))
                },
            )),
            false => builder.toolset(asked(Ask::always(), tools).deferred()),
        };
        let agent = builder.build().unwrap();
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        let pending = &run.state().pending()[0];
        if pending.reason == PendingReason::Approval {
            agent.session("s").answer(Answer::approve(pending)).await.unwrap();
            agent.resume("s").outcome().await.unwrap();
        }
        assert!(world.notes().is_empty(), "{by_hook}: {:?}", world.notes());
    }
}

#[tokio::test]
async fn s7_3_arguments_for_a_body_that_asked_are_validated() {
    let (world, store) = (World::default(), MemoryStore::new());
    let noted = world.clone();
    let pay = made(spec("pay"), move |arguments, cx| {
        noted.note(format!("{arguments}"));
        let outcome = match cx.approved() {
            false => ToolOutcome::needs_approval("so"),
            true => ToolOutcome::text("paid"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("pay", 700)]))
        .tool(pay)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let answer = Answer::approve_with(&run.state().pending()[0], &json!({"n": "seven"}));
    agent.session("s").answer(answer).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), [r#"{"n":700}"#]);
}

#[tokio::test]
async fn s6_4_what_a_body_charged_before_it_asked_is_charged() {
    let store = MemoryStore::new();
    let pay = made(spec("pay"), move |_, cx| {
        cx.charge(&Amounts { input: 900, ..Amounts::default() });
        let outcome = match cx.approved() {
            false => ToolOutcome::needs_approval("so"),
            true => ToolOutcome::text("paid"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("pay", 700)]))
        .tool(pay)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let before = run.state().used().input;
    let answer = Answer::deny(&run.state().pending()[0], "no");
    agent.session("s").answer(answer).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert!(
        before >= 900 && run.state().used().input >= 900,
        "{before}, {}",
        run.state().used().input
    );
}

#[tokio::test]
async fn s7_3_an_approval_of_the_first_question_is_none_of_the_second() {
    let (world, store) = (World::default(), MemoryStore::new());
    let (noted, asked) = (world.clone(), Arc::new(AtomicUsize::new(0)));
    let pay = made(spec("pay"), move |_, _| {
        let nth = asked.fetch_add(1, Ordering::SeqCst);
        noted.note(format!("{nth}"));
        let outcome = match nth {
            0 => ToolOutcome::needs_approval("may I look up the price?"),
            1 => ToolOutcome::needs_approval("it costs 10000: pay?"),
            _ => ToolOutcome::text("paid"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("pay", 1)]))
        .tool(pay)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let first = run.state().pending()[0].clone();
    agent.session("s").answer(Answer::approve(&first)).await.unwrap();
    agent.resume("s").outcome().await.unwrap();
    // A second click, or a message that came twice.
    let again = agent.session("s").answer(Answer::approve(&first)).await;
    assert!(again.is_err(), "the first approval answered the second question");
}

#[tokio::test]
async fn s6_13_early_drops_what_a_pending_call_held_back() {
    let (world, store) = (World::default(), MemoryStore::new());
    let answer = noting_output("answer", &world, ExecutionMode::ParallelOrdered);
    let (noted, stamp) = (world.clone(), spec("stamp").mode(ExecutionMode::Sequential));
    let stamp = made(stamp, move |_, _| {
        noted.note("stamp");
        Box::pin(std::future::ready(ToolOutcome::text("stamped")))
    });
    let agent = Agent::builder(turns(&[("send", 1), ("answer", 2), ("stamp", 3)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .tools([answer, stamp])
        .end_strategy(EndStrategy::Early)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(world.notes(), ["answer 2"]);
    agent.session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), ["answer 2", "send 1"], "the stamp is not run: the output was given");
}

fn noting_output(name: &'static str, world: &World, mode: ExecutionMode) -> Arc<dyn Tool> {
    let world = world.clone();
    let spec = spec(name).effect(EffectClass::Idempotent).mode(mode).gives_output();
    made(spec, move |arguments, _| {
        world.note(format!("{name} {}", arguments["n"]));
        Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
    })
}

#[tokio::test]
async fn s6_13_an_approved_call_is_not_dropped_by_early() {
    let (world, store) = (World::default(), MemoryStore::new());
    let answer = noting_output("answer", &world, ExecutionMode::Sequential);
    let agent = Agent::builder(turns(&[("send", 1), ("answer", 2)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .tool(answer)
        .end_strategy(EndStrategy::Early)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    agent.session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(world.count("send 1"), 1, "{:?} {:?}", world.notes(), outcomes(run.state()));
}

#[tokio::test]
async fn s6_13_nothing_begins_after_a_final_value_under_early() {
    let (world, store) = (World::default(), MemoryStore::new());
    let close = made(spec("close").effect(EffectClass::Idempotent), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::finished(json!(1))))
    });
    let agent = Agent::builder(turns(&[("close", 1), ("send", 2), ("send", 3)]))
        .tools([close, noting("send", once(), &world)])
        .end_strategy(EndStrategy::Early)
        .parallel_calls(1)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert!(world.notes().is_empty(), "{:?}", world.notes());
}

#[tokio::test]
async fn s6_4_a_guard_that_defers_to_a_session_does_not_hang_it() {
    let (world, store) = (World::default(), MemoryStore::new());
    let set = Tools::new("t", [noting("send", once(), &world)])
        .guarded("odd", |_| Admission::Defer(Deferral::Session("x".into())));
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(set)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let pending = run.state().pending().to_vec();
    let answered = match pending.first() {
        Some(pending) => {
            let answer = Answer::deny(pending, "no");
            agent.session("s").answer(answer).await.map(|_| ()).map_err(|error| error.to_string())
        }
        None => Ok(()),
    };
    assert!(answered.is_ok(), "{answered:?} {pending:?}");
}

#[tokio::test]
async fn s6_4_a_time_that_is_past_is_no_busy_loop() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::auto());
    let ran = Arc::new(AtomicUsize::new(0));
    let (now, count) = (clock.clone(), Arc::clone(&ran));
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
        // Its own clock is a little behind.
        let outcome = match count.fetch_add(1, Ordering::SeqCst) < 500 {
            true => ToolOutcome::deferred_until(legwork_core::Timestamp(now.now().wall.0 - 1)),
            false => ToolOutcome::text("ready"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let before = clock.now().mono;
    let agent = Agent::builder(turns(&[("poll", 1)]))
        .tool(poll)
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let passed = Duration::from(clock.now().mono.since(before));
    let (ran, entries) = (ran.load(Ordering::SeqCst), run.state().version().0);
    let answers = run.state().facts().answers.len();
    assert!(
        ran < 10 || passed > Duration::from_secs(1),
        "{ran} in {passed:?}, {entries} entries, {answers} answers"
    );
}

#[tokio::test]
async fn s7_3_an_approval_is_durable_before_the_body_runs() {
    let (world, store) = (World::default(), MemoryStore::new());
    let (noted, kept) = (world.clone(), store.clone());
    let put = made(spec("put").effect(EffectClass::Idempotent), move |_, _| {
        let (noted, kept) = (noted.clone(), kept.clone());
        Box::pin(async move {
            let loaded = kept.read(&"s".into(), Range::ALL).await.unwrap();
            let state = loaded.journal.fold(&"s".into());
            noted.note(format!("{} waits", state.pending().len()));
            ToolOutcome::text("put")
        })
    });
    let agent = Agent::builder(turns(&[("put", 1)]))
        .toolset(asked(Ask::always(), [put]))
        .approver(|pending: Pending, _: AgentState| async move { Some(Answer::approve(&pending)) })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(
        world.notes(),
        ["0 waits"],
        "after a crash it would be asked again, and may be denied"
    );
}

#[tokio::test]
async fn s13_10_many_bodies_that_defer_make_a_journal_in_proportion() {
    let mut sizes = Vec::new();
    for count in [50u32, 200] {
        let store = MemoryStore::new();
        let render = made(spec("render").effect(EffectClass::Idempotent), |_, _| {
            Box::pin(std::future::ready(ToolOutcome::deferred()))
        });
        let calls: Vec<_> = (0..count).map(|n| ("render", n)).collect();
        let agent = Agent::builder(turns(&calls))
            .tool(render)
            .budget(legwork_core::Budget::unlimited())
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        agent.run("go").in_session("s").outcome().await.unwrap();
        let loaded = store.read(&"s".into(), Range::ALL).await.unwrap();
        let size: usize = loaded
            .journal
            .entries()
            .iter()
            .map(|entry| {
                serde_json::to_string(&entry.event)
                    .map_or_else(|_| format!("{:?}", entry.event).len(), |text| text.len())
            })
            .sum();
        sizes.push(size);
    }
    assert!(sizes[1] < sizes[0] * 6, "{sizes:?}");
}

#[tokio::test]
async fn s7_2_a_time_comes_while_an_approver_thinks() {
    let (world, store, clock) = (World::default(), MemoryStore::new(), VirtualClock::auto());
    let start = clock.now().mono;
    let until = legwork_core::Timestamp(clock.now().wall.0 + 5_000);
    let (noted, now) = (world.clone(), clock.clone());
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
        noted.note(format!("poll at {}", now.now().mono.since(start).0 / 1_000_000));
        let outcome = match now.now().wall < until {
            true => ToolOutcome::deferred_until(until),
            false => ToolOutcome::text("ready"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let thinks = clock.clone();
    let agent = Agent::builder(turns(&[("poll", 1), ("send", 2)]))
        .tool(poll)
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .approver(move |pending: Pending, _: AgentState| {
            let sleep = thinks.sleep(Duration::from_secs(3600));
            async move {
                sleep.await;
                Some(Answer::approve(&pending))
            }
        })
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(world.notes(), ["poll at 0", "poll at 5", "send 2"]);
}

#[tokio::test]
async fn s6_11_a_guard_sees_the_name_that_it_was_put_around() {
    let (world, store) = (World::default(), MemoryStore::new());
    let set = Tools::new("t", [noting("send", once(), &world)])
        .guarded("no sending", |call| match &*call.call.name {
            "send" => Admission::Block { by: "guard".into(), reason: "no".into() },
            _ => Admission::Run,
        })
        .prefixed("mail_");
    let agent = Agent::builder(turns(&[("mail_send", 1)]))
        .toolset(set)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert!(world.notes().is_empty(), "{:?}", world.notes());
}

#[tokio::test]
async fn s7_3_a_call_that_a_clock_woke_and_steering_withdrew_was_never_answered() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::auto());
    let ran = Arc::new(AtomicUsize::new(0));
    let now = clock.clone();
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
        let outcome = match ran.fetch_add(1, Ordering::SeqCst) {
            0 => ToolOutcome::deferred_until(legwork_core::Timestamp(now.now().wall.0 + 1000)),
            _ => ToolOutcome::deferred(),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = Agent::builder(turns(&[("poll", 1)]))
        .tool(poll)
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let pending = run.state().pending()[0].clone();
    agent.session("s").steer("leave it").await.unwrap();
    agent.resume("s").await.unwrap();
    let late = agent.session("s").answer(Answer::supply(&pending, json!(1))).await;
    let text = late.unwrap_err().to_string();
    assert!(text.contains("withdrawn"), "{text}");
}

fn early(
    world: &World,
    store: Arc<dyn legwork_port::Store>,
) -> Result<Agent, legwork_agent::Error> {
    let answer = {
        let world = world.clone();
        made(spec("answer").effect(once()).gives_output(), move |arguments, _| {
            world.note(format!("answer {}", arguments["n"]));
            Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
        })
    };
    Agent::builder(turns(&[("send", 1), ("answer", 2)]))
        .tools([answer, noting("send", once(), world)])
        .end_strategy(EndStrategy::Early)
        .store_in(store)
        .build()
}

#[tokio::test]
async fn s6_13_early_holds_after_a_crash() {
    let report = legwork_testkit::crash::simulate("go", early).crash_everywhere().await.unwrap();
    report.check(|_, crashed| {
        let notes = crashed.world.notes();
        let told = crashed
            .state
            .step_results()
            .flat_map(|result| {
                result.step.tool_executions().map(|e| (*e.outcome).clone()).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>();
        let given = matches!(told.get(1), Some(ToolOutcome::Ok(_)));
        match given && notes.iter().any(|note| note.starts_with("send")) {
            true => Err(format!("{notes:?} {told:?}")),
            false => Ok(()),
        }
    });
}

#[tokio::test]
async fn s7_1_limits_of_calls_hold_when_a_call_was_approved() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = turns(&[("look", 1), ("send", 2)]);
    let built = |calls| {
        Agent::builder(model.clone())
            .tool(noting("look", EffectClass::ReadOnly, &world))
            .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
            .budget(legwork_core::Budget::guards().tool_calls(calls))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap()
    };
    let run = built(50).run("go").in_session("s").outcome().await.unwrap();
    built(1).session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
    let run = built(1).resume("s").outcome().await.unwrap();
    assert_eq!(run.state().ledger().budget.tool_calls, Some(1), "the limit is known");
    assert_eq!(world.notes(), ["look 1"], "{:?}", run.state().used());
}

#[tokio::test]
async fn s7_1_whoever_only_looks_asks_no_hook() {
    let (world, store) = (World::default(), MemoryStore::new());
    let seen = World::default();
    let noted = seen.clone();
    let notes = hook("notes", [Trigger::BeforeToolUse], move |state: AgentState, _| {
        let noted = noted.clone();
        async move {
            noted.note(state.current_tool_call().unwrap().call.name.to_string());
            Ok(state.with_metadata("seen", Some(json!(noted.notes().len()))))
        }
    });
    let stamp = made(spec("stamp").mode(ExecutionMode::Sequential), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::text("stamped")))
    });
    let agent = Agent::builder(turns(&[("send", 1), ("stamp", 2)]))
        .tool(stamp)
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .hook(notes)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let before = run.state().version();
    for _ in 0..3 {
        agent.resume("s").outcome().await.unwrap();
    }
    let after = agent.session("s").state().await.unwrap().version();
    assert_eq!((seen.notes(), after), (vec!["send".to_owned(), "stamp".to_owned()], before));
}

#[tokio::test]
async fn s7_3_an_approval_of_a_tool_is_none_of_another_with_its_name() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([
        Turn::call("run", json!({"n": 1})),
        Turn::text("done"),
        Turn::call("run", json!({"n": 1})),
        Turn::text("done"),
    ]);
    let built = |effect| {
        Agent::builder(model.clone())
            .toolset(asked(Ask::once_per_session(), [noting("run", effect, &world)]))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap()
    };
    let first = built(EffectClass::ReadOnly);
    let run = first.run("go").in_session("s").outcome().await.unwrap();
    first.session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
    first.resume("s").await.unwrap();
    let run = built(once()).run("again").in_session("s").outcome().await.unwrap();
    assert_eq!(run.state().pending().len(), 1, "{:?}", world.notes());
}

#[tokio::test]
async fn s7_3_observers_are_told_what_an_answer_did() {
    let (world, store) = (World::default(), MemoryStore::new());
    let seen = Arc::new(legwork_testkit::RecordingObserver::default());
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .approver(
            |pending: Pending, _: AgentState| async move { Some(Answer::deny(&pending, "no")) },
        )
        .observer(Arc::clone(&seen))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let finished = seen
        .events()
        .iter()
        .filter(|event| matches!(event.kind, legwork_agent::EventKind::ToolFinished { .. }))
        .count();
    assert_eq!(finished, 1);
}

#[tokio::test]
async fn s7_2_a_set_that_is_away_for_a_while_answers_no_call_that_waits() {
    use legwork_agent::toolset::{Combined, SharedToolset, lazy};
    let (world, store) = (World::default(), MemoryStore::new());
    let opened = Arc::new(AtomicUsize::new(0));
    let stamp = made(spec("stamp").mode(ExecutionMode::Sequential), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::text("stamped")))
    });
    let flaky = lazy("flaky", move |_| {
        let (nth, stamp) = (opened.fetch_add(1, Ordering::SeqCst), Arc::clone(&stamp));
        async move {
            match nth {
                1 => Err(legwork_port::toolset::Error::Unavailable("away".to_owned())),
                _ => Ok(Tools::new("flaky", [stamp])),
            }
        }
    });
    let agent = Agent::builder(turns(&[("send", 1), ("stamp", 2)]))
        .toolset(Combined::new("c").with(SharedToolset::new(flaky).required()))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.state().pending().len(), 1);
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.state().pending().len(), 1, "{:?}", outcomes(run.state()));
}

#[tokio::test]
async fn s7_7_an_approver_that_never_returns_or_panics_holds_up_nothing() {
    for panics in [false, true] {
        let (world, store) = (World::default(), MemoryStore::new());
        let thinks = Arc::new(Notify::new());
        let told = Arc::clone(&thinks);
        let agent = Agent::builder(turns(&[("send", 1)]))
            .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
            .approver(move |_: Pending, _: AgentState| {
                assert!(!panics, "no");
                told.notify_one();
                std::future::pending::<Option<Answer>>()
            })
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let control = legwork_agent::Control::default();
        let going = agent.run("go").in_session("s").control(control.clone());
        let ended = async {
            if !panics {
                thinks.notified().await;
                control.cancel.cancel();
            }
        };
        let run = tokio::join!(going.outcome(), ended).0.unwrap();
        assert_eq!(run.status().is_waiting(), panics, "{:?}", run.status());
        assert!(world.notes().is_empty());
    }
}

#[tokio::test]
async fn s7_3_an_approver_with_a_deep_value_ends_no_run() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .approver(|pending: Pending, _: AgentState| async move {
            let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
            Some(Answer::supply(&pending, deep))
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await;
    assert!(run.is_ok(), "{:?}", run.err().map(|error| error.to_string()));
}

#[tokio::test]
async fn s7_7_a_time_that_never_comes_can_be_cancelled() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::new());
    let poll = made(spec("poll").effect(EffectClass::ReadOnly), |_, _| {
        let never = legwork_core::Timestamp(u64::MAX);
        Box::pin(std::future::ready(ToolOutcome::deferred_until(never)))
    });
    let agent = Agent::builder(turns(&[("poll", 1)]))
        .tool(poll)
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let control = legwork_agent::Control::default();
    let going = agent.run("go").in_session("s").control(control.clone());
    let ended = async {
        clock.until_asleep(1).await;
        control.cancel.cancel();
    };
    let run = tokio::join!(going.outcome(), ended).0.unwrap();
    assert_eq!(run.status(), legwork_core::ExecutionStatus::Cancelled);
}

#[tokio::test]
async fn s7_3_whoever_approves_all_calls_of_a_tool_is_not_asked_about_the_next_of_the_turn() {
    let (world, store) = (World::default(), MemoryStore::new());
    let count = Arc::new(AtomicUsize::new(0));
    let times = Arc::clone(&count);
    let agent = Agent::builder(turns(&[("send", 1), ("send", 2), ("send", 3)]))
        .toolset(asked(Ask::once(), [noting("send", once(), &world)]))
        .approver(move |pending: Pending, _: AgentState| {
            times.fetch_add(1, Ordering::SeqCst);
            async move {
                let all = legwork_core::approval::Remember::Tool;
                Some(Answer::approve_and_remember(&pending, all))
            }
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn s7_3_a_hook_asks_and_its_approval_waives_no_policy() {
    // A hook asked about one call; the policy of the tool is another question.
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([
        Turn::call("send", json!({"n": 1})),
        Turn::call("send", json!({"n": 2})),
        Turn::text("done"),
    ]);
    let asks = hook("odd", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        match state.current_tool_call().unwrap().arguments["n"] == 1 {
            true => Ok(state.with_tool_call_needs_approval(legwork_core::approval::Request::new(
                "is this address right?",
            ))),
            false => Ok(state),
        }
    });
    let ask = Ask::once_per_session().when(|call| call.arguments["n"] == 2);
    let agent = Agent::builder(model)
        .toolset(asked(ask, [noting("send", once(), &world)]))
        .hook(asks)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    agent.session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.state().pending().len(), 1, "{:?}", world.notes());
}

#[tokio::test]
async fn s7_3_an_interrupted_wait_is_asked_again() {
    let (world, store) = (World::default(), MemoryStore::new());
    let asked_at_all = Arc::new(Notify::new());
    let told = Arc::clone(&asked_at_all);
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .approver(move |_: Pending, _: AgentState| {
            told.notify_one();
            std::future::pending::<Option<Answer>>()
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let control = legwork_agent::Control::default();
    let going = agent.run("go").in_session("s").control(control.clone());
    let ended = async {
        asked_at_all.notified().await;
        control.interrupt.cancel();
    };
    let run = tokio::join!(going.outcome(), ended).0;
    let state = agent.session("s").state().await.unwrap();
    assert_eq!(state.pending().len(), 1, "{run:?}");
}

#[tokio::test]
async fn s7_5_a_call_that_began_and_waits_is_not_told_as_never_run() {
    let (world, store) = (World::default(), MemoryStore::new());
    let noted = world.clone();
    // The order is placed; the confirmation comes later.
    let order = made(spec("order"), move |_, _| {
        noted.note("ordered");
        Box::pin(std::future::ready(ToolOutcome::deferred()))
    });
    let agent = Agent::builder(turns(&[("order", 1)]))
        .tool(order)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").outcome().await.unwrap();
    agent.session("s").steer("and?").await.unwrap();
    let run = agent.resume("s").await.unwrap();
    let told = outcomes(run.state())[0].to_text();
    assert!(!told.starts_with("Not run"), "{told}");
}

#[tokio::test]
async fn s7_3_an_approver_with_a_deep_value_leaves_a_journal_that_can_be_read() {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = Agent::builder(turns(&[("send", 1)]))
        .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
        .approver(|pending: Pending, _: AgentState| async move {
            let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
            Some(Answer::supply(&pending, deep))
        })
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await;
    let loaded = store.read(&"s".into(), Range::ALL).await.unwrap();
    let all = loaded.journal.entries().iter().map(|entry| entry.encode().map(|_| entry.seq));
    let bad: Vec<_> = all.filter_map(Result::err).map(|error| error.to_string()).collect();
    assert!(bad.is_empty(), "{bad:?} {:?} {:?}", run.map(|run| run.status()), world.notes());
}

#[tokio::test]
async fn s6_4_a_poll_that_charges_is_charged_each_time() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::auto());
    let (ran, now) = (Arc::new(AtomicUsize::new(0)), clock.clone());
    let poll = made(spec("poll").effect(EffectClass::Idempotent), move |_, cx| {
        cx.charge(&Amounts { input: 1000, ..Amounts::default() });
        let outcome = match ran.fetch_add(1, Ordering::SeqCst) < 5 {
            true => ToolOutcome::deferred_until(legwork_core::Timestamp(now.now().wall.0 + 1000)),
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
    assert!(run.used().input >= 6000, "{}", run.used().input);
}

#[tokio::test]
async fn s7_5_steering_in_the_middle_answers_each_call_once() {
    let (world, store) = (World::default(), MemoryStore::new());
    let inner =
        Agent::builder(ScriptedModel::new([])).store_in(Arc::new(store.clone())).build().unwrap();
    let noted = world.clone();
    let say = made(spec("say"), move |arguments, _| {
        let (inner, noted) = (inner.clone(), noted.clone());
        Box::pin(async move {
            noted.note(format!("say {}", arguments["n"]));
            inner.session("s").steer("wait").await.unwrap();
            ToolOutcome::needs_approval("so")
        })
    });
    let stamp = made(spec("stamp").mode(ExecutionMode::Sequential), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::text("stamped")))
    });
    let agent =
        Agent::builder(turns(&[("send", 1), ("say", 2), ("look", 3), ("stamp", 4), ("look", 5)]))
            .tools([say, stamp, noting("look", EffectClass::ReadOnly, &world)])
            .toolset(asked(Ask::always(), [noting("send", once(), &world)]))
            .parallel_calls(1)
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.text(), "done", "{:?} {:?}", run.status(), run.state().pending());
    assert_eq!(outcomes(run.state()).len(), 5, "{:?}", outcomes(run.state()));
}

#[tokio::test]
async fn s7_5_what_was_said_before_an_intent_is_durable_comes_before_its_body() {
    for parallel in [false, true] {
        let (world, store) = (World::default(), MemoryStore::new());
        let inner = Agent::builder(ScriptedModel::new([]))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        // So quick, and so harmless, that its outcome is not committed by itself.
        let look = spec("look").effect(EffectClass::ReadOnly).mode(ExecutionMode::Sequential);
        let look = made(look, move |_, _| {
            let inner = inner.clone();
            Box::pin(async move {
                inner.session("s").steer("wait").await.unwrap();
                ToolOutcome::text("seen")
            })
        });
        let calls: &[_] = if parallel {
            &[("look", 1), ("send", 2), ("send", 3)]
        } else {
            &[("look", 1), ("send", 2)]
        };
        let agent = Agent::builder(turns(calls))
            .tools([look, noting("send", once(), &world)])
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert!(world.notes().is_empty(), "{:?}", world.notes());
        assert!(matches!(outcomes(run.state())[1], ToolOutcome::Skipped(_)));
    }
}

#[tokio::test]
async fn s7_2_a_call_that_is_approved_before_the_one_that_holds_it_back_waits_for_it() {
    for in_process in [false, true] {
        let (world, store) = (World::default(), MemoryStore::new());
        let noted = world.clone();
        let stamp = spec("stamp").effect(once()).mode(ExecutionMode::Sequential);
        let stamp = made(stamp, move |arguments, _| {
            noted.note(format!("stamp {}", arguments["n"]));
            Box::pin(std::future::ready(ToolOutcome::text("stamped")))
        });
        let agent = Agent::builder(turns(&[("stamp", 1), ("stamp", 2)]))
            .toolset(asked(Ask::always(), [stamp]))
            .store_in(Arc::new(store.clone()));
        let agent = match in_process {
            false => agent,
            // Nobody answers the first.
            true => agent.approver(|pending: Pending, _: AgentState| async move {
                (&*pending.arguments == "{\"n\":2}").then(|| Answer::approve(&pending))
            }),
        };
        let agent = agent.build().unwrap();
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        if !in_process {
            let second = Answer::approve(&run.state().pending()[1]);
            agent.session("s").answer(second).await.unwrap();
        }
        let run = agent.resume("s").outcome().await.unwrap();
        assert_eq!(run.state().pending().len(), 1);
        assert!(world.notes().is_empty(), "{:?}", world.notes());
        agent.session("s").answer(Answer::approve(&run.state().pending()[0])).await.unwrap();
        assert_eq!(agent.resume("s").await.unwrap().text(), "done");
        assert_eq!(world.notes(), ["stamp 1", "stamp 2"]);
    }
}

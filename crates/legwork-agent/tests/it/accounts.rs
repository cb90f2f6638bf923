//! What a subagent leaves of a reserve is there for what comes next in the tree, and what it
//! used is known above.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Subagent, hook};
use legwork_core::budget::{Amounts, MicroUsd};
use legwork_core::tool::ExecutionMode;
use legwork_core::{AgentState, Budget, EffectClass, ExecutionStatus, ModelSettings, ToolOutcome};
use legwork_port::{EventKind, Observer, RunEvent, Trigger};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{Gate, Turn, VirtualClock, polls};
use serde_json::json;

use crate::subagents::{scripted, spawn};
use crate::tools::{World, guarded, made, noting, outcomes, spec};
use crate::trees::{micros, priced, usage};

#[tokio::test]
async fn s5_4_what_an_inference_of_a_subagent_did_not_use_is_there_for_its_next_one() {
    // Each inference holds more than 600 of the 2,100, and uses 20.
    let look = || Turn::call("look", json!({"n": 1})).with_usage(usage(10, 10));
    let ok = |text: &str| Turn::text(text).with_usage(usage(10, 10));
    let child = priced([look(), look(), look(), look(), ok("seen")]).named("x:child");
    let root = priced([Turn::calls([spawn("a", "go")]).with_usage(usage(10, 10)), ok("done")]);
    let settings = ModelSettings { max_output: Some(600), ..ModelSettings::default() };
    let agent = Agent::builder(root.named("x:root"))
        .settings(settings)
        .budget(micros(2_100))
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("seen")]);
    assert_eq!(run.text(), "done");
    assert_eq!(run.state().ledger().lifetime.cost, MicroUsd(7 * 20));
    assert!(run.state().ledger().reserved.is_empty());
}

#[tokio::test]
async fn s5_4_what_a_subagent_leaves_of_its_limits_is_there_for_the_one_after_it_in_a_turn() {
    // The first one holds 2,000 of the 2,080 that are left, and uses 20; the other needs 600.
    let ok = || Turn::text("ok").with_usage(usage(10, 10));
    let two = [spawn("capped", "go"), spawn("free", "go")];
    let root = priced([Turn::calls(two).with_usage(usage(10, 10)), ok()]).named("x:root");
    let settings = ModelSettings { max_output: Some(600), ..ModelSettings::default() };
    let capped = Subagent::new("capped", "Works.", "").model(priced([ok()]).named("x:capped"));
    let agent = Agent::builder(root)
        .settings(settings)
        .budget(micros(2_100))
        .parallel_calls(1)
        .subagent(capped.budget(micros(2_000)))
        .subagent(Subagent::new("free", "Works.", "").model(priced([ok()]).named("x:free")))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok"), ToolOutcome::text("ok")]);
    assert_eq!(run.state().ledger().lifetime.cost, MicroUsd(4 * 20));
}

#[tokio::test]
async fn s5_4_calls_of_a_turn_that_did_not_begin_yet_count_above() {
    // Five calls: two of the root, and two of either subagent would be one too many.
    let (world, gate) = (World::default(), Gate::new());
    let worker = |name: &str| {
        let two = Turn::calls([("look", json!({"n": 1})), ("alone", json!({"n": 2}))]);
        Subagent::new(name, "Works.", "")
            .model(scripted(&format!("x:{name}"), [two, Turn::text("ok")]))
    };
    let two = [spawn("a", "go"), spawn("b", "go")];
    let alone = spec("alone").mode(ExecutionMode::Sequential).effect(EffectClass::ReadOnly);
    let agent = Agent::builder(scripted("x:root", [Turn::calls(two), Turn::text("done")]))
        .tools([
            guarded(spec("look").effect(EffectClass::ReadOnly), &world, &gate),
            guarded(alone, &world, &gate),
        ])
        .budget(Budget::guards().tool_calls(5))
        .subagent(worker("a"))
        .subagent(worker("b"))
        .build()
        .unwrap();
    // The first call of one subagent is under way while the other one's are checked.
    let open = async {
        gate.arrived(1).await;
        gate.open();
    };
    let run = tokio::join!(async { agent.run("go").await }, open).0.unwrap();
    assert_eq!(run.state().ledger().lifetime.tool_calls, 4);
    assert_eq!(outcomes(run.state())[0], ToolOutcome::text("ok"));
    let told = outcomes(run.state()).remove(1).to_text();
    assert!(told.contains("tool_calls_limit"), "{told}");
}

#[tokio::test]
async fn s5_4_calls_that_were_refused_are_there_for_others_while_their_agent_goes_on() {
    // Four calls: two of the root, and two of the one whose calls are not refused.
    let (on, late) = (Gate::new(), Gate::new());
    let two = |name: &'static str| Turn::calls([(name, json!({"n": 1})), (name, json!({"n": 2}))]);
    let a = scripted("x:a", [two("unknown"), Turn::text("ok").behind(&on)]);
    let b = scripted("x:b", [two("look").behind(&late), Turn::text("seen")]);
    let both = [spawn("a", "go"), spawn("b", "go")];
    let agent = Agent::builder(scripted("x:root", [Turn::calls(both), Turn::text("done")]))
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .budget(Budget::guards().tool_calls(4))
        .subagent(Subagent::new("a", "Errs.", "").model(a))
        .subagent(Subagent::new("b", "Looks.", "").model(b))
        .build()
        .unwrap();
    let open = async {
        on.arrived(1).await;
        late.open();
        polls::others(1_000).await;
        on.open();
    };
    let run = tokio::join!(async { agent.run("go").await }, open).0.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok"), ToolOutcome::text("seen")]);
}

#[tokio::test]
async fn s5_4_calls_that_a_stopped_subagent_did_not_begin_are_there_for_the_one_after_it() {
    // Four calls: two of the root, the one that hangs, and one that a stopped agent left over.
    let world = World::default();
    let hung = Turn::calls([("hang", json!({"n": 1})), spawn("b", "never")]);
    let a = scripted("x:a", [hung, Turn::text("never")]);
    let b = scripted("x:b", [Turn::call("look", json!({"n": 2})), Turn::text("seen")]);
    let two = [spawn("a", "go"), spawn("b", "go")];
    let root = scripted("x:root", [Turn::calls(two), Turn::text("done")]);
    let time = Budget::unlimited().time(Duration::from_secs(5));
    let hang = guarded(spec("hang").effect(EffectClass::ReadOnly), &world, &Gate::new());
    let agent = Agent::builder(root)
        .tools([hang, noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::guards().tool_calls(4))
        .parallel_calls(1)
        .subagent(Subagent::new("a", "Hangs.", "").model(a).budget(time))
        .subagent(Subagent::new("b", "Looks.", "").model(b))
        .clock(Arc::new(VirtualClock::auto()))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    let all = outcomes(run.state());
    assert!(all[0].to_text().contains("did not finish"), "{all:?}");
    assert_eq!(all[1], ToolOutcome::text("seen"));
    assert_eq!(world.notes(), ["hang 1 began", "hang 1 dropped", "look 2"]);
    assert_eq!(run.state().ledger().lifetime.tool_calls, 4);
}

#[tokio::test]
async fn s5_4_calls_that_a_dropped_subagent_did_not_begin_are_there_for_the_one_after_it() {
    // Four calls: three that spawn, and that of the last one. One was checked, and is shown to
    // a hook that never returns: the time of the subagent above is up meanwhile.
    let (world, gate, clock) = (World::default(), Gate::new(), VirtualClock::new());
    let asked = gate.clone();
    let hangs = hook("hangs", [Trigger::BeforeToolUse], move |state: AgentState, _| {
        let gate = asked.clone();
        async move {
            if &*state.current_tool_call().unwrap().call.name == "never" {
                gate.pass().await;
            }
            Ok(state)
        }
    });
    let a = scripted("x:a", [Turn::calls([spawn("b", "go")]), Turn::text("never")]);
    let b = scripted("x:b", [Turn::call("never", json!({"n": 1})), Turn::text("never")]);
    let c = scripted("x:c", [Turn::call("look", json!({"n": 2})), Turn::text("seen")]);
    let root = Turn::calls([spawn("a", "go"), spawn("c", "go")]);
    let time = Budget::unlimited().time(Duration::from_secs(5));
    let agent = Agent::builder(scripted("x:root", [root, Turn::text("done")]))
        .tools(["never", "look"].map(|name| noting(name, EffectClass::ReadOnly, &world)))
        .hook(hangs.inherited())
        .budget(Budget::guards().tool_calls(4))
        .parallel_calls(1)
        .subagent(Subagent::new("a", "Spawns.", "").model(a).budget(time))
        .subagent(Subagent::new("b", "Hangs.", "").model(b))
        .subagent(Subagent::new("c", "Looks.", "").model(c))
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let pass = async {
        gate.arrived(1).await;
        clock.until_asleep(1).await;
        clock.advance(Duration::from_secs(5));
    };
    let run = tokio::join!(async { agent.run("go").await }, pass).0.unwrap();
    assert_eq!(outcomes(run.state())[1], ToolOutcome::text("seen"));
    assert_eq!(world.notes(), ["look 2"]);
    assert_eq!(run.state().ledger().lifetime.tool_calls, 4);
}

#[tokio::test]
async fn s5_4_calls_that_were_granted_at_spawn_are_a_limit_without_the_criterion_too() {
    let world = World::default();
    let two = Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": 2}))]);
    let elsewhere = Agent::builder(scripted("x:child", [two, Turn::text("never")]))
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .without_criterion("tool_calls_limit")
        .budget(Budget::unlimited().tool_calls(1))
        .build()
        .unwrap();
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let agent = Agent::builder(root).subagent(Subagent::of("a", "Works.", elsewhere));
    let run = agent.build().unwrap().run("go").await.unwrap();
    let told = outcomes(run.state()).remove(0).to_text();
    assert!(told.contains("did not finish (stopped)") && told.contains("1 tool calls"), "{told}");
    assert_eq!(world.notes(), Vec::<String>::new(), "a batch that passes it runs none");
}

#[tokio::test]
async fn s5_4_tokens_of_either_kind_that_a_subagents_tool_used_settle_into_the_parent() {
    let ask = made(spec("ask").effect(EffectClass::ReadOnly), |_, cx| {
        cx.charge(&Amounts { tokens: 900, ..Amounts::default() });
        Box::pin(std::future::ready(ToolOutcome::text("asked")))
    });
    let child = [Turn::call("ask", json!({"n": 1})), Turn::text("ok")];
    let child = scripted("x:child", child.map(|turn| turn.with_usage(usage(10, 10))));
    let root = [Turn::calls([spawn("a", "go")]), Turn::text("done")];
    let root = scripted("x:root", root.map(|turn| turn.with_usage(usage(10, 10))));
    let agent =
        Agent::builder(root).tool(ask).subagent(Subagent::new("a", "Asks.", "").model(child));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
    assert_eq!(run.used().total_tokens(), 4 * 20 + 900);
}

/// Notes what subagents used, as observers are told when they end.
#[derive(Default)]
struct Finished(Mutex<Vec<Amounts>>);

impl Observer for Finished {
    fn observe(&self, event: &RunEvent) {
        if let EventKind::SubagentFinished { used, .. } = &event.kind {
            self.0.lock().unwrap().push(*used);
        }
    }
}

#[tokio::test]
async fn s5_4_what_a_subagent_used_is_told_too_where_its_store_failed() {
    // The third append is that of the subagent's request, the fourth that of the answer.
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let store = store.fault(Operation::Append, 4, Fault::FailBefore);
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::text("ok").with_usage(usage(10, 10))]);
    let seen = Arc::new(Finished::default());
    let agent = Agent::builder(root)
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store))
        .observer(seen.clone())
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    let used = seen.0.lock().unwrap().clone();
    assert_eq!(used.len(), 1);
    assert!(used[0].input > 0, "what is held for its request: {used:?}");
    // It was not ended: it goes on when its store takes it again.
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
}

//! Budgets over trees of agents: shared, held, settled once, balanced after any crash.

use std::sync::Arc;

use legwork_agent::{Agent, Builder, Subagent, hook, subagent};
use legwork_core::budget::{Amounts, MicroUsd, Price};
use legwork_core::event::Event;
use legwork_core::journal::Journal;
use legwork_core::{
    AgentState, Budget, EffectClass, ModelRequest, ModelSettings, Response, SessionId, StopReason,
    ToolOutcome, Usage,
};
use legwork_port::model::{self, Ability, Profile};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Deltas, Model, Store, Trigger};
use legwork_testkit::invariants::{Journals, of_tree};
use legwork_testkit::script::Script;
use legwork_testkit::{Asked, Gate, ScriptedModel, Turn, crash};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::subagents::spawn;
use crate::tools::{World, noting, outcomes, signal};

/// A millionth of a dollar a token, in or out.
pub(crate) fn priced(script: impl Into<Script>) -> ScriptedModel {
    let each = MicroUsd(1_000_000);
    let price = Price::new(each, each);
    let profile = Profile::new().with_prices(price).with(Ability::Tools);
    ScriptedModel::new(script).with_profile(profile)
}

pub(crate) fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

pub(crate) fn micros(cost: u64) -> Budget {
    Budget { cost: Some(MicroUsd(cost)), ..Budget::guards() }
}

/// Answers of at most so many tokens.
fn short(builder: Builder, max_output: u64) -> Builder {
    builder.settings(ModelSettings { max_output: Some(max_output), ..ModelSettings::default() })
}

/// The sessions that a session spawned, as its journal says, once each.
fn children(journal: &Journal) -> Vec<SessionId> {
    let child = |event: &Event| match event {
        Event::ToolStarted(started) => started.child.clone(),
        _ => None,
    };
    let mut all: Vec<_> = journal.entries().iter().filter_map(|e| child(&e.event)).collect();
    all.sort();
    all.dedup();
    all
}

/// Holds that every ledger balances and keeps its limits, and what else follows for a tree.
fn balanced(journals: &Journals) -> Result<(), String> {
    of_tree(journals).map_err(|violation| violation.to_string())
}

#[tokio::test]
async fn s5_4_subagents_without_limits_of_their_own_share_what_the_parent_has() {
    // What two of them may answer is held while they are asked; for a third it is too little.
    let gate = Gate::new();
    let text = |usage: Usage| Turn::text("ok").with_usage(usage);
    let child = || priced([text(usage(10, 300)).behind(&gate)]);
    let three = [spawn("a", "go"), spawn("b", "go"), spawn("c", "go")];
    let root = priced([Turn::calls(three).with_usage(usage(10, 10)), text(usage(10, 10))]);
    let mut agent = short(Agent::builder(root.named("x:root")), 600).budget(micros(2_100));
    for name in ["a", "b", "c"] {
        let model = child().named(format!("x:{name}"));
        agent = agent.subagent(Subagent::new(name, "Works.", "").model(model));
    }
    let agent = agent.build().unwrap();
    let opener = async {
        gate.arrived(2).await;
        gate.open();
    };
    let (run, ()) = tokio::join!(async { agent.run("go").await.unwrap() }, opener);
    assert_eq!(run.text(), "ok");
    assert_eq!(run.state().ledger().lifetime.cost, MicroUsd(2 * 310 + 2 * 20));
    let told: Vec<_> = outcomes(run.state()).iter().map(ToolOutcome::to_text).collect();
    assert_eq!(told[..2], ["ok", "ok"]);
    assert!(told[2].contains("the limit of $0.0021 leaves no room"), "{}", told[2]);
}

#[tokio::test]
async fn s5_4_limits_of_its_own_are_held_at_spawn_and_what_is_left_is_released() {
    let store = legwork_agent::memory::MemoryStore::new();
    let child = priced([Turn::text("ok").with_usage(usage(5, 5))]).named("x:child");
    let root = priced([
        Turn::calls([spawn("capped", "go")]).with_usage(usage(10, 10)),
        Turn::text("done").with_usage(usage(10, 10)),
    ]);
    let capped = Subagent::new("capped", "Works.", "").model(child).budget(micros(2_000));
    let agent = short(Agent::builder(root.named("x:root")), 100)
        .budget(micros(9_000))
        .subagent(capped)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").await.unwrap();
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let held = journal.entries().iter().find_map(|entry| match &entry.event {
        Event::ToolStarted(started) => Some(started.reserved),
        _ => None,
    });
    assert_eq!(held.unwrap(), Amounts { cost: MicroUsd(2_000), ..Amounts::default() });
    assert_eq!(run.state().ledger().lifetime.cost, MicroUsd(50));
    assert!(run.state().ledger().reserved.is_empty());
    let child = children(&journal).remove(0);
    let state = store.read(&child, Range::ALL).await.unwrap().journal.fold(&child);
    assert_eq!(state.facts().definition.budget.cost, Some(MicroUsd(2_000)));
}

#[tokio::test]
async fn s5_4_a_subagent_never_gets_more_than_its_parent_has_left() {
    let child = priced([Turn::text("ok").with_usage(usage(5, 5))]).named("x:child");
    let seen = World::default();
    let look = seen.clone();
    let note = hook("note", [Trigger::ExecutionStart], move |state: AgentState, _| {
        if state.facts().parent.is_some() {
            let budget = &state.facts().definition.budget;
            look.note(format!(
                "{:?} {:?}",
                budget.cost.map(|c| c.0),
                budget.active_time.map(|a| a.0)
            ));
        }
        std::future::ready(Ok(state))
    });
    let root = priced([
        Turn::calls([spawn("capped", "go")]).with_usage(usage(500, 0)),
        Turn::text("done").with_usage(usage(10, 10)),
    ]);
    let capped = Subagent::new("capped", "Works.", "").model(child).budget(micros(90_000));
    let budget = Budget { active_time: Some(legwork_core::Micros(7_000_000)), ..micros(3_000) };
    let agent = short(Agent::builder(root.named("x:root")), 100).budget(budget).subagent(capped);
    agent.hook(note.inherited()).build().unwrap().run("go").await.unwrap();
    assert_eq!(seen.notes(), ["Some(2500) Some(7000000)"]);
}

#[tokio::test]
async fn s5_4_a_limit_on_money_above_asks_no_model_without_a_price() {
    let free = ScriptedModel::new([Turn::text("never")]).named("free:model");
    let root = priced([Turn::calls([spawn("a", "go")]), Turn::text("done")]).named("x:root");
    let agent = short(Agent::builder(root), 100)
        .budget(micros(90_000))
        .subagent(Subagent::new("a", "Works.", "").model(free.clone()));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert!(free.requests().is_empty());
    assert!(outcomes(run.state())[0].to_text().contains("free:model"));
}

#[tokio::test]
async fn s5_4_tool_calls_of_subagents_count_above() {
    let world = World::default();
    let three = || Turn::calls([1, 2, 3].map(|n| ("look", json!({"n": n}))));
    let child = ScriptedModel::new([three(), Turn::text("ok")]).named("x:child");
    let root = ScriptedModel::new([Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let agent = Agent::builder(root.named("x:root"))
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::guards().tool_calls(3))
        .subagent(Subagent::new("a", "Works.", "").model(child));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert!(world.notes().is_empty(), "one call is used: three do not fit, and none runs");
    assert!(
        outcomes(run.state())[0].to_text().contains("tool calls"),
        "{:?}",
        outcomes(run.state())
    );
}

#[tokio::test]
async fn s5_4_tool_calls_of_earlier_turns_of_a_subagent_count_above() {
    let world = World::default();
    let look = |n: u32| Turn::call("look", json!({"n": n}));
    let child = ScriptedModel::new([look(1), look(2), Turn::text("never")]).named("x:child");
    let root = ScriptedModel::new([Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let agent = Agent::builder(root.named("x:root"))
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::guards().tool_calls(2))
        .subagent(Subagent::new("a", "Works.", "").model(child));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(world.notes(), ["look 1"]);
    assert_eq!(run.state().ledger().lifetime.tool_calls, 2);
}

/// Two subagents work beside each other and a hook on their results asks to stop.
fn stopped_by_a_hook(world: &World, store: Arc<dyn Store>) -> Result<Agent, legwork_agent::Error> {
    let work = |name: &'static str| {
        let model = priced([
            Turn::call("look", json!({"n": 1})).with_usage(usage(20, 5)),
            Turn::text(name).with_usage(usage(30, 5)),
        ]);
        Subagent::new(name, "Works.", "").model(model.named(format!("x:{name}")))
    };
    let two = Turn::calls([spawn("a", "go"), spawn("b", "go")]).with_usage(usage(10, 10));
    let root = priced([two, Turn::text("never").with_usage(usage(10, 10))]);
    let stops = hook("stops", [Trigger::AfterToolUse], |state: AgentState, _| async move {
        let tool =
            state.current_tool_execution().map(|pending| pending.execution.call.name.to_string());
        let raised = state.stop_signals().is_empty() && tool.as_deref() == Some(subagent::TOOL);
        let stop = || signal(StopReason::StopRequested);
        Ok(if raised { state.with_stop_signal(stop()) } else { state })
    });
    short(Agent::builder(root.named("x:root")), 100)
        .tools([noting("look", EffectClass::ReadOnly, world)])
        .budget(micros(90_000))
        .subagent(work("a"))
        .subagent(work("b").budget(micros(9_000)))
        .hook(stops)
        .store_in(store)
        .build()
}

#[tokio::test]
async fn s3_7_s5_4_s10_5_two_subagents_and_a_stop_of_a_hook_survive_every_crash() {
    let report = crash::simulate("go", stopped_by_a_hook).crash_everywhere().await.unwrap();
    assert!(report.crashed.len() > 20, "{} crashes", report.crashed.len());
    balanced(&report.plain.journals).unwrap();
    assert_eq!(report.plain.state.ledger().lifetime.cost, MicroUsd(140));
    report.check(|plain, crashed| {
        if crashed.state.stop_reason() != Some(&StopReason::StopRequested) {
            return Err(format!("stopped for {:?}", crashed.state.stop_reason()));
        }
        if outcomes(&crashed.state) != outcomes(&plain.state) {
            return Err(format!("results {:?}", outcomes(&crashed.state)));
        }
        if crashed.journals.len() != 3 {
            return Err(format!("sessions {:?}", crashed.journals.keys()));
        }
        balanced(&crashed.journals)
    });
}

/// What a node of a tree does, as the prompt that it gets.
#[derive(Debug, Clone)]
struct Plan {
    usage: (u64, u64),
    /// How often others have their turn before each of its steps.
    wait: u64,
    calls: Vec<(&'static str, Plan)>,
}

impl Plan {
    fn to_json(&self) -> Value {
        let calls: Vec<_> =
            self.calls.iter().map(|(name, plan)| json!([name, plan.to_json()])).collect();
        json!({"usage": [self.usage.0, self.usage.1], "wait": self.wait, "calls": calls})
    }
}

/// Plays the plan that stands in the prompt: spawns what it says, then answers.
fn play(asked: &Asked) -> Turn {
    let plan: Value = serde_json::from_str(&asked.messages[0].text).unwrap();
    let used = [0, 1].map(|at| plan["usage"][at].as_u64().unwrap());
    let calls = plan["calls"].as_array().unwrap();
    let spawns = calls.iter().map(|call| {
        let arguments = json!({"agent": call[0], "prompt": call[1].to_string()});
        (subagent::TOOL, arguments)
    });
    let turn = match asked.turn() == 0 && !calls.is_empty() {
        true => Turn::calls(spawns.collect::<Vec<_>>()),
        false => Turn::text("ok"),
    };
    turn.with_usage(usage(used[0], used[1]))
}

const NAMES: [&str; 3] = ["free", "capped", "counted"];

fn plan() -> impl Strategy<Value = Plan> {
    let node = (0u64..30, 0u64..50, 0u64..20);
    let make = |(input, output, wait), calls| Plan { usage: (input, output), wait, calls };
    let leaf = node.clone().prop_map(move |node| make(node, Vec::new()));
    leaf.prop_recursive(3, 12, 4, move |inner| {
        let calls = prop::collection::vec((prop::sample::select(&NAMES[..]), inner), 0..4);
        (node.clone(), calls).prop_map(move |(node, calls)| make(node, calls))
    })
}

/// Lets others have their turn before a step, as often as the plan in the prompt says.
fn late() -> legwork_agent::Hook {
    let late = hook("late", [Trigger::StepStart], |state: AgentState, _| async move {
        let prompt = state.context().transcript.messages().iter().next().map(|m| m.text());
        let plan: Value = serde_json::from_str(&prompt.unwrap_or_default()).unwrap();
        for _ in 0..plan["wait"].as_u64().unwrap() {
            tokio::task::yield_now().await;
        }
        Ok(state)
    });
    late.inherited()
}

/// Answers only after others had their turn, so that calls beside each other are in flight
/// at the same time.
struct Slow(ScriptedModel);

impl Model for Slow {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        Box::pin(async move {
            // More or less often, as the conversation has it.
            for _ in 0..request.weight() % 7 {
                tokio::task::yield_now().await;
            }
            self.0.infer(request, deltas).await
        })
    }
}

/// Limits of the root, and those of their own of two of the three subagents.
#[derive(Debug, Clone)]
struct Limits {
    root: Budget,
    capped: Budget,
    counted: Budget,
}

fn limits() -> impl Strategy<Value = Limits> {
    let some = |range: std::ops::Range<u64>| prop::option::of(range);
    let root = (some(500..9_000), some(500..9_000), some(0..12), some(400..6_000));
    (root, 300u64..4_000, 300u64..4_000).prop_map(
        |((cost, total, calls, input), capped, counted)| {
            let guards = Budget::guards().steps(50);
            Limits {
                root: Budget {
                    cost: cost.map(MicroUsd),
                    total_tokens: total,
                    tool_calls: calls,
                    input_tokens: input,
                    ..guards.clone()
                },
                capped: Budget { cost: Some(MicroUsd(capped)), ..guards.clone() },
                counted: Budget { total_tokens: Some(counted), ..guards },
            }
        },
    )
}

fn tree(limits: &Limits, store: Arc<dyn Store>) -> Result<Agent, legwork_agent::Error> {
    let model = priced(Script::from_fn(play)).named("x:all");
    let budgets = [None, Some(limits.capped.clone()), Some(limits.counted.clone())];
    let mut agent =
        short(Agent::builder(Slow(model)), 50).budget(limits.root.clone()).store_in(store);
    agent = agent.hook(late());
    for (name, budget) in NAMES.into_iter().zip(budgets) {
        let subagent = Subagent::new(name, "Works.", "");
        agent = agent.subagent(match budget {
            Some(budget) => subagent.budget(budget),
            None => subagent,
        });
    }
    agent.build()
}

#[tokio::test]
async fn s5_4_what_is_released_is_known_above_only_once_it_is_durable() {
    // Only one fits at a time: the other comes when the first may have released what it
    // held. Should that answer be lost in a crash, all of it is charged.
    for wait in 0..24 {
        let leaf = |wait| ("counted", Plan { usage: (0, 0), wait, calls: Vec::new() });
        let calls = vec![leaf(0), leaf(wait)];
        let plan = Plan { usage: (0, 2), wait: 0, calls };
        let guards = Budget::guards().steps(50);
        let limits = Limits {
            root: Budget { cost: Some(MicroUsd(400)), ..guards.clone() },
            capped: guards.clone(),
            counted: Budget { total_tokens: Some(300), ..guards },
        };
        let make = move |_: &(), store| tree(&limits, store);
        let task = plan.to_json().to_string();
        let report = crash::simulate(task, make).crash_everywhere().await.unwrap();
        report.check(|_, crashed| balanced(&crashed.journals));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s5_3_s5_4_a_thousand_random_trees_with_crashes_balance_and_keep_their_limits(
        plan in plan(),
        limits in limits(),
        boundary in 1usize..24,
        before in any::<bool>(),
    ) {
        let side = if before { crash::Side::Before } else { crash::Side::After };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let simulation = crash::simulate(plan.to_json().to_string(), move |_: &(), store| {
            tree(&limits, store)
        });
        let ended = runtime.block_on(simulation.crash_at(boundary, side)).unwrap();
        prop_assert_eq!(balanced(&ended.journals), Ok(()));
    }
}

#[tokio::test]
async fn s5_4_a_hook_does_not_lift_the_calls_that_a_subagent_was_granted() {
    let lifts = hook("lifts", [Trigger::StepStart], |state: AgentState, _| async move {
        let child = state.facts().parent.is_some();
        Ok(if child { state.with_budget(Budget::unlimited()) } else { state })
    });
    let world = World::default();
    let two = Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": 2}))]);
    let child = ScriptedModel::new([two, Turn::text("seen")]).named("x:child");
    let root = ScriptedModel::new([Turn::calls([spawn("capped", "go")]), Turn::text("done")]);
    let agent = Agent::builder(root)
        .tool(noting("look", EffectClass::ReadOnly, &world))
        .hook(lifts.inherited())
        .subagent(
            Subagent::new("capped", "Works.", "")
                .model(child)
                .budget(Budget::unlimited().tool_calls(1)),
        );
    let run = agent.build().unwrap().run("go").await.unwrap();
    let told = outcomes(run.state())[0].to_text();
    assert!(told.contains("tool_calls_limit"), "{told}");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s5_4_a_hook_does_not_lift_what_a_subagent_was_granted() {
    let lifts = hook("lifts", [Trigger::StepStart], |state: AgentState, _| async move {
        let child = state.facts().parent.is_some();
        Ok(if child { state.with_budget(Budget::unlimited()) } else { state })
    });
    let child = priced([Turn::text("never").with_usage(usage(10, 10))]).named("x:child");
    let root = priced([Turn::calls([spawn("capped", "go")]), Turn::text("done")]).named("x:root");
    let agent = short(Agent::builder(root), 600)
        .budget(micros(90_000))
        .hook(lifts.inherited())
        .subagent(Subagent::new("capped", "Works.", "").model(child.clone()).budget(micros(300)));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert!(child.requests().is_empty());
    assert!(outcomes(run.state())[0].to_text().contains("the limit of $0.0003"));
}

//! Toolsets that runs share: opened by the first, closed after the last, failing alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::SharedToolset;
use legwork_agent::{Agent, Control, Override, Subagent};
use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, ExecutionStatus, ToolOutcome};
use legwork_port::toolset::CLOSE_LIMIT;
use legwork_port::{Clock as _, Tool};
use legwork_testkit::fault::{FaultyStore, Operation};
use legwork_testkit::{Asked, Gate, Script, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::claimed::Warnings;
use crate::sets::{Set, unavailable};
use crate::subagents::{scripted, spawn};
use crate::tools::{World, answering, noting, outcomes, waiting};

/// Each session calls the tool once and is done.
fn calls_once(tool: &'static str) -> ScriptedModel {
    ScriptedModel::new(Script::from_fn(move |asked: &Asked| match asked.turn() {
        0 => Turn::call(tool, json!({"n": 1})),
        _ => Turn::text("done"),
    }))
}

fn look(world: &World) -> Arc<dyn Tool> {
    noting("look", EffectClass::ReadOnly, world)
}

/// A toolset whose one tool waits at a gate, and notes all.
fn slow(world: &World, gate: &Gate) -> Set {
    let tool = waiting("look", ExecutionMode::default(), world, gate);
    Set::new("far").noting(world).tools([tool])
}

#[tokio::test]
async fn s6_11_a_parent_and_its_subagent_share_one_open_set() {
    let world = World::default();
    let first = Turn::calls([("look", json!({"n": 1})), spawn("scout", "look")]);
    let root = scripted("x:root", [first, Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("look", json!({"n": 2})), Turn::text("seen")]);
    let scout = Subagent::new("scout", "Looks.", "Look.").model(child);
    let set = Set::new("far").noting(&world).tools([look(&world)]);
    let agent = Agent::builder(root).toolset(set).subagent(scout).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state())[1], ToolOutcome::text("seen"));
    assert_eq!(world.notes(), ["far opens", "look 1", "look 2", "far closes"]);
}

#[tokio::test]
async fn s6_11_runs_at_once_share_one_open_set_and_the_next_opens_it_anew() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls_once("look")).toolset(slow(&world, &gate));
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let runs = ["a", "b", "c"].map(|session| agent.run("go").in_session(session));
    let open = async {
        gate.arrived(3).await;
        assert_eq!(world.count("far opens"), 1);
        gate.open();
    };
    let (runs, ()) = tokio::join!(futures_util::future::join_all(runs), open);
    assert!(runs.iter().all(Result::is_ok), "{runs:?}");
    assert_eq!((world.count("far opens"), world.count("far closes")), (1, 1));
    assert_eq!(world.notes().last().unwrap(), "far closes");
    agent.run("go").await.unwrap();
    assert_eq!((world.count("far opens"), world.count("far closes")), (2, 2));
}

#[tokio::test]
async fn s6_11_a_set_stays_open_for_the_run_that_still_uses_it() {
    let (world, gate) = (World::default(), Gate::new());
    let set = SharedToolset::from(slow(&world, &gate));
    let [slow, quick] = [calls_once("look"), ScriptedModel::new([Turn::text("done")])]
        .map(|model| Agent::builder(model).toolset(set.clone()).build().unwrap());
    let quick_first = async {
        gate.arrived(1).await;
        quick.run("go").await.unwrap();
        assert_eq!((world.count("far opens"), world.count("far closes")), (1, 0));
        gate.open();
    };
    let (run, ()) = tokio::join!(async { slow.run("go").await }, quick_first);
    assert_eq!(run.unwrap().text(), "done");
    assert_eq!((world.count("far opens"), world.count("far closes")), (1, 1));
}

#[tokio::test]
async fn s6_11_a_run_that_is_dropped_gives_its_set_back() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls_once("look")).toolset(slow(&world, &gate)).build().unwrap();
    tokio::select! {
        _ = agent.run("go") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    assert_eq!(world.notes(), ["far opens", "look 1 began", "far closes"]);

    // Beside another run it closes nothing.
    let kept = agent.run("go");
    let meanwhile = async {
        gate.arrived(2).await;
        tokio::select! {
            _ = agent.run("go") => unreachable!("it waits at the gate"),
            () = gate.arrived(3) => {}
        }
        assert_eq!((world.count("far opens"), world.count("far closes")), (2, 1));
        gate.open();
    };
    let (run, ()) = tokio::join!(kept, meanwhile);
    assert_eq!(run.unwrap().text(), "done");
    assert_eq!((world.count("far opens"), world.count("far closes")), (2, 2));
}

#[tokio::test]
async fn s6_11_a_set_that_does_not_close_is_dropped_in_time() {
    let (world, clock) = (World::default(), VirtualClock::auto());
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let set = Set::new("far").noting(&world).tools([look(&world)]).never_closing();
    let agent = Agent::builder(calls_once("look")).toolset(set).clock(Arc::new(clock.clone()));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let warnings = Arc::new(Warnings::default());
    let began = clock.now().mono;
    let run = agent.run("go").in_session("s").observer(warnings.clone()).await.unwrap();
    assert_eq!(run.text(), "done");
    let waited: Duration = clock.now().mono.since(began).into();
    assert!(waited >= CLOSE_LIMIT && waited < CLOSE_LIMIT * 2, "{waited:?}");
    let warnings = warnings.0.lock().unwrap().clone();
    assert_eq!(warnings, ["toolsets that did not close in time were dropped: `far`"]);
    // The session is free, and the next run opens the set anew.
    assert_eq!(store.count(Operation::Release), 1);
    agent.run("more").in_session("s").await.unwrap();
    assert_eq!((world.count("far opens"), world.count("far closes")), (2, 2));
}

#[tokio::test]
async fn s6_11_a_run_dropped_while_it_opens_a_set_leaves_it_to_the_next() {
    let (world, gate, waits) = (World::default(), Gate::new(), Arc::new(AtomicBool::new(true)));
    let at = gate.clone();
    let set = Set::new("far").noting(&world).tools([look(&world)]).opening(move |_| {
        let (at, waits) = (at.clone(), waits.swap(false, Ordering::SeqCst));
        Box::pin(async move {
            if waits {
                at.pass().await;
            }
            Ok(())
        })
    });
    let agent = Agent::builder(calls_once("look")).toolset(set).build().unwrap();
    let first = async {
        tokio::select! {
            _ = agent.run("go") => unreachable!("it waits at the gate"),
            () = gate.arrived(1) => {}
        }
    };
    // The second waits for the first to have opened it, then does that itself.
    let second = async {
        gate.arrived(1).await;
        agent.run("go").await
    };
    let ((), run) = tokio::join!(first, second);
    assert_eq!(run.unwrap().text(), "done");
    assert_eq!(world.notes(), ["far opens", "far opens", "look 1", "far closes"]);
}

#[tokio::test]
async fn s6_11_a_run_that_fails_or_is_cancelled_closes_its_set() {
    let world = World::default();
    let set = || Set::new("far").noting(&world).tools([look(&world)]);
    let fails = scripted("x:none", []);
    let failed = Agent::builder(fails).toolset(set()).build().unwrap();
    let run = failed.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(world.notes(), ["far opens", "far closes"]);

    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls_once("look")).toolset(slow(&world, &gate)).build().unwrap();
    let control = Control::default();
    let request = agent.run("go").control(control.clone());
    let cancel = async {
        gate.arrived(1).await;
        control.cancel.cancel();
    };
    let (run, ()) = tokio::join!(async { request.outcome().await }, cancel);
    assert_eq!(run.unwrap().status(), ExecutionStatus::Cancelled);
    assert_eq!((world.count("far opens"), world.count("far closes")), (1, 1));
}

#[tokio::test]
async fn s6_11_an_override_shares_the_set_unless_its_dependencies_differ() {
    let (world, gate) = (World::default(), Gate::new());
    let old = Agent::builder(calls_once("look")).toolset(slow(&world, &gate)).build().unwrap();
    let like = old.with_override(Override::new().instructions("Be quick.")).unwrap();
    let other = old.with_override(Override::new().further_dep("other")).unwrap();
    let runs = [&old, &like, &other].map(|agent| agent.run("go"));
    let open = async {
        gate.arrived(3).await;
        assert_eq!(world.count("far opens"), 2);
        gate.open();
    };
    let (runs, ()) = tokio::join!(futures_util::future::join_all(runs), open);
    assert!(runs.iter().all(Result::is_ok), "{runs:?}");
    assert_eq!(world.count("far closes"), 2);
}

#[tokio::test]
async fn s6_11_a_set_with_a_state_for_each_session_is_open_for_each() {
    let (world, gate) = (World::default(), Gate::new());
    let set = slow(&world, &gate).of_a_session();
    let agent = Agent::builder(calls_once("look")).toolset(set);
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let runs = ["a", "b"].map(|session| agent.run("go").in_session(session));
    let open = async {
        gate.arrived(2).await;
        gate.open();
    };
    let (runs, ()) = tokio::join!(futures_util::future::join_all(runs), open);
    assert!(runs.iter().all(Result::is_ok), "{runs:?}");
    assert_eq!((world.count("far opens"), world.count("far closes")), (2, 2));
}

#[tokio::test]
async fn s6_11_a_set_that_cannot_be_opened_costs_its_own_tools() {
    let (world, warned) = (World::default(), Arc::new(Warnings::default()));
    let far = Set::new("far").opening(|_| Box::pin(async { Err(unavailable("no such host")) }));
    let near = Set::new("near").noting(&world).tools([look(&world)]);
    let model = calls_once("look");
    let builder = Agent::builder(model.clone()).instructions("Be careful.");
    let agent = builder.toolset(far).toolset(near).build().unwrap();
    let run = agent.run("go").observer(warned.clone()).await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.notes(), ["near opens", "look 1", "near closes"]);
    let warned = warned.0.lock().unwrap().clone();
    assert_eq!(warned, ["the toolset `far` cannot be opened: no such host"]);
    let note = "The toolset `far` is not available: its tools cannot be used.";
    assert_eq!(&*model.requests()[0].instructions, format!("Be careful.\n\n{note}"));
    let shown = run.state().context().tools_shown.as_ref().unwrap();
    assert_eq!(shown.instructions.as_deref(), Some(note), "and the journal says so");
}

#[tokio::test]
async fn s6_11_a_set_that_cannot_list_its_tools_is_asked_again_at_the_next_step() {
    let (world, warned) = (World::default(), Arc::new(Warnings::default()));
    let tool = look(&world);
    let far = Set::new("far").listing(move |state| match state.step_results().count() {
        1 => Err(unavailable("it went away")),
        _ => Ok(vec![tool.clone()]),
    });
    let call = || Turn::call("look", json!({"n": 1}));
    let model = ScriptedModel::new([call(), call(), call(), Turn::text("done")]);
    let agent = Agent::builder(model.clone()).toolset(far).build().unwrap();
    let run = agent.run("go").observer(warned.clone()).await.unwrap();
    let ok: Vec<_> = outcomes(run.state()).iter().map(ToolOutcome::is_ok).collect();
    assert_eq!(ok, [true, false, true]);
    assert_eq!(
        *warned.0.lock().unwrap(),
        ["the toolset `far` cannot list its tools: it went away"]
    );
    let note = "The toolset `far` is not available: its tools cannot be used.";
    let prompts = model.requests().into_iter().map(|request| request.instructions.to_string());
    assert_eq!(prompts.collect::<Vec<_>>(), ["", note, "", ""]);
}

#[tokio::test]
async fn s6_11_a_required_set_that_fails_ends_the_run_and_is_named() {
    let cannot_open =
        || Set::new("far").opening(|_| Box::pin(async { Err(unavailable("no such host")) }));
    let cannot_list = || Set::new("far").listing(|_| Err(unavailable("it went away")));
    let sets = [
        (cannot_open(), "the toolset `far` cannot be opened: no such host; it is required"),
        (cannot_list(), "the toolset `far` cannot list its tools: it went away; it is required"),
    ];
    for (set, why) in sets {
        let model = ScriptedModel::new([Turn::text("never")]);
        let required = SharedToolset::from(set).required();
        let agent = Agent::builder(model.clone()).toolset(required).build().unwrap();
        let error = agent.run("go").await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(model.requests().is_empty(), "the model is not asked");
    }
}

#[tokio::test]
async fn s6_11_a_required_set_that_is_back_lets_the_session_go_on() {
    let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
    let there = Arc::new(AtomicBool::new(false));
    let is_there = Arc::clone(&there);
    let set = Set::new("far").tools([look(&world)]).opening(move |_| {
        let there = is_there.load(Ordering::SeqCst);
        let opened = if there { Ok(()) } else { Err(unavailable("no such host")) };
        Box::pin(std::future::ready(opened))
    });
    let required = SharedToolset::from(set).required();
    let agent = Agent::builder(calls_once("look")).toolset(required).store_in(store);
    let agent = agent.build().unwrap();
    assert!(agent.run("go").in_session("s").await.is_err());
    there.store(true, Ordering::SeqCst);
    assert_eq!(agent.run("go").in_session("s").await.unwrap().text(), "done");
    assert_eq!(world.notes(), ["look 1"]);
}

#[tokio::test]
async fn s6_11_a_set_says_when_its_tools_changed() {
    let (asked, revision) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(1)));
    let changes = Arc::clone(&revision);
    let first = answering("look", move |_| {
        // The second call adds a tool.
        changes.fetch_add(1, Ordering::SeqCst);
        ToolOutcome::text("seen")
    });
    let (counts, now) = (Arc::clone(&asked), Arc::clone(&revision));
    let set = Set::new("far").instructions("Look twice.").listing(move |_| {
        counts.fetch_add(1, Ordering::SeqCst);
        let mut tools = vec![first.clone()];
        if now.load(Ordering::SeqCst) > 1 {
            tools.push(answering("more", |_| ToolOutcome::text("more")));
        }
        Ok(tools)
    });
    let set = set.revision(move || revision.load(Ordering::SeqCst) as u64);
    let turns = [("look", 1), ("more", 2), ("more", 3)];
    let calls = turns.map(|(tool, n)| Turn::call(tool, json!({"n": n})));
    let model =
        ScriptedModel::new(calls.into_iter().chain([Turn::text("done")]).collect::<Vec<_>>());
    let agent = Agent::builder(model.clone()).toolset(set).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert!(outcomes(run.state()).iter().all(ToolOutcome::is_ok), "{:?}", outcomes(run.state()));
    assert_eq!(asked.load(Ordering::SeqCst), 2, "at the first step, and after the change");
    let shown =
        model.requests().into_iter().map(|request| (request.tools.len(), request.instructions));
    let shown: Vec<_> = shown.map(|(tools, prompt)| (tools, prompt.to_string())).collect();
    let prompt = || "Look twice.".to_owned();
    assert_eq!(shown, [(1, prompt()), (2, prompt()), (2, prompt()), (2, prompt())]);
}

//! Tool calls: checked, run beside each other, answered in call order.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Tools, ToolsetExt as _};
use legwork_agent::{Agent, EventKind, Run};
use legwork_core::tool::{ExecutionMode, FailureKind};
use legwork_core::{
    AgentState, Budget, EffectClass, ExecutionStatus, StopReason, ToolOutcome, ToolSpec,
};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn, VirtualClock};
use serde_json::{Value, json};

use crate::sets::Set;
use crate::tools::{
    World, guarded, kind, made, noting, once, outcomes, said, signal, spec, waiting,
};

const ORDERED: ExecutionMode = ExecutionMode::ParallelOrdered;

fn calls<const N: usize>(calls: [(&str, u32); N]) -> ScriptedModel {
    let calls = calls.map(|(name, n)| (name, json!({"n": n})));
    ScriptedModel::new([Turn::calls(calls), Turn::text("done")])
}

/// Runs the agent; opens the gate once so many stand before it.
async fn run_with(agent: Agent, gate: &Gate, arrivals: usize) -> Run {
    let open = async {
        gate.arrived(arrivals).await;
        gate.open();
    };
    tokio::join!(agent.run("go"), open).0.unwrap()
}

#[tokio::test]
async fn s6_5_calls_really_run_beside_each_other() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls([("wait", 1), ("wait", 2), ("wait", 3)]))
        .tools([waiting("wait", ORDERED, &world, &gate)])
        .build()
        .unwrap();
    // Were they run one after the other, the third would never arrive.
    let run = run_with(agent, &gate, 3).await;
    assert_eq!(said(run.state()), ["go", "1", "2", "3", "done"]);
    assert_eq!(world.notes()[..3], ["wait 1 began", "wait 2 began", "wait 3 began"]);
}

/// What was told live of two calls of which the second ends first.
async fn told_live(mode: ExecutionMode) -> (Vec<u32>, AgentState) {
    let (world, first, second) = (World::default(), Gate::new(), Gate::new());
    second.open();
    let seen = RecordingObserver::new();
    let agent = Agent::builder(calls([("slow", 1), ("fast", 2)]))
        .tools([waiting("slow", mode, &world, &first), waiting("fast", mode, &world, &second)])
        .observer(Arc::new(seen.clone()))
        .build()
        .unwrap();
    let open = async {
        second.arrived(1).await;
        first.arrived(1).await;
        first.open();
    };
    let run = tokio::join!(agent.run("go"), open).0.unwrap();
    let ended: Vec<_> = world.notes().into_iter().filter(|note| note.ends_with("ended")).collect();
    assert_eq!(ended, ["fast 2 ended", "slow 1 ended"]);
    let finished = |live| match live {
        EventKind::ToolFinished { index, .. } => Some(index),
        _ => None,
    };
    (seen.kinds().into_iter().filter_map(finished).collect(), run.into_state())
}

#[tokio::test]
async fn s6_5_ordered_calls_are_told_live_in_call_order_unordered_ones_as_they_end() {
    let (told, ordered) = told_live(ExecutionMode::ParallelOrdered).await;
    assert_eq!(told, [0, 1]);
    let (told, unordered) = told_live(ExecutionMode::ParallelUnordered).await;
    assert_eq!(told, [1, 0]);
    for state in [ordered, unordered] {
        assert_eq!(said(&state), ["go", "1", "2", "done"], "recorded in call order always");
        assert_eq!(outcomes(&state), [ToolOutcome::value(json!(1)), ToolOutcome::value(json!(2))]);
    }
}

#[tokio::test]
async fn s6_5_a_sequential_tool_is_a_barrier() {
    let (world, gate) = (World::default(), Gate::new());
    let agent =
        Agent::builder(calls([("wait", 1), ("wait", 2), ("alone", 3), ("wait", 4), ("wait", 5)]))
            .tools([
                waiting("wait", ORDERED, &world, &gate),
                waiting("alone", ExecutionMode::Sequential, &world, &gate),
            ])
            .build()
            .unwrap();
    let run = run_with(agent, &gate, 2).await;
    let notes = world.notes();
    let at = |note: &str| notes.iter().position(|n| n == note).unwrap_or_else(|| panic!("{note}"));
    assert_eq!(notes[..2], ["wait 1 began", "wait 2 began"]);
    assert_eq!((at("alone 3 began"), at("alone 3 ended")), (4, 5), "{notes:?}");
    assert_eq!(said(run.state()), ["go", "1", "2", "3", "4", "5", "done"]);
}

#[tokio::test]
async fn s6_5_calls_behind_a_sequential_tool_begin_when_it_has_ended() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls([("alone", 1), ("wait", 2)]))
        .tools([
            waiting("wait", ORDERED, &world, &gate),
            waiting("alone", ExecutionMode::Sequential, &world, &gate),
        ])
        .build()
        .unwrap();
    run_with(agent, &gate, 1).await;
    let expected = ["alone 1 began", "alone 1 ended", "wait 2 began", "wait 2 ended"];
    assert_eq!(world.notes(), expected);
}

#[tokio::test]
async fn s6_5_an_agent_may_run_all_calls_one_after_the_other() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls([("wait", 1), ("wait", 2)]))
        .tools([waiting("wait", ORDERED, &world, &gate)])
        .execution_mode(ExecutionMode::Sequential)
        .build()
        .unwrap();
    run_with(agent, &gate, 1).await;
    let expected = ["wait 1 began", "wait 1 ended", "wait 2 began", "wait 2 ended"];
    assert_eq!(world.notes(), expected);
}

#[tokio::test]
async fn s6_5_the_mode_of_a_toolset_is_that_of_its_tools() {
    let (world, gate) = (World::default(), Gate::new());
    let alone = waiting("alone", ExecutionMode::Sequential, &world, &gate);
    let wait = waiting("wait", ORDERED, &world, &gate);
    let agent = Agent::builder(calls([("alone", 1), ("alone", 2), ("wait", 3), ("wait", 4)]))
        .toolset(Tools::new("beside", [alone]).mode(ORDERED))
        .toolset(Tools::new("one by one", [wait]).mode(ExecutionMode::Sequential))
        .build()
        .unwrap();
    run_with(agent, &gate, 1).await;
    let notes = world.notes();
    assert_eq!(notes[..2], ["alone 1 began", "alone 2 began"]);
    assert_eq!(notes[4..], ["wait 3 began", "wait 3 ended", "wait 4 began", "wait 4 ended"]);
}

#[tokio::test]
async fn s6_5_two_calls_on_one_resource_never_interleave() {
    let (world, gate) = (World::default(), Gate::new());
    let edit = guarded(spec("edit").effect(EffectClass::ReadOnly).resource("n"), &world, &gate);
    let agent = Agent::builder(calls([("edit", 1), ("edit", 2), ("edit", 1)]))
        .tools([edit])
        .build()
        .unwrap();
    run_with(agent, &gate, 2).await;
    let notes = world.notes();
    assert_eq!(notes[..2], ["edit 1 began", "edit 2 began"], "different resources do");
    let of_one: Vec<_> = notes.iter().filter(|note| note.starts_with("edit 1")).collect();
    assert_eq!(of_one, ["edit 1 began", "edit 1 ended", "edit 1 began", "edit 1 ended"]);
}

#[tokio::test]
async fn s6_5_no_more_calls_run_than_the_bound() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(calls([("wait", 1), ("wait", 2), ("wait", 3), ("wait", 4)]))
        .tools([waiting("wait", ORDERED, &world, &gate)])
        .parallel_calls(2)
        .build()
        .unwrap();
    let open = async {
        gate.arrived(2).await;
        assert_eq!(world.notes(), ["wait 1 began", "wait 2 began"]);
        gate.open();
    };
    let run = tokio::join!(agent.run("go"), open).0.unwrap();
    let mut running = 0_usize;
    for note in world.notes() {
        running = if note.ends_with("began") { running + 1 } else { running - 1 };
        assert!(running <= 2);
    }
    assert_eq!(said(run.state()), ["go", "1", "2", "3", "4", "done"]);
}

#[tokio::test]
async fn s6_6_a_timeout_drops_the_call_and_the_others_go_on() {
    let (world, never, clock) = (World::default(), Gate::new(), VirtualClock::new());
    let spec = spec("hang").effect(EffectClass::ReadOnly).timeout(Duration::from_secs(5));
    let agent = Agent::builder(calls([("hang", 1), ("look", 2)]))
        .tools([guarded(spec, &world, &never), noting("look", EffectClass::ReadOnly, &world)])
        .clock(Arc::new(clock.clone()))
        .build()
        .unwrap();
    let wait = async {
        clock.until_asleep(1).await;
        clock.advance(Duration::from_millis(4_999));
        never.arrived(1).await;
        assert_eq!(world.count("hang 1 dropped"), 0);
        clock.advance(Duration::from_millis(1));
    };
    let run = tokio::join!(agent.run("go"), wait).0.unwrap();
    assert_eq!(world.count("hang 1 dropped"), 1);
    let all = outcomes(run.state());
    assert_eq!(kind(all[0].clone()), FailureKind::Timeout);
    assert!(said(run.state())[1].contains("5s"), "{:?}", said(run.state()));
    assert_eq!(all[1], ToolOutcome::value(json!(2)));
}

#[tokio::test]
async fn s6_6_cancelling_drops_the_calls_that_run() {
    let (world, never) = (World::default(), Gate::new());
    let agent = Agent::builder(calls([("hang", 1), ("hang", 2)]))
        .tools([guarded(spec("hang"), &world, &never)])
        .build()
        .unwrap();
    let control = legwork_agent::Control::default();
    let cancel = async {
        never.arrived(2).await;
        control.cancel.cancel();
    };
    let run = agent.run("go").control(control.clone());
    let run = tokio::join!(run.outcome(), cancel).0.unwrap();
    assert_eq!(world.notes().iter().filter(|note| note.ends_with("dropped")).count(), 2);
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
}

#[tokio::test]
async fn s6_7_an_idempotent_call_gets_the_same_key_when_it_is_run_again() {
    let (world, gate, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let (noted, passed) = (world.clone(), gate.clone());
    let put = made(spec("put").effect(EffectClass::Idempotent), move |_, cx| {
        noted.note(cx.key.to_string());
        let gate = passed.clone();
        Box::pin(async move {
            gate.pass().await;
            ToolOutcome::text("put")
        })
    });
    let agent = Agent::builder(calls([("put", 1)])).tools([put]).store_in(store).build().unwrap();
    tokio::select! {
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let run = agent.resume("s").await.unwrap();
    let step = &run.state().step_results().next().unwrap().step;
    let key = format!("s/{}/0", step.response_entry.unwrap());
    assert_eq!(world.notes(), [key.clone(), key]);
    assert_eq!(step.tool_executions().next().unwrap().effect, Some(EffectClass::Idempotent));
}

#[tokio::test]
async fn s6_12_on_resume_a_call_of_a_changed_tool_is_refused() {
    let (world, gate, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let agent = |spec: ToolSpec| {
        Agent::builder(calls([("look", 1)]))
            .tools([guarded(spec, &world, &gate)])
            .store_in(store.clone())
            .build()
            .unwrap()
    };
    let look = spec("look").effect(EffectClass::ReadOnly);
    tokio::select! {
        _ = agent(look.clone()).run("go").in_session("s") => unreachable!(),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let changed = ToolSpec { description: "Does something else.".into(), ..look };
    let run = agent(changed).resume("s").await.unwrap();
    assert_eq!(kind(outcomes(run.state())[0].clone()), FailureKind::ToolChanged);
    assert_eq!(world.notes(), ["look 1 began", "look 1 dropped"], "it did not run again");
    assert_eq!(run.status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s6_12_a_tool_that_the_step_did_not_show_is_refused() {
    let world = World::default();
    let look = |n| Turn::call("look", json!({"n": n}));
    let model = ScriptedModel::new([look(1), look(2), Turn::text("done")]);
    let [first, then] = ["look", "other"].map(|name| noting(name, EffectClass::ReadOnly, &world));
    let set = Set::new("vanishing").listing(move |state| match state.step_results().count() {
        0 => Ok(vec![Arc::clone(&first)]),
        _ => Ok(vec![Arc::clone(&then)]),
    });
    let builder = Agent::builder(model.clone()).toolset(set);
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!(world.notes(), ["look 1"]);
    assert_eq!(said(run.state())[2], "There is no tool `look`. The tools are: other.");
    let shown: Vec<_> = model.asked().into_iter().map(|asked| asked.tools).collect();
    assert_eq!(shown, [["look"], ["other"], ["other"]]);
    let digests: Vec<_> = run.state().step_results().map(|r| r.step.tools.clone()).collect();
    assert!(digests[0] != digests[1] && digests[1] == digests[2], "recorded per step");
}

#[tokio::test]
async fn a_tool_that_panics_fails_alone() {
    let world = World::default();
    let at_once = made(spec("at_once"), |_, _| panic!("at once"));
    let later = made(spec("later"), |_, _| Box::pin(async { panic!("later") }));
    let run = Agent::builder(calls([("at_once", 1), ("later", 2), ("look", 3)]))
        .tools([at_once, later, noting("look", EffectClass::ReadOnly, &world)])
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let all = outcomes(run.state());
    for (outcome, words) in [(&all[0], "at once"), (&all[1], "later")] {
        assert_eq!(kind(outcome.clone()), FailureKind::Panicked);
        assert!(outcome.to_text().contains(words), "{outcome:?}");
    }
    assert_eq!(all[2], ToolOutcome::value(json!(3)));
    assert_eq!(run.status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s5_5_a_batch_that_passes_the_limit_of_calls_runs_none_of_them() {
    let world = World::default();
    let run = Agent::builder(calls([("look", 1), ("look", 2), ("look", 3)]))
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::unlimited().tool_calls(2))
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert!(world.notes().is_empty());
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let limit = run.continuation().unwrap().signal.as_ref().unwrap().limit.clone().unwrap();
    assert_eq!((limit.limit, limit.used, limit.wanted), (2, 0, 3));
    let skipped = |outcome: &ToolOutcome| matches!(outcome, ToolOutcome::Skipped(_));
    assert!(outcomes(run.state()).iter().all(skipped));
    assert_eq!(outcomes(run.state()).len(), 3, "each call is answered");
}

#[tokio::test]
async fn s6_8_dependencies_reach_a_tool_and_never_the_model() {
    let model = calls([("look", 1)]);
    let look = made(spec("look"), |_, cx| {
        let secret = cx.dep::<String>().cloned().unwrap_or_default();
        let answer = Value::from(secret.len());
        Box::pin(std::future::ready(ToolOutcome::value(answer)))
    });
    let builder = Agent::builder(model.clone()).tools([look]).dep("open sesame".to_owned());
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!(said(run.state())[1], "11");
    let asked = format!("{:?}", model.asked());
    assert!(!asked.contains("sesame"), "{asked}");
}

#[tokio::test]
async fn s3_7_a_stop_raised_while_judging_skips_every_call_and_keeps_its_reason() {
    let world = World::default();
    let stop = legwork_agent::hook(
        "stop",
        [legwork_port::Trigger::BeforeToolUse],
        |state: AgentState, _| async move {
            Ok(state.with_stop_signal(signal(StopReason::StopRequested)))
        },
    );
    let run = Agent::builder(calls([("look", 1), ("look", 2)]))
        .tools([noting("look", once(), &world)])
        .hook(stop)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StopRequested));
    let all = outcomes(run.state());
    assert_eq!(all.len(), 2, "each call is answered");
    assert!(matches!(all[1], ToolOutcome::Skipped(_)), "{:?}", all[1]);
    assert!(world.notes().is_empty(), "{:?}", world.notes());
}

#[tokio::test]
async fn s6_9_metadata_of_a_result_is_journaled_and_the_model_does_not_see_it() {
    let keep = made(spec("keep"), |arguments, cx| {
        cx.attach("seen", json!({"secret": arguments["n"]}));
        cx.attach("seen", json!({"secret": "late"}));
        Box::pin(async { ToolOutcome::text("kept") })
    });
    let fail = made(spec("fail"), |_, cx| {
        cx.attach("deep", (0..200).fold(json!("secret"), |inside, _| json!([inside])));
        Box::pin(async { ToolOutcome::failed("no") })
    });
    let (model, seen) = (calls([("keep", 1), ("fail", 2)]), RecordingObserver::new());
    let agent = Agent::builder(model.clone())
        .tools([keep, fail])
        .observer(Arc::new(seen.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    let told: Vec<_> = model.requests().iter().map(|request| format!("{request:?}")).collect();
    assert_eq!(told.iter().filter(|told| told.contains("secret")).count(), 0, "{told:?}");
    assert_eq!(said(run.state()), ["go", "kept", "no", "done"]);

    let entries = seen.entries();
    let kept: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            legwork_core::Event::ToolFinished(finished) => Some(&finished.metadata),
            _ => None,
        })
        .collect();
    assert_eq!(kept[0].get("seen"), Some(&json!({"secret": "late"})));
    // Too deep to be read back: kept as its text.
    assert!(kept[1].get("deep").is_some_and(Value::is_string));
}

//! Crashes at every commit.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, EventKind, RunEvent};
use legwork_core::{EffectClass, ExecutionStatus, OnDoubt, ToolOutcome};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn, crash};
use serde_json::json;

use crate::tools::{World, guarded, keyed, noting, once, spec};

fn three_classes(world: &World, store: Arc<dyn legwork_port::Store>) -> Result<Agent, Error> {
    let model = ScriptedModel::new([
        Turn::calls([
            ("look", json!({"n": 1})),
            ("send", json!({"n": 2})),
            ("put", json!({"n": 3})),
        ]),
        Turn::calls([("send", json!({"n": 4}))]),
        Turn::text("done"),
    ]);
    Agent::builder(model)
        .tools([
            noting("look", EffectClass::ReadOnly, world),
            noting("send", once(), world),
            keyed("put", world),
        ])
        .store_in(store)
        .build()
}

/// No `Once` effect stands twice; a missing one is told to the model as interrupted.
fn once_at_most(ended: &crash::Ended<World>, n: u32) -> Result<(), String> {
    let count = ended.world.count(&format!("send {n}"));
    let interrupted = ended.state.step_results().any(|result| {
        result.step.tool_executions().any(|execution| {
            *execution.outcome == ToolOutcome::Interrupted
                && execution.call.arguments.contains(&n.to_string())
        })
    });
    match (count, interrupted) {
        (1, _) | (0, true) => Ok(()),
        _ => Err(format!("send {n} stands {count} times, told as interrupted: {interrupted}")),
    }
}

#[tokio::test]
async fn s10_2_every_boundary_of_three_parallel_effect_classes() {
    let report = crash::simulate("go", three_classes).crash_everywhere().await.unwrap();
    assert_eq!(report.plain.text, "done");
    assert!(report.crashed.len() >= 10, "{} crashes", report.crashed.len());
    report.check(|plain, crashed| {
        if crashed.text != plain.text {
            return Err(format!("text {:?}", crashed.text));
        }
        if crashed.state.status() != Some(&ExecutionStatus::Completed) {
            return Err(format!("status {:?}", crashed.state.status()));
        }
        once_at_most(crashed, 2)?;
        once_at_most(crashed, 4)?;
        let put: Vec<_> =
            crashed.world.notes().into_iter().filter(|n| n.starts_with("put")).collect();
        if put.len() != 1 {
            return Err(format!("put by key {put:?}"));
        }
        let count = |ended: &crash::Ended<World>| ended.state.context().transcript.messages().len();
        if count(crashed) != count(plain) {
            return Err(format!("{} messages", count(crashed)));
        }
        Ok(())
    });
}

#[tokio::test]
async fn s10_2_asking_about_doubt_pauses_and_runs_nothing() {
    let report = crash::simulate("go", three_classes)
        .on_doubt(OnDoubt::Ask)
        .crash_everywhere()
        .await
        .unwrap();
    let paused: Vec<_> = report
        .crashed
        .iter()
        .filter(|ended| ended.state.status() == Some(&ExecutionStatus::AwaitingApproval))
        .collect();
    assert!(!paused.is_empty());
    for ended in paused {
        let pending = ended.state.pending();
        assert_eq!(pending.len(), 1);
        let n: serde_json::Value = serde_json::from_str(&pending[0].arguments).unwrap();
        assert!(ended.world.count(&format!("send {}", n["n"])) <= 1);
    }
    // Where nothing was in doubt, the run completed.
    assert!(report.crashed.iter().any(|e| e.state.status() == Some(&ExecutionStatus::Completed)));
}

#[tokio::test]
async fn s10_2_where_nobody_says_otherwise_the_class_of_the_tool_decides_about_doubt() {
    for (on_doubt, status) in [
        (OnDoubt::Ask, ExecutionStatus::AwaitingApproval),
        (OnDoubt::Tell, ExecutionStatus::Completed),
    ] {
        let (world, gate) = (World::default(), Gate::new());
        let tool = spec("send").effect(EffectClass::Once(on_doubt));
        let agent = Agent::builder(ScriptedModel::new([
            Turn::call("send", json!({"n": 1})),
            Turn::text("done"),
        ]))
        .tools([guarded(tool, &world, &gate)])
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
        let seen = RecordingObserver::new();
        let began = |event: &RunEvent| matches!(event.kind, EventKind::ToolStarted { .. });
        let run = agent.run("go").in_session("s").observer(Arc::new(seen.clone()));
        tokio::select! {
            _ = run => unreachable!("it waits at the gate"),
            _ = seen.until(began) => {}
        }
        gate.open();
        let run = agent.resume("s").outcome().await.unwrap();
        assert_eq!(run.status(), status);
        assert_eq!(run.state().pending().len(), usize::from(on_doubt == OnDoubt::Ask));
        assert_eq!(world.notes(), ["send 1 began", "send 1 dropped"], "it does not run again");
    }
}

#[tokio::test]
async fn s10_1_a_resumed_transcript_is_that_of_the_undisturbed_run() {
    let report = crash::simulate("go", |world: &World, store| {
        let model = ScriptedModel::new([
            Turn::calls([("put", json!({"n": 1})), ("look", json!({"n": 2}))]),
            Turn::call("put", json!({"n": 3})),
            Turn::text("done"),
        ]);
        Agent::builder(model)
            .tools([keyed("put", world), noting("look", EffectClass::ReadOnly, world)])
            .store_in(store)
            .build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    report.check(|plain, crashed| {
        let [plain, crashed] = [plain, crashed].map(|one| one.state.context().transcript.clone());
        let same = plain.messages() == crashed.messages();
        if same { Ok(()) } else { Err("the transcripts differ".to_owned()) }
    });
}

//! What a run tells while it works: live and committed news, and the stream of both.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_core::{EffectClass, ExecutionStatus};
use legwork_port::store::Range;
use legwork_port::{EventKind, Observer, RunEvent, Store};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, journal, noting};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

fn looker(model: &ScriptedModel) -> legwork_agent::Builder {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model.clone()).tools([look])
}

/// Checks that what it is told is in the journal already.
struct Checks(MemoryStore, Mutex<usize>);

impl Observer for Checks {
    fn observe(&self, event: &RunEvent) {
        let EventKind::Committed(committed) = &event.kind else { return };
        let session = event.session.as_ref().unwrap();
        let loaded = self.0.read(session, Range::ALL).now_or_never().unwrap().unwrap();
        for entry in &committed.entries {
            assert_eq!(loaded.journal.get(entry.seq), Some(entry));
        }
        *self.1.lock().unwrap() += committed.entries.len();
    }
}

#[tokio::test]
async fn committed_news_is_told_only_once_it_is_in_the_journal() {
    let store = MemoryStore::new();
    let checks = Arc::new(Checks(store.clone(), Mutex::default()));
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let agent = looker(&model).store_in(Arc::new(store.clone())).observer(checks.clone());
    let run = agent.build().unwrap().run("go").in_session("s").await.unwrap();
    let all = journal(&store, "s").await.len();
    assert_eq!(*checks.1.lock().unwrap(), all);
    assert_eq!(run.state().uncommitted().len(), 0);
}

#[tokio::test]
async fn live_news_comes_at_once_and_committed_news_in_the_order_of_the_journal() {
    let store = MemoryStore::new();
    let seen = RecordingObserver::new();
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let agent = looker(&model).store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.run("go").in_session("s").observer(Arc::new(seen.clone()));
    run.await.unwrap();
    let committed: Vec<_> = seen.entries().iter().map(|e| e.event.kind().to_owned()).collect();
    assert_eq!(committed, journal(&store, "s").await);
    assert_eq!(seen.text(), "done");
    let kinds = seen.names();
    let at = |kind: &str| kinds.iter().position(|k| k == kind).unwrap_or_else(|| panic!("{kind}"));
    assert!(at("committed inference_started") < at("inference_started"));
    assert!(at("tool_arguments_delta") < at("committed responded"));
    assert!(at("committed responded") < at("tool_started"));
    assert!(at("tool_started") < at("tool_finished"));
    assert!(at("tool_finished") < at("committed tool_finished"));
    assert!(at("text_delta") < at("committed execution_finished"));
}

#[tokio::test]
async fn a_stream_gives_the_events_of_the_run_and_its_result_last() {
    let model = ScriptedModel::new([call(1), Turn::text("all is done")]);
    let agent = looker(&model).build().unwrap();
    let mut stream = agent.stream("go");
    let (mut text, mut told) = (String::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::TextDelta { text: piece } => text.push_str(&piece),
            EventKind::ToolFinished { index, call, outcome, .. } => {
                told.push(format!("{index} {} {}", call.name, outcome.to_text()));
            }
            EventKind::Committed(committed) => {
                told.extend(committed.entries.iter().map(|e| e.event.kind().to_owned()));
            }
            _ => {}
        }
    }
    assert_eq!(text, "all is done");
    assert!(told.contains(&"0 look 1".to_owned()));
    assert_eq!(told.last().unwrap(), "execution_finished");
    let run = stream.finish().await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "all is done"));
}

#[tokio::test]
async fn a_dropped_stream_leaves_the_session_resumable() {
    let gate = Gate::new();
    let model = ScriptedModel::new([call(1), Turn::text("all is done").halting(&gate)]);
    let agent = looker(&model).store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let mut stream = agent.run("go").in_session("s").stream();
    while let Some(event) = stream.next().await {
        if matches!(event.kind, EventKind::TextDelta { .. }) {
            break;
        }
    }
    drop(stream);
    let state = agent.session("s").state().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::InProgress));
    gate.open();
    assert_eq!(agent.resume("s").await.unwrap().text(), "all is done");
}

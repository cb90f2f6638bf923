//! What a program sees of a run with a subscriber of its own.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_core::EffectClass;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting};

#[path = "../../../legwork-models/tests/it/recorder.rs"]
mod recorder;

use recorder::Recorder;

const WORDS: &str = "find the blue heron";

#[tokio::test]
async fn a_run_is_traced_without_what_was_said() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("a heron")]);
    let tool = noting("look", EffectClass::ReadOnly, &world);
    let agent = Agent::builder(model).tools([tool]).store_in(Arc::new(MemoryStore::new()));
    let agent = agent.build().unwrap();
    let (recorder, _guard) = Recorder::start();
    agent.run(WORDS).in_session("s").await.unwrap();
    let lines = recorder.lines("legwork_runtime");
    let starts = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(starts("DEBUG session{session=s}: "), 3, "{lines:#?}");
    assert_eq!(starts("DEBUG tool{name=look index=0}: "), 1, "{lines:#?}");
    assert_eq!(starts("INFO session{session=s}: "), 1, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("status=completed")), "{lines:#?}");
    assert!(!recorder.everything().contains("heron"), "{}", recorder.everything());
}

//! States that a caller feeds back, and the sources of tools that are open meanwhile.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::{AgentState, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, ToolContext, Toolset};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, said, spec};

/// A source that notes when it is opened and closed, and answers what it is asked.
struct Door(World);

impl Toolset for Door {
    fn name(&self) -> &'static str {
        "door"
    }

    fn open(&self) -> BoxFuture<'_, Result<(), String>> {
        self.0.note("open");
        Box::pin(std::future::ready(Ok(())))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.0.note("close");
        Box::pin(std::future::ready(()))
    }

    fn specs<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<ToolSpec>>, String>> {
        Box::pin(std::future::ready(Ok(vec![Arc::new(spec("look"))])))
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        self.0.note(format!("ran {}", call.name));
        Box::pin(std::future::ready(ToolOutcome::text("seen")))
    }
}

#[tokio::test]
async fn s4_3_sources_are_opened_again_for_a_state_fed_back_after_the_end_and_only_then() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model).toolset(Door(world.clone())).build().unwrap();
    let mut run = agent.run("go").open().await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    run.set(state.with_message("hurry")).unwrap();
    while run.next().await.unwrap().is_some() {}
    assert_eq!(said(run.state()), ["go", "seen", "hurry", "done"]);
    assert_eq!(world.notes(), ["open", "ran look", "close"]);
    // At rest, it is neither opened nor closed once more.
    assert!(run.next().await.unwrap().is_none());
    run.set(run.state().clone()).unwrap();
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(world.notes().len(), 3, "{:?}", world.notes());
    run.set(run.state().clone().with_metadata("seen", Some(json!(true)))).unwrap();
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(world.notes()[3..], ["open", "close"]);
}

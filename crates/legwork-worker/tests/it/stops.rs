//! Workers that are stopped.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control};
use legwork_core::{EffectClass, ExecutionStatus, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, Tool, ToolContext};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use legwork_worker::{Agents, Worker};
use serde_json::json;

/// A tool that ends when a gate is opened.
struct Look(Arc<ToolSpec>, Gate);

impl Tool for Look {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async {
            self.1.pass().await;
            ToolOutcome::text("seen")
        })
    }
}

/// An agent that looks once, and its store.
fn clerk(store: &Arc<dyn Store>, gate: &Gate) -> Agent {
    let spec = ToolSpec::new("look", "Looks.", json!({})).effect(EffectClass::ReadOnly);
    let model = ScriptedModel::new([Turn::call("look", json!({})), Turn::text("done")]);
    let builder = Agent::builder(model).id("clerk").tool(Look(Arc::new(spec), gate.clone()));
    builder.store_in(Arc::clone(store)).build().unwrap()
}

#[tokio::test]
async fn s10_6_a_session_whose_run_was_dropped_is_taken_up() {
    let (store, gate): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), Gate::new());
    let agent = clerk(&store, &gate);
    // What is dropped leaves what a killed process leaves.
    let run = tokio::spawn(agent.session("s").run("go").outcome());
    gate.arrived(1).await;
    run.abort();
    assert!(run.await.is_err());
    gate.open();
    let worker = Worker::new(store, Agents::new([agent.clone()]));
    assert_eq!(worker.run_until_idle().await.unwrap(), 1);
    assert_eq!(agent.session("s").last_run().await.unwrap().text(), "done");
    assert_eq!(worker.run_until_idle().await.unwrap(), 0);
}

#[tokio::test]
async fn s10_6_a_worker_that_is_to_rest_ends_the_step_under_way_and_begins_no_other() {
    let (store, gate): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), Gate::new());
    let agent = clerk(&store, &gate);
    for name in ["a", "b"] {
        agent.session(name).submit("go").await.unwrap();
    }
    let control = Control::default();
    let worker = Worker::new(Arc::clone(&store), Agents::new([agent.clone()]))
        .concurrency(1)
        .poll(Duration::from_secs(3600))
        .control(control.clone());
    let stop = async {
        gate.arrived(1).await;
        control.rest.cancel();
        gate.open();
    };
    tokio::join!(worker.run(), stop);
    let mut standing = Vec::new();
    for name in ["a", "b"] {
        let session = SessionId::from(name);
        let state = store.read(&session, Range::ALL).await.unwrap().journal.fold(&session);
        assert_eq!(store.is_claimed(&session).await.unwrap(), Some(false));
        standing.push((state.status().cloned(), state.step_results().count()));
    }
    standing.sort_by_key(|(_, steps)| *steps);
    assert_eq!(standing, [(None, 0), (Some(ExecutionStatus::InProgress), 1)]);
    // Another worker ends both.
    let other = Worker::new(store, Agents::new([agent.clone()]));
    assert_eq!(other.run_until_idle().await.unwrap(), 2);
    for name in ["a", "b"] {
        assert_eq!(agent.session(name).last_run().await.unwrap().text(), "done");
    }
}

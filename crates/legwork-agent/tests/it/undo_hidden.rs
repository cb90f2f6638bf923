//! Calls of tools that are not shown any more are taken back by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_agent::undo::UndoFrom;
use legwork_port::{Tool, Toolset};
use legwork_testkit::{ScriptedModel, Turn};
use legwork_toolset::{Tools, ToolsetExt as _};
use serde_json::json;

use crate::undo::{Stack, push, pushes, undoes};

fn set(stack: &Stack) -> Tools {
    Tools::new("stack", [Arc::new(push(stack)) as Arc<dyn Tool>])
}

/// Makes an agent with a set work, and takes back what it did after that.
async fn check(turns: Vec<Turn>, of: impl FnOnce(Tools) -> Box<dyn Toolset>, hide: impl FnOnce()) {
    let stack = Stack::default();
    let agent = Agent::builder(ScriptedModel::new(turns))
        .toolset(Arc::<dyn Toolset>::from(of(set(&stack))))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(stack.now(), [1]);
    let session = agent.session("s");
    session.run("and now?").await.unwrap();
    hide();
    let plan = session.undo(UndoFrom::Start).await.unwrap();
    assert_eq!(plan.left().count(), 0, "{plan:?}");
    assert_eq!(undoes(&plan), ["pop 1"]);
    plan.run().await.unwrap();
    assert_eq!(stack.now(), [0; 0]);
}

fn done(first: impl IntoIterator<Item = Turn>) -> Vec<Turn> {
    first.into_iter().chain([Turn::text("done"), Turn::text("nothing")]).collect()
}

#[tokio::test]
async fn s6_7_a_tool_that_was_found_in_an_earlier_execution_takes_its_calls_back() {
    let search = Turn::call("tool_search", json!({"query": "push"}));
    check(done([search, pushes(&[1])]), |set| Box::new(set.searchable()), || ()).await;
}

#[tokio::test]
async fn s6_7_a_tool_that_the_state_hides_by_now_takes_its_calls_back() {
    let first = |set: Tools| -> Box<dyn Toolset> {
        Box::new(set.filtered(|_, state| state.last_step_result().is_none()))
    };
    check(done([pushes(&[1])]), first, || ()).await;
}

#[tokio::test]
async fn s6_7_a_tool_that_is_hidden_from_outside_takes_its_calls_back() {
    let shown = Arc::new(AtomicBool::new(true));
    let now = Arc::clone(&shown);
    let filtered = |set: Tools| -> Box<dyn Toolset> {
        Box::new(set.filtered(move |_, _| now.load(Ordering::Relaxed)))
    };
    check(done([pushes(&[1])]), filtered, || shown.store(false, Ordering::Relaxed)).await;
}

//! Which sessions are those of subagents, and who may run and remove them.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Subagent, subagent};
use legwork_core::{ExecutionStatus, SessionId, ToolOutcome};
use legwork_port::Store;
use legwork_port::store::Query;
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::claimed::Warnings;
use crate::subagents::{child_of, reviewer, scripted, spawn, state_of};
use crate::tools::{World, outcomes, said, waiting};

#[tokio::test]
async fn s10_5_nobody_but_its_parent_runs_a_subagents_session() {
    let store = MemoryStore::new();
    let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::text("all well")]);
    let agent = Agent::builder(root)
        .subagent(reviewer(&child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let session = agent.session(child_of(&store).await);
    for refused in [session.run("more").await, session.resume().await] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("spawned by s") && error.contains("resume that"), "{error}");
    }
    // Looking needs no leave.
    assert_eq!(session.last_run().await.unwrap().text(), "all well");
}

#[tokio::test]
async fn s8_3_a_subagents_session_that_somebody_holds_lets_its_parent_wait() {
    let (store, world, gate) = (MemoryStore::new(), World::default(), Gate::new());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("wait", json!({"n": 1})), Turn::text("ok")]);
    let mode = legwork_core::tool::ExecutionMode::ParallelOrdered;
    let agent = Agent::builder(root)
        .tools([waiting("wait", mode, &world, &gate)])
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    {
        let mut run = Box::pin(async { agent.run("go").in_session("s").await });
        let began = gate.arrived(1);
        futures_util::future::select(&mut run, std::pin::pin!(began)).await;
    }
    gate.open();
    let child = SessionId::from(child_of(&store).await);
    let held = store.claim(&child).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    drop(held);
    assert_eq!(agent.resume("s").await.unwrap().text(), "done");
}

/// An agent that has its reviewer look.
fn reviewing(store: &MemoryStore) -> Agent {
    let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::text("all well")]);
    let agent = Agent::builder(root).subagent(reviewer(&child));
    agent.store_in(Arc::new(store.clone())).build().unwrap()
}

/// Runs somebody else's agent in a session of an id.
async fn occupy(store: &MemoryStore, session: &str) {
    let usage = legwork_core::Usage { input: 900, output: 90, ..Default::default() };
    let model = ScriptedModel::new([Turn::text("what the child never said").with_usage(usage)]);
    let other = Agent::builder(model).id("other").store_in(Arc::new(store.clone()));
    other.build().unwrap().run("mind your own").in_session(session).await.unwrap();
}

/// The kind of failure of the one call, and what the execution used.
async fn taken(store: &MemoryStore) -> (legwork_core::tool::FailureKind, u64) {
    let run = reviewing(store).run("go").in_session("s").await.unwrap();
    assert_eq!(run.text(), "done", "the parent goes on");
    match outcomes(run.state()).remove(0) {
        ToolOutcome::Failed(kind, message) => {
            assert!(message.contains("is there already"), "{message}");
            (kind, run.used().total_tokens())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn s10_5_a_foreign_session_of_the_childs_id_is_not_taken_for_its_answer() {
    let store = MemoryStore::new();
    reviewing(&store).run("go").in_session("s").await.unwrap();
    let child = child_of(&store).await;
    reviewing(&store).session("s").remove().await.unwrap();
    occupy(&store, &child).await;
    let (kind, used) = taken(&store).await;
    assert_eq!(kind, legwork_core::tool::FailureKind::SessionTaken);
    assert_eq!(used, 30, "what the foreign session used is not charged");
    assert_eq!(said(&state_of(&store, &child).await)[0], "mind your own", "and it is untouched");
    // Removing the parent leaves it alone, too.
    let agent = reviewing(&store);
    agent.session("s").remove().await.unwrap();
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn s10_5_the_child_of_a_removed_parent_is_not_taken_for_that_of_a_new_one() {
    let (store, clock) = (MemoryStore::new(), legwork_testkit::VirtualClock::new());
    let agent = |child: &str| {
        let root = [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")];
        let child = scripted("x:child", [Turn::text(child)]);
        let agent = Agent::builder(scripted("x:root", root)).subagent(reviewer(&child));
        agent.store_in(Arc::new(store.clone())).clock(Arc::new(clock.clone())).build().unwrap()
    };
    agent("old").run("go").in_session("s").await.unwrap();
    // Whoever removes the parent alone leaves its child behind.
    store.remove(&["s".into()]).await.unwrap();
    clock.advance(std::time::Duration::from_secs(1));
    let run = agent("new").run("go").in_session("s").await.unwrap();
    let outcome = outcomes(run.state()).remove(0);
    let taken = legwork_core::tool::FailureKind::SessionTaken;
    assert!(matches!(&outcome, ToolOutcome::Failed(kind, _) if *kind == taken), "{outcome:?}");
    // The new parent names it, and it names a parent of that id: it is not the same one.
    let child = SessionId::from(child_of(&store).await);
    assert_eq!(subagent::parent_of(&store, &child).await.unwrap(), None);
    let tree = subagent::with_subagents(&store, &"s".into()).await.unwrap();
    assert_eq!(tree, ["s".into()]);
}

#[tokio::test]
async fn s8_6_removing_a_session_takes_its_subagents_along_and_a_subagent_goes_with_its_parent() {
    let store = MemoryStore::new();
    let names = ["a", "b"];
    let a = scripted("x:a", [Turn::calls([spawn("b", "go")]), Turn::text("ok")]);
    let b = scripted("x:b", [Turn::text("fine")]);
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let mut agent = Agent::builder(root).store_in(Arc::new(store.clone()));
    for (name, model) in names.into_iter().zip([a, b]) {
        agent = agent.subagent(Subagent::new(name, "Works.", "").model(model));
    }
    let agent = agent.build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    occupy(&store, "other").await;
    let tree = subagent::with_subagents(&store, &"s".into()).await.unwrap();
    assert_eq!((tree.len(), tree[0].as_str()), (3, "s"));
    // A subagent's session is removed with the one that spawned it, and not alone.
    let refused = agent.session(tree[2].clone()).remove().await.unwrap_err();
    let parent = tree[1].clone();
    let expected = legwork_core::state::Refusal::BelongsTo { parent };
    assert!(matches!(&refused, legwork_agent::Error::Refused(why) if *why == expected));
    // All of them or none: one that somebody runs keeps all.
    let held = store.claim(&tree[2]).await.unwrap();
    assert!(agent.session("s").remove().await.is_err());
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions.len(), 4);
    drop(held);
    agent.session("s").remove().await.unwrap();
    let left = store.sessions(&Query::first(9)).await.unwrap().sessions;
    assert_eq!(left.iter().map(|info| info.session.as_str()).collect::<Vec<_>>(), ["other"]);
    // One that was left behind belongs to nobody.
    agent.run("go").in_session("s").await.unwrap();
    store.remove(&["s".into()]).await.unwrap();
    agent.session(tree[1].clone()).remove().await.unwrap();
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn s10_5_a_parent_whose_subagents_store_fails_waits_and_says_why() {
    let durable = Arc::new(MemoryStore::new());
    let store = FaultyStore::over(Arc::<MemoryStore>::clone(&durable));
    // The first claim is that of the parent.
    let store = store.fault(Operation::Claim, 2, Fault::FailBefore);
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::text("ok")]);
    let agent = Agent::builder(root)
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store))
        .build()
        .unwrap();
    let warnings = Arc::new(Warnings::default());
    let observer = Arc::clone(&warnings);
    let run = agent.run("go").in_session("s").observer(observer).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    let warnings = warnings.0.lock().unwrap().clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("`a` cannot go on now: the store faulty failed"), "{warnings:?}");
    assert_eq!(agent.resume("s").await.unwrap().text(), "done");
}

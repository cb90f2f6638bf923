//! Sessions whose agent was defined otherwise when they began.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Error};
use legwork_core::event::DefinitionPolicy;
use legwork_core::state::Refusal;
use legwork_core::{EffectClass, Event};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting};

fn clerk(store: &MemoryStore, instructions: &str) -> Builder {
    let turns = [Turn::call("look", json!({"n": 1})), Turn::text("done"), Turn::text("more")];
    Agent::builder(ScriptedModel::new(turns))
        .instructions(instructions)
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .store_in(Arc::new(store.clone()))
}

/// A session that was begun with other instructions and left after its first step.
async fn left(store: &MemoryStore) {
    let agent = clerk(store, "Be quick.").build().unwrap();
    let mut active = agent.run("go").in_session("s").open().await.unwrap();
    active.next().await.unwrap();
    active.release().await;
}

async fn defined(agent: &Agent) -> usize {
    let journal = agent.session("s").journal().await.unwrap();
    journal.entries().iter().filter(|entry| matches!(entry.event, Event::Defined(_))).count()
}

#[tokio::test]
async fn s10_4_a_changed_definition_is_recorded() {
    let store = MemoryStore::new();
    left(&store).await;
    let agent = clerk(&store, "Be careful.").build().unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((&**run.state().instructions(), defined(&agent).await), ("Be careful.", 2));
    agent.session("s").run("again").await.unwrap();
    assert_eq!(defined(&agent).await, 2, "it is recorded once");
}

#[tokio::test]
async fn s10_4_a_session_is_pinned_to_the_definition_that_it_began_with() {
    let store = MemoryStore::new();
    left(&store).await;
    let builder = clerk(&store, "Be careful.").on_changed_definition(DefinitionPolicy::Pin);
    let agent = builder.build().unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((&**run.state().instructions(), defined(&agent).await), ("Be quick.", 1));
    let new = agent.run("go").in_session("new").await.unwrap();
    assert_eq!(&**new.state().instructions(), "Be careful.");
}

#[tokio::test]
async fn s10_4_a_session_of_another_definition_is_refused_before_any_effect() {
    let store = MemoryStore::new();
    left(&store).await;
    let refusing =
        |builder: Builder| builder.on_changed_definition(DefinitionPolicy::Refuse).build().unwrap();
    let before = refusing(clerk(&store, "Be quick.")).session("s").journal().await.unwrap();
    let other = || noting("other", EffectClass::ReadOnly, &World::default());
    for (builder, changed) in [
        (clerk(&store, "Be careful."), vec!["instructions"]),
        (clerk(&store, "Be quick.").tool(other()), vec!["tools"]),
        (clerk(&store, "Be slow.").version("2"), vec!["instructions", "version"]),
    ] {
        let agent = refusing(builder);
        let error = agent.resume("s").await.unwrap_err();
        let text = error.to_string();
        let Error::Refused(Refusal::DefinitionChanged { changed: found, .. }) = error else {
            panic!("{error}");
        };
        assert_eq!(found, changed, "{text}");
        let error = agent.session("s").run("another task").await.unwrap_err();
        assert!(error.to_string().contains("changed"), "{error}");
        assert_eq!(agent.session("s").journal().await.unwrap(), before);
    }
    // The same agent goes on, however its tools are ordered.
    let two = |builder: Builder| builder.tool(other());
    let run = refusing(two(clerk(&store, "Be quick."))).run("go").in_session("two").await.unwrap();
    assert_eq!(run.text(), "done");
    refusing(clerk(&store, "Be quick.")).resume("s").await.unwrap();
}

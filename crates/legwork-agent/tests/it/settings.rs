//! Settings that a person sets for a session, from wherever the store is reached.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Delivery, Error, StoredSession, Subagent};
use legwork_core::budget::Dimension;
use legwork_core::event::DefinitionPolicy;
use legwork_core::settings::SessionSettings;
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, Budget, EffectClass, Entry, Event, ExecutionStatus, Seq, StopReason,
};
use legwork_port::Store as _;
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::subagents::{child_of, scripted, spawn};
use crate::tools::{World, guarded, noting, spec};

/// Looks in each of its first steps, then answers with its name.
fn model(name: &str) -> ScriptedModel {
    let look = |n: u32| Turn::call("look", json!({"n": n}));
    scripted(name, (0..4).map(look).chain([Turn::text(name), Turn::text(name), Turn::text(name)]))
}

fn clerk(store: &MemoryStore, instructions: &str) -> Builder {
    Agent::builder(model("x:small"))
        .id("clerk")
        .further_model(model("x:large"))
        .instructions(instructions)
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .store_in(Arc::new(store.clone()))
}

/// A session that was left after its first step, as another process sees it.
async fn left(store: &MemoryStore, agent: &Agent) -> StoredSession {
    let mut active = agent.run("go").in_session("s").open().await.unwrap();
    active.next().await.unwrap();
    active.release().await;
    StoredSession::new(Arc::new(store.clone()), "s")
}

fn large() -> SessionSettings {
    SessionSettings::new().model("x:large")
}

/// The types of the entries that were added.
async fn since(session: &StoredSession, before: Seq) -> Vec<String> {
    let journal = session.journal().await.unwrap();
    let added = journal.entries().iter().filter(|entry| entry.seq > before);
    added.map(|entry| entry.event.kind().to_owned()).collect()
}

fn model_and_prompt(state: &AgentState) -> (&str, &str) {
    (&state.settings().model, state.instructions())
}

#[tokio::test]
async fn s8_11_settings_of_an_idle_session_are_taken_up_at_once() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "Be quick.").build().unwrap();
    let session = left(&store, &agent).await;
    let before = session.state().await.unwrap().version();
    let set = large().instructions("Be kind.").limits(Budget::unlimited().steps(9));
    let delivery = session.set(set).await.unwrap();
    let state = delivery.into_state().unwrap();
    assert_eq!(model_and_prompt(&state), ("x:large", "Be kind."));
    let kept = Budget { steps: Some(9), ..Budget::guards() };
    assert_eq!(state.ledger().budget, kept, "limits that were not named stay");
    // What an item causes is the entry after it.
    assert_eq!(since(&session, before).await, ["inbox_taken", "settings_set"]);
    let run = agent.resume("s").await.unwrap();
    assert_eq!((&*run.text(), &**run.state().instructions()), ("x:large", "Be kind."));
}

#[tokio::test]
async fn s8_11_settings_of_a_session_that_runs_apply_from_its_next_step_on() {
    let (store, gate, world) = (MemoryStore::new(), Gate::new(), World::default());
    let (small, large_model) = (model("x:small"), model("x:large"));
    let agent = Agent::builder(small.clone())
        .further_model(large_model.clone())
        .tool(guarded(spec("look").effect(EffectClass::ReadOnly), &world, &gate))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let session = StoredSession::new(Arc::new(store.clone()), "s");
    let run = async { agent.run("go").in_session("s").await.unwrap() };
    let sets = async {
        gate.arrived(1).await;
        let delivery = session.set(large().instructions("Be kind.")).await.unwrap();
        assert!(matches!(delivery, Delivery::Waiting(_)), "{delivery:?}");
        gate.open();
    };
    let (run, ()) = tokio::join!(run, sets);
    assert_eq!((&*run.text(), small.requests().len()), ("x:large", 1));
    assert_eq!(&*large_model.requests()[0].instructions, "Be kind.");
}

#[tokio::test]
async fn s8_11_an_agent_without_the_model_names_those_that_it_has() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "").build().unwrap();
    let session = left(&store, &agent).await;
    session.set(SessionSettings::new().model("x:none")).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    let error = run.state().ending_error().unwrap().message.clone();
    assert!(error.contains("no model `x:none`: it has x:large, x:small"), "{error}");
    // It goes on once it was set right.
    session.set(large()).await.unwrap();
    assert_eq!(agent.resume("s").await.unwrap().text(), "x:large");
}

#[tokio::test]
async fn s8_11_s10_4_what_a_person_set_outlives_each_definition_of_the_agent() {
    for policy in [DefinitionPolicy::Upgrade, DefinitionPolicy::Pin, DefinitionPolicy::Refuse] {
        let store = MemoryStore::new();
        let agent = clerk(&store, "Be quick.").on_changed_definition(policy).build().unwrap();
        let session = left(&store, &agent).await;
        session.set(large().limits(Budget::unlimited().steps(9))).await.unwrap();
        // The same definition: the settings are none of it.
        let mut active = agent.resume("s").open().await.unwrap();
        assert_eq!(model_and_prompt(active.state()), ("x:large", "Be quick."), "{policy:?}");
        active.next().await.unwrap();
        active.release().await;
        let other = clerk(&store, "Be careful.").budget(Budget::guards().steps(4).tool_calls(50));
        let other = other.on_changed_definition(policy).build().unwrap();
        match other.resume("s").await {
            Ok(run) => {
                let pinned = policy == DefinitionPolicy::Pin;
                let prompt = if pinned { "Be quick." } else { "Be careful." };
                assert_eq!(model_and_prompt(run.state()), ("x:large", prompt), "{policy:?}");
                let budget = &run.state().ledger().budget;
                assert_eq!(budget.steps, Some(9), "{policy:?}");
                assert_eq!(budget.tool_calls, (!pinned).then_some(50), "{policy:?}");
            }
            Err(Error::Refused(Refusal::DefinitionChanged { changed, .. })) => {
                assert_eq!(policy, DefinitionPolicy::Refuse);
                assert_eq!(changed, ["instructions", "limits"], "of the agent's own alone");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn s8_11_a_reset_takes_back_what_was_set() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "Be quick.").build().unwrap();
    let session = left(&store, &agent).await;
    let tight = SessionSettings::new().limits(Budget::unlimited().steps(2));
    session.set(tight.unlimited(Dimension::ActiveTime)).await.unwrap();
    let state = session.set(large()).await.unwrap().into_state().unwrap();
    assert_eq!(state.ledger().budget, Budget::unlimited().steps(2), "both settings apply");
    let reset = SessionSettings::new().reset().instructions("Be kind.");
    let state = session.set(reset).await.unwrap().into_state().unwrap();
    assert_eq!(model_and_prompt(&state), ("x:small", "Be kind."));
    assert_eq!(state.ledger().budget, Budget::guards());
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "x:small");
}

#[tokio::test]
async fn s8_11_a_cut_below_what_is_used_stops_at_the_limit_and_a_raise_goes_on() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "").build().unwrap();
    let mut active = agent.run("go").in_session("s").open().await.unwrap();
    active.next().await.unwrap();
    active.next().await.unwrap();
    active.release().await;
    let session = StoredSession::new(Arc::new(store.clone()), "s");
    session.set(SessionSettings::new().limits(Budget::unlimited().steps(1))).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.state().status(), Some(&ExecutionStatus::Stopped));
    assert_eq!(run.state().stop_reason(), Some(&StopReason::StepsLimit));
    assert_eq!(run.state().used().steps, 2, "no step was made");
    let error = agent.resume("s").await.unwrap_err();
    assert!(error.to_string().contains("the limit still holds"), "{error}");
    session.set(SessionSettings::new().limits(Budget::unlimited().steps(20))).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((&*run.text(), run.state().used().steps), ("x:small", 5));
}

#[tokio::test]
async fn s8_11_what_sets_nothing_is_refused_and_so_are_limits_of_a_subagent() {
    let store = MemoryStore::new();
    let root = scripted("x:root", [Turn::calls([spawn("helper", "look")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("wait", json!({"n": 1})), Turn::text("well")]);
    let wait = crate::tools::made(spec("wait"), |_, _| {
        Box::pin(async { legwork_core::ToolOutcome::deferred() })
    });
    let agent = Agent::builder(root)
        .tool(wait)
        .subagent(Subagent::new("helper", "Helps.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").outcome().await.unwrap();
    let session = StoredSession::new(Arc::new(store.clone()), "s");
    let before = session.state().await.unwrap().version();
    for nothing in [SessionSettings::new(), SessionSettings::new().model("")] {
        let error = session.set(nothing).await.unwrap_err();
        assert!(matches!(error, Error::Refused(Refusal::NothingSet)), "{error}");
    }
    assert_eq!(since(&session, before).await, ["inbox_taken", "inbox_taken"]);
    let child = StoredSession::new(Arc::new(store.clone()), child_of(&store).await);
    let limits = SessionSettings::new().limits(Budget::unlimited().steps(99));
    let error = child.set(limits).await.unwrap_err();
    assert!(error.to_string().contains("what s granted"), "{error}");
    let prompt = SessionSettings::new().instructions("Be kind.");
    let state = child.set(prompt).await.unwrap().into_state().unwrap();
    assert_eq!(&**state.instructions(), "Be kind.");
    let nowhere = StoredSession::new(Arc::new(store), "nowhere");
    let error = nowhere.set(large()).await.unwrap_err();
    assert!(error.to_string().contains("there is no session nowhere"), "{error}");
}

#[tokio::test]
async fn s8_11_metadata_is_set_from_another_process_and_begins_nothing() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "").build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let session = StoredSession::new(Arc::new(store.clone()), "s");
    let journal = session.journal().await.unwrap();
    let begins = |entry: &&Arc<Entry>| matches!(entry.event, Event::ExecutionStarted(_));
    let begun = journal.entries().iter().find(begins).unwrap().seq;
    session.move_head(begun).await.unwrap();
    let before = session.state().await.unwrap();
    let delivery = session.set_metadata("ticket", Some(json!({"id": 17}))).await.unwrap();
    let state = delivery.into_state().unwrap();
    assert_eq!(state.context().metadata["ticket"], json!({"id": 17}));
    assert_eq!(since(&session, before.version()).await, ["inbox_taken", "metadata_set"]);
    // A session whose head was moved is not due for what is noted of it.
    session.set(large()).await.unwrap();
    let state = session.state().await.unwrap();
    assert_eq!((state.due_at(), state.facts().acted), (None, before.facts().acted));
    let state = session.set_metadata("ticket", None).await.unwrap().into_state().unwrap();
    assert!(!state.context().metadata.contains_key("ticket"));
    let mut deep = json!(1);
    for _ in 0..110 {
        deep = json!([deep]);
    }
    let error = session.set_metadata("deep", Some(deep)).await.unwrap_err();
    assert!(error.to_string().contains("nested too deeply"), "{error}");
}

#[tokio::test]
async fn s8_11_s8_1_a_fork_goes_on_with_what_was_set() {
    let store = MemoryStore::new();
    let agent = clerk(&store, "Be quick.").build().unwrap();
    let session = left(&store, &agent).await;
    session.set(large()).await.unwrap();
    let head = session.state().await.unwrap().head();
    let fork = agent.session("s").fork(head).await.unwrap();
    assert_eq!(fork.resume().await.unwrap().text(), "x:large");
    let other = clerk(&store, "Be careful.").build().unwrap();
    let again = other.session("s").fork(head).await.unwrap();
    let run = again.resume().await.unwrap();
    assert_eq!(model_and_prompt(run.state()), ("x:large", "Be careful."));
    assert_eq!(store.read(again.id(), legwork_port::store::Range::ALL).await.unwrap().damage, None);
}

//! Drivers that return states which say what did not happen, or that do nothing.

use std::sync::{Arc, Mutex};

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::StepTools;
use legwork_agent::{Agent, Driver, HaltReason, StepContext, ToolCalling, driver, executor, hook};
use legwork_core::error::ErrorRecord;
use legwork_core::state::{Judged, Seal};
use legwork_core::{
    AgentState, EffectClass, ErrorKind, ExecutionStatus, ModelRequest, Owed, Response, StopReason,
};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::stepping::stepping;
use crate::tools::{World, journal, noting};

/// A driver that changes the state when a response was recorded.
struct Recording(fn(AgentState) -> AgentState);

impl Driver for Recording {
    fn name(&self) -> &str {
        "recording"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        ToolCalling.request(state, cx, shown)
    }

    fn recorded(&self, state: AgentState) -> AgentState {
        (self.0)(state)
    }
}

fn judged(state: AgentState) -> AgentState {
    state.with_judged(0, Judged::of(Arc::new(json!({"n": 1}))))
}

#[tokio::test]
async fn s1_4_a_driver_that_says_a_call_was_judged_or_a_response_committed_fails() {
    for forged in [judged, AgentState::committed] {
        let (world, store) = (World::default(), MemoryStore::new());
        let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
        let agent = Agent::builder(model)
            .tools([noting("look", EffectClass::ReadOnly, &world)])
            .driver(Recording(forged))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        assert!(run.state().errors().any(|error| error.kind == ErrorKind::Lineage));
        assert!(world.notes().is_empty());
        assert!(journal(&store, "s").await.contains(&"responded".to_owned()));
    }
}

/// A driver that answers a recorded response with an older state: the one from before the
/// request, or the one in which the response was read.
struct Older {
    since: Since,
    kept: Mutex<Option<AgentState>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Since {
    Request,
    Read,
}

impl Older {
    fn since(since: Since) -> Self {
        Self { since, kept: Mutex::new(None) }
    }

    fn keep(&self, since: Since, state: &AgentState) {
        if self.since == since {
            *self.kept.lock().unwrap() = Some(state.clone());
        }
    }
}

impl Driver for Older {
    fn name(&self) -> &str {
        "older"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        self.keep(Since::Request, state);
        ToolCalling.request(state, cx, shown)
    }

    fn read(&self, state: &AgentState, _: &Response) -> Option<Response> {
        self.keep(Since::Read, state);
        None
    }

    fn recorded(&self, _: AgentState) -> AgentState {
        self.kept.lock().unwrap().take().unwrap()
    }
}

#[tokio::test]
async fn s1_4_a_driver_that_takes_a_recorded_response_back_fails_and_it_is_kept() {
    let model = || ScriptedModel::new([Turn::text("done"), Turn::text("never")]);
    let foreign = Recording(|state| AgentState::new(state.session().clone()));
    let foreign = Agent::builder(model()).driver(foreign);
    let older = |since| Agent::builder(model()).driver(Older::since(since));
    for builder in [foreign, older(Since::Request), older(Since::Read)] {
        let store = MemoryStore::new();
        let agent = builder.store_in(Arc::new(store.clone())).build().unwrap();
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        assert!(run.state().errors().any(|error| error.kind == ErrorKind::Lineage));
        assert!(journal(&store, "s").await.contains(&"responded".to_owned()));
    }
}

#[tokio::test]
async fn s7_1_calls_that_a_driver_judged_itself_are_judged_before_they_run() {
    for judged in [judged as fn(AgentState) -> AgentState, judged_under_a_seal_of_its_own] {
        judged_by_a_driver(judged).await;
    }
}

fn judged_under_a_seal_of_its_own(state: AgentState) -> AgentState {
    state.with_judged_by(&Seal::default(), 0, Judged::of(Arc::new(json!({"n": 1}))))
}

async fn judged_by_a_driver(judged: fn(AgentState) -> AgentState) {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .hook(hook::before_tool_use("gate", async |call, _cx| call.block("not today")))
        .driver(stepping(move |state, cx| {
            Box::pin(async move {
                let state = driver::infer(&ToolCalling, state, cx).await?;
                match state.owed() {
                    Owed::JudgeCalls => executor::run(judged(state), cx).await,
                    _ => Ok(state),
                }
            })
        }))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    assert!(world.notes().is_empty(), "a call ran that a gate blocks");
}

#[tokio::test]
async fn s1_4_a_driver_whose_state_claims_a_commit_that_was_not_made_halts_the_run() {
    let store = MemoryStore::new();
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")]))
        .driver(stepping(|state, cx| {
            Box::pin(async move { Ok(ToolCalling.use_tools(state, cx).await?.committed()) })
        }))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let error = agent.run("go").in_session("s").await.unwrap_err();
    assert!(matches!(error.halted(), Some(HaltReason::Lineage)), "{error}");
    assert_eq!(journal(&store, "s").await.last().unwrap(), "inference_started");
}

#[tokio::test]
async fn s1_6_a_driver_that_does_nothing_of_what_is_owed_fails_and_is_not_called_for_ever() {
    let agent = Agent::builder(ScriptedModel::new([]))
        .driver(stepping(|state, _cx| Box::pin(std::future::ready(Ok(state)))))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.state().stop_reason(), Some(&StopReason::Error));
    let said = run.state().errors().last().unwrap().message.clone();
    assert!(said.contains("did nothing of what the step owes"), "{said}");
}

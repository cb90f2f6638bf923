//! Drivers: what they may hand back.

use std::sync::{Arc, Mutex};

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolbox::Shown;
use legwork_agent::{Agent, Driver, Error, Halt, StepContext, ToolCalling};
use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, EffectClass, ModelRequest, SessionId};
use legwork_port::BoxFuture;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, journal, noting};

/// A driver that hands back a state it was not given.
struct Strays(Mutex<Option<AgentState>>);

impl Driver for Strays {
    fn name(&self) -> &str {
        "strays"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &Shown,
    ) -> Result<ModelRequest, ErrorRecord> {
        ToolCalling.request(state, cx, shown)
    }

    fn use_tools<'a>(
        &'a self,
        state: AgentState,
        cx: &'a StepContext,
    ) -> BoxFuture<'a, Result<AgentState, Halt>> {
        let stray = self.0.lock().unwrap().replace(state.clone());
        Box::pin(async move {
            match stray {
                Some(stray) => Ok(stray),
                None => ToolCalling.use_tools(state, cx).await,
            }
        })
    }
}

#[tokio::test]
async fn s1_4_a_driver_that_hands_back_a_foreign_or_older_state_halts_the_run() {
    let foreign = AgentState::new(SessionId::new("another"));
    for (stray, journaled) in [(Some(foreign), 0), (None, 7)] {
        let store = MemoryStore::new();
        let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
        let agent = Agent::builder(model)
            .tools([noting("look", EffectClass::ReadOnly, &World::default())])
            .driver(Strays(Mutex::new(stray)))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let error = agent.run("go").in_session("s").await.unwrap_err();
        assert!(matches!(error, Error::Halted(_)), "{error}");
        assert!(error.to_string().contains("does not extend"), "{error}");
        let kinds = journal(&store, "s").await;
        assert!(kinds.len() <= journaled, "{kinds:?}");
    }
}

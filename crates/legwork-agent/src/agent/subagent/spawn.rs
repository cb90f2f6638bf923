//! The tool that spawns subagents.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::ParentLink;
use legwork_core::{
    AgentState, Budget, EffectClass, Seq, SessionId, ToolCall, ToolOutcome, ToolSpec,
};
use legwork_port::{BoxFuture, Observer, Tool, ToolContext, store};
use legwork_runtime::{Ancestry, Caller, Control, Error, TurnSubagents, WaitPolicy};
use serde::Deserialize;
use serde_json::json;

use crate::agent::request::Run;
use crate::agent::subagent::{Subagent, Subagents};
use crate::agent::{Agent, Parts};

use super::cancel::cancel;
use super::turn::Turn;

/// The name of the tool.
pub const TOOL: &str = "spawn_subagent";

/// What the model asks for.
#[derive(Deserialize)]
struct Request {
    agent: String,
    prompt: String,
}

/// The tool, as a model is shown it; its calls are run by the runtime.
pub(super) struct SpawnTool(Arc<ToolSpec>);

impl SpawnTool {
    pub(super) fn of(subagents: &Subagents) -> Self {
        let names: Vec<_> = subagents.iter().map(|subagent| subagent.name()).collect();
        // One line each: a description is no place to speak in the voice of others.
        let line = |text: &str| text.split(char::is_control).collect::<Vec<_>>().join(" ");
        let each =
            subagents.iter().map(|one| format!("- {}: {}", one.name(), line(one.description())));
        let description = format!(
            "Gives a task to another agent and returns its final answer. It sees nothing of this \
             conversation: the prompt must say all that it needs. Several can work at once. The \
             agents are:\n{}",
            each.collect::<Vec<_>>().join("\n")
        );
        let parameters = json!({
            "type": "object",
            "properties": {
                "agent": {"type": "string", "enum": names, "description": "Which agent."},
                "prompt": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The whole task, in words.",
                },
            },
            "required": ["agent", "prompt"],
            "additionalProperties": false,
        });
        // Run again with the same key it goes on with the same session.
        let spec = ToolSpec::new(TOOL, description, parameters).effect(EffectClass::Idempotent);
        Self(Arc::new(spec.in_child()))
    }
}

impl Tool for SpawnTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let message = "a subagent can be spawned only by a running agent";
        Box::pin(std::future::ready(ToolOutcome::failed(message)))
    }
}

/// The subagents of an agent, as the runtime runs them.
#[derive(Clone)]
pub(crate) struct Spawns(pub(crate) Arc<Parts>);

impl Spawns {
    /// The subagent that a call asks for, with its task; none if the call names none.
    pub(super) fn find(&self, call: &ToolCall) -> Option<Spawn> {
        if &*call.name != TOOL {
            return None;
        }
        let Request { agent, prompt } = serde_json::from_str(&call.arguments).ok()?;
        let subagent = self.0.subagents.find(&agent)?.clone();
        Some(Spawn { subagent, prompt, parent: Arc::clone(&self.0) })
    }

    /// The agent that a call asks for, with limits; none if the call names none.
    ///
    /// # Errors
    /// When it cannot be built.
    pub(crate) fn agent_of(&self, call: &ToolCall, limits: Budget) -> Result<Option<Agent>, Error> {
        let Some(spawn) = self.find(call) else { return Ok(None) };
        spawn.subagent.build(&self.0, limits).map(Some)
    }
}

impl legwork_runtime::Subagents for Spawns {
    fn begin_turn<'a>(
        &'a self,
        state: &'a AgentState,
        caller: Caller<'a>,
        fresh: usize,
    ) -> BoxFuture<'a, Result<Box<dyn TurnSubagents>, store::Error>> {
        Box::pin(async move {
            let turn = Turn::open(self.clone(), state, caller, fresh).await?;
            Ok(Box::new(turn) as Box<dyn TurnSubagents>)
        })
    }

    fn cancel<'a>(
        &'a self,
        caller: Caller<'a>,
        child: &'a SessionId,
        link: &'a ParentLink,
    ) -> BoxFuture<'a, Result<Amounts, store::Error>> {
        cancel(caller.services, child, link)
    }
}

/// A subagent with its task.
pub(super) struct Spawn {
    subagent: Subagent,
    prompt: String,
    parent: Arc<Parts>,
}

/// What a subagent runs with.
pub(super) struct Spawned {
    pub(super) session: SessionId,
    /// The limits that it was granted.
    pub(super) granted: Budget,
    /// Its place below the agent whose call it is.
    pub(super) ancestry: Ancestry,
    pub(super) control: Control,
    /// Notified of its run; none if nobody listens.
    pub(super) observer: Option<Arc<dyn Observer>>,
    /// What its parent does where it would have to wait.
    pub(super) waits: WaitPolicy,
}

impl Spawn {
    pub(super) fn name(&self) -> &str {
        self.subagent.name()
    }

    /// Its own limits. They are held in the parent's ledger before it begins.
    pub(super) fn limits(&self) -> Budget {
        self.subagent.limits().cloned().unwrap_or_else(Budget::guards)
    }

    /// Runs it in its session: from its beginning, or from where that stands.
    pub(super) async fn run(&self, spawned: Spawned) -> Result<Run, Error> {
        let agent = self.subagent.build(&self.parent, spawned.granted)?;
        let session = agent.session(spawned.session);
        let request = match session.journal().await?.version() {
            Seq::ZERO => session.run(self.prompt.as_str()),
            _ => session.resume(),
        };
        let mut request = request.control(spawned.control).below(spawned.ancestry);
        if let Some(observer) = spawned.observer {
            request = request.observer(observer);
        }
        request = request.timers(spawned.waits.timers);
        if let Some(on_doubt) = spawned.waits.on_doubt {
            request = request.on_doubt(on_doubt);
        }
        request.outcome().await
    }
}

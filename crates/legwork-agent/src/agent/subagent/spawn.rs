//! The tool that spawns subagents.

use std::sync::Arc;

use legwork_core::{Budget, EffectClass, Seq, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_runtime::{Error, Spawn, Spawned, Spawner};
use serde::Deserialize;
use serde_json::json;

use crate::agent::Parts;
use crate::agent::request::Run;
use crate::agent::subagent::{Subagent, Subagents};

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

/// The subagents of an agent, for the runtime.
pub(crate) struct Spawns(pub(crate) Arc<Parts>);

impl Spawner for Spawns {
    fn find(&self, call: &ToolCall) -> Option<Arc<dyn Spawn>> {
        if &*call.name != TOOL {
            return None;
        }
        let Request { agent, prompt } = serde_json::from_str(&call.arguments).ok()?;
        let subagent = self.0.subagents.find(&agent)?.clone();
        Some(Arc::new(Spawning { subagent, prompt, parent: Arc::clone(&self.0) }))
    }
}

/// A subagent with its task.
struct Spawning {
    subagent: Subagent,
    prompt: String,
    parent: Arc<Parts>,
}

impl Spawn for Spawning {
    fn name(&self) -> &str {
        self.subagent.name()
    }

    fn limits(&self) -> Budget {
        self.subagent.limits().cloned().unwrap_or_else(Budget::guards)
    }

    fn run(&self, spawned: Spawned) -> BoxFuture<'_, Result<Run, Error>> {
        Box::pin(async move {
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
            if let Some(on_doubt) = spawned.on_doubt {
                request = request.on_doubt(on_doubt);
            }
            request.outcome().await
        })
    }
}

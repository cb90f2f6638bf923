//! The tool that spawns subagents.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::tool::{Deferral, FailureKind};
use legwork_core::{EffectClass, ExecutionStatus, OnDoubt, Seq, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, LiveEvent, Observer, Origin, Tool, ToolContext, store};
use serde::Deserialize;
use serde_json::json;

use crate::agent::Inner;
use crate::context::Control;
use crate::error::Error;
use crate::request::Run;
use crate::subagent::family::adds_up;
use crate::subagent::{Born, Lease, Subagents};
use crate::unwind;

/// The name of the tool.
pub const TOOL: &str = "spawn_subagent";

/// What the model asks for.
#[derive(Deserialize)]
pub(super) struct Request {
    pub(super) agent: String,
    pub(super) prompt: String,
}

impl Request {
    pub(super) fn of(call: &ToolCall) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&call.arguments)
    }
}

pub(super) struct Spawn(Arc<ToolSpec>);

impl Spawn {
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

/// All that it takes to run a subagent, given with the call.
pub(crate) struct Spawning {
    pub(super) lease: Lease,
    pub(super) agent: Arc<Inner>,
    pub(super) control: Control,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) origin: Arc<Origin>,
    pub(super) on_doubt: Option<OnDoubt>,
}

impl Tool for Spawn {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let Some(spawning) = cx.runtime::<Spawning>() else {
                return ToolOutcome::failed("a subagent can be spawned only by a running agent");
            };
            let index = cx.key.index;
            spawning.tell(|agent, session| LiveEvent::SubagentStarted { index, agent, session });
            // It charges what it used however it ends: a panic of a model, too.
            let ran = unwind::run(|| Box::pin(spawning.run())).await;
            let ran = ran.unwrap_or_else(|message| {
                let who = "its code";
                Err(Error::Panicked { who, message })
            });
            let used = match &ran {
                Ok(run) => Ok(adds_up(&run.state().ledger().lifetime)),
                Err(error) if is_final(error) => spawning.give_up().await,
                Err(_) => spawning.used().await,
            };
            let (ran, used) = match used {
                Ok(used) => (ran, used),
                Err(unread) => (Err(unread.into()), Amounts::default()),
            };
            let status = ran.as_ref().map_or(ExecutionStatus::Failed, Run::status);
            spawning.tell(|agent, session| {
                let (status, used) = (&status, &used);
                LiveEvent::SubagentFinished { index, agent, session, status, used }
            });
            // What waits, or what somebody else holds or its store cannot take now, goes on later.
            let later = match &ran {
                Ok(run) => !run.status().is_terminal(),
                Err(error) => !is_final(error),
            };
            if later {
                return ToolOutcome::Deferred(Deferral::Session(spawning.lease.child.clone()));
            }
            spawning.lease.end(&used);
            cx.charge(&used);
            spawning.outcome(ran)
        })
    }
}

/// Whether a subagent that could not be run is given up, and not gone on with later.
fn is_final(error: &Error) -> bool {
    !matches!(error, Error::Store(_) | Error::Halted(_) | Error::Lineage { .. })
}

impl Spawning {
    fn tell<'a>(
        &'a self,
        event: impl FnOnce(&'a str, &'a legwork_core::SessionId) -> LiveEvent<'a>,
    ) {
        if self.observer.listens() {
            let event = event(self.lease.subagent.name(), &self.lease.child);
            self.observer.live(&self.origin, &event);
        }
    }

    /// Runs the subagent in its session: from its beginning, or where that stands.
    async fn run(&self) -> Result<Run, Error> {
        let Lease { child, link, subagent, prompt, granted, share, .. } = &self.lease;
        let agent = subagent.build(&self.agent, granted.clone())?;
        let session = agent.session(child.clone());
        let state = session.journal().await?.fold(child);
        super::check(&state, link)?;
        let known = state.version() != Seq::ZERO;
        if state.status().is_some_and(ExecutionStatus::is_terminal) {
            return Ok(Run { state });
        }
        let request = if known { session.resume() } else { session.run(prompt.as_str()) };
        let mut request = request.control(self.control.clone());
        if self.observer.listens() {
            request = request.observer(Arc::clone(&self.observer));
        }
        if let Some(on_doubt) = self.on_doubt {
            request = request.on_doubt(on_doubt);
        }
        let parent = Some(link.clone());
        let origin = Arc::new(self.origin.child(subagent.name(), child.clone()));
        let share = Some(share.clone());
        request.born(Born { origin, parent, share }).await
    }

    /// Ends the session of a subagent that does not go on: its call is answered. Gives what it
    /// used.
    async fn give_up(&self) -> Result<Amounts, store::Error> {
        super::waiting::cancel(&self.agent, &self.lease.child, &self.lease.link).await
    }

    /// What a subagent used that could not be run to its end.
    async fn used(&self) -> Result<Amounts, store::Error> {
        super::family::used_by(&*self.agent.store, &self.lease.child, &self.lease.link).await
    }

    /// Only its final text returns; where there is none, why.
    fn outcome(&self, ran: Result<Run, Error>) -> ToolOutcome {
        let name = self.lease.subagent.name();
        let run = match ran {
            Ok(run) => run,
            Err(error) => {
                let kind = match &error {
                    Error::SessionTaken { .. } => FailureKind::SessionTaken,
                    _ => FailureKind::Soft,
                };
                let message = format!("The agent `{name}` could not run: {error}");
                return ToolOutcome::Failed(kind, message);
            }
        };
        if run.status() == ExecutionStatus::Completed {
            return ToolOutcome::text(run.text());
        }
        let why = run.outcome().map_or_else(String::new, |outcome| outcome.explain());
        let text = run.text();
        let said = if text.is_empty() { text } else { format!(" It said last: {text}") };
        ToolOutcome::failed(format!(
            "The agent `{name}` did not finish ({}). {why}{said}",
            run.status()
        ))
    }
}

//! The agent that leads a collaboration: it decides by calling a tool.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::continuation::criterion;
use legwork_core::{
    AgentState, AgentStep, Decision, EffectClass, StopReason, StopSignal, ToolCall, ToolOutcome,
    ToolSpec,
};
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_runtime::Error;
use serde::Deserialize;
use serde_json::json;

use crate::agent_speaker::{AgentSpeaker, spoken};
use crate::{Speaker, Spoken, TurnContext};

/// The tool that assigns work to a member.
const ASSIGN: &str = "assign";
/// The tool that says that the goal is reached.
const CONCLUDE: &str = "conclude";

/// The decision of the lead.
enum Decided {
    Assign(Assignment),
    Conclude(Conclusion),
}

#[derive(Deserialize)]
struct Assignment {
    to: Arc<str>,
    task: String,
}

#[derive(Deserialize)]
struct Conclusion {
    result: String,
}

pub(super) struct Lead(AgentSpeaker);

impl Lead {
    /// The agent, with tools to assign work to these members and to conclude.
    pub(super) fn new(agent: &Agent, members: &[Arc<str>]) -> Result<Self, Error> {
        let assign = json!({
            "type": "object",
            "properties": {
                "to": {"type": "string", "enum": members, "description": "Who works next."},
                "task": {"type": "string", "minLength": 1, "description": "What to do, in words."},
            },
            "required": ["to", "task"],
            "additionalProperties": false,
        });
        let conclude = json!({
            "type": "object",
            "properties": {
                "result": {"type": "string", "minLength": 1, "description": "The final text."},
            },
            "required": ["result"],
            "additionalProperties": false,
        });
        let decided = criterion("decided", |state: &AgentState| {
            let words = "it is decided who works next, or the goal is reached";
            let signal = || StopSignal::new(StopReason::Completed, "decided", words);
            let decided = state.current_step().and_then(decision);
            Ok(decided.map(|_| Decision::Forbid(signal())))
        });
        let builder = agent
            .to_builder()
            .tool(DecisionTool::new(ASSIGN, "Gives the next piece of work to a member.", assign))
            .tool(DecisionTool::new(
                CONCLUDE,
                "Says that the goal is reached, with the final text.",
                conclude,
            ))
            .criterion(decided);
        Ok(Self(AgentSpeaker::new(builder.build()?)))
    }
}

impl Speaker for Lead {
    fn ends_itself(&self) -> bool {
        true
    }

    fn speak<'a>(&'a self, cx: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        Box::pin(async move {
            let state = self.0.run(cx).await?;
            let decided = state.step_results().rev().find_map(|result| decision(&result.step));
            let spoken = spoken(state, cx);
            let quiet = spoken.rests.is_some() || !spoken.errors.is_empty();
            Ok(match decided {
                _ if quiet => spoken,
                Some(Decided::Assign(Assignment { to, task })) => {
                    let message = Some(format!("{to}, {task}").into());
                    Spoken { message, ..spoken }.gives_to(to)
                }
                Some(Decided::Conclude(Conclusion { result })) => {
                    Spoken { message: Some(result.into()), ..spoken }.concludes()
                }
                None if cx.control.cancel.is_cancelled() => spoken,
                None => Spoken {
                    errors: Spoken::failed(format!(
                        "{} called neither `{ASSIGN}` nor `{CONCLUDE}`: its instructions should ask for it",
                        cx.name
                    ))
                    .errors,
                    ..spoken
                },
            })
        })
    }
}

/// The decision of a step: its first call of one of the two tools that succeeded.
fn decision(step: &AgentStep) -> Option<Decided> {
    step.calls.iter().find_map(|slot| {
        let ran = slot.execution().is_some_and(|execution| execution.outcome.is_ok());
        let arguments = Some(slot.arguments()).filter(|_| ran)?;
        match &*slot.call.name {
            ASSIGN => serde_json::from_str(arguments).ok().map(Decided::Assign),
            CONCLUDE => serde_json::from_str(arguments).ok().map(Decided::Conclude),
            _ => None,
        }
    })
}

/// A tool that does nothing: the call itself is the decision.
struct DecisionTool(Arc<ToolSpec>);

impl DecisionTool {
    fn new(name: &str, description: &str, parameters: serde_json::Value) -> Self {
        let spec = ToolSpec::new(name, description, parameters).effect(EffectClass::ReadOnly);
        Self(Arc::new(spec))
    }
}

impl Tool for DecisionTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::text("Noted.")))
    }
}

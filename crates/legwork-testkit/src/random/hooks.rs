//! Hooks that do what a program plans.

use std::panic::resume_unwind;
use std::sync::Arc;

use legwork_agent::{Hook, hook};
use legwork_core::message::Part;
use legwork_core::{
    AgentState, Decision, Message, Response, SessionId, StopReason, StopSignal, ToolCall,
    ToolOutcome, ToolSelection,
};
use legwork_port::Trigger;
use serde_json::json;

use super::program::{HookDoes, HookPlan};
use super::tools::deep;
use super::world::World;

/// The hook of a plan, by its place among all.
pub(super) fn planned(at: usize, plan: &HookPlan, world: &World) -> Hook {
    let (name, world) = (format!("hook{at}"), world.clone());
    let HookPlan { on, after, does, .. } = plan.clone();
    let by = name.clone();
    let planned = hook(name, [on], move |state: AgentState, _| {
        let (world, by) = (world.clone(), by.clone());
        async move {
            world.pace().await;
            match after.is_some_and(|after| state.step_results().count() != after) {
                true => Ok(state),
                false => act(does, on, &by, state, &world).await,
            }
        }
    });
    let planned = planned.priority(plan.priority);
    if plan.inherited { planned.inherited() } else { planned }
}

async fn act(
    does: HookDoes,
    on: Trigger,
    by: &str,
    state: AgentState,
    world: &World,
) -> Result<AgentState, hook::Error> {
    Ok(match does {
        HookDoes::Wait => {
            world.pace().await;
            world.pace().await;
            state
        }
        HookDoes::Note => state.with_metadata(by, Some(json!(world.count(by)))),
        HookDoes::Say => state.with_message(format!("{by} says so")),
        HookDoes::SayCall => state.with_message(with_call(&Message::assistant(Vec::new()), by)),
        HookDoes::Fail => return Err(hook::Error::new("it fails")),
        HookDoes::Panic => resume_unwind(Box::new("the hook panics")),
        HookDoes::Stall if world.count(by) == 0 => std::future::pending().await,
        HookDoes::Stall => state,
        HookDoes::Forge => AgentState::new(SessionId::new("another")),
        HookDoes::Stop if state.stop_signals().is_empty() => {
            state.with_stop_signal(StopSignal::new(StopReason::StopRequested, by, "enough"))
        }
        HookDoes::Stop => state,
        HookDoes::Request => state.with_vote(by, Decision::Request),
        HookDoes::Prevent => state.with_stop_prevented(by),
        HookDoes::Block => state.with_tool_call_blocked(by, "not today"),
        HookDoes::Supply => state.with_tool_call_answered(json!("from a hook")),
        HookDoes::Deep => state.with_tool_call_answered(deep()),
        HookDoes::Rewrite => state.with_tool_call_arguments(json!({"n": world.count(by)})),
        HookDoes::Change => change(on, by, state),
        HookDoes::Mend => mend(by, state),
        HookDoes::Hide => state.with_tool_selection(Some(ToolSelection::all().hide("look"))),
    })
}

/// Changes what the trigger shows.
fn change(on: Trigger, by: &str, state: AgentState) -> AgentState {
    match on {
        Trigger::BeforeInference => {
            let Some(request) = state.current_request().cloned() else { return state };
            let request = (*request).clone().with_message(Message::user(format!("{by} reminds")));
            state.with_current_request(Some(Arc::new(request)))
        }
        Trigger::AfterInference => {
            let Some(response) = response(&state) else { return state };
            let mut parts = response.message.parts.clone();
            parts.insert(0, Part::text(by.to_owned()));
            let message = Arc::new(Message::assistant(parts));
            state.with_response(Response { message, ..response })
        }
        _ => {
            let Some(index) = state.current_tool_execution().map(|shown| shown.index) else {
                return state;
            };
            state.with_tool_outcome(index, ToolOutcome::text(format!("{by} knows better")))
        }
    }
}

/// Makes a broken response whole, with a call in it.
fn mend(by: &str, state: AgentState) -> AgentState {
    let Some(response) = response(&state).filter(|r| r.incomplete.is_some()) else { return state };
    let message = Arc::new(with_call(&response.message, by));
    state.with_response(Response { message, incomplete: None, ..response })
}

fn response(state: &AgentState) -> Option<Response> {
    state.current_step()?.response.as_deref().cloned()
}

fn with_call(message: &Message, by: &str) -> Message {
    let call = ToolCall::new(format!("call_{by}"), "send", json!({"n": 1}).to_string());
    let texts = message.parts.iter().filter(|part| part.as_text().is_some()).cloned();
    Message::assistant(texts.chain([Part::ToolCall(Arc::new(call))]).collect())
}

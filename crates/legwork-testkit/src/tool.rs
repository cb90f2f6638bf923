//! Calling a tool by hand.

use std::sync::Arc;

use legwork_core::{AgentState, EffectKey, Seq, SessionId, ToolCall, ToolOutcome};
use legwork_port::{Cancellation, Tool, ToolContext};
use serde_json::Value;

/// Calls a tool with arguments, as an agent would: session `test`, without observers.
///
/// The arguments are not validated against the schema; an executor does that.
pub async fn call(tool: &dyn Tool, arguments: Value) -> ToolOutcome {
    let call = ToolCall::new("call_0_0", Arc::clone(&tool.spec().name), arguments.to_string());
    tool.call(&call, &context()).await
}

/// A context for calling a tool by hand: session `test`, without observers.
pub fn context() -> ToolContext {
    let state = AgentState::new(SessionId::new("test"));
    let key = EffectKey { session: state.session().clone(), entry: Seq(1), index: 0 };
    ToolContext::new(state, key, Cancellation::new())
}

//! The recording observer, and calling a tool by hand.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::ExecutionStarted;
use legwork_core::{AgentState, Event, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::event::Committed;
use legwork_port::{BoxFuture, Delta, Emitter, EventKind, Origin, Tool, ToolContext};
use legwork_testkit::{RecordingObserver, tool};
use serde_json::json;

#[tokio::test]
async fn keeps_all_events() {
    let session = SessionId::new("s");
    let observer = RecordingObserver::new();
    let origin = Arc::new(Origin::root(session.clone()));
    let events = Emitter::new(origin, Arc::new(observer.clone()));
    events.at_step(1);
    events.emit(|| EventKind::StepStarted);
    for piece in ["4", "2"] {
        events.emit(|| Delta::Text(piece).into());
    }
    let started = Event::ExecutionStarted(ExecutionStarted { input: Vec::new() });
    let state = AgentState::new(session.clone()).with(started);
    let entries = state.uncommitted().to_vec();
    let charged = vec![Amounts::default()];
    let ledger = state.ledger().clone();
    events.emit(|| EventKind::Committed(Committed { entries: entries.clone(), charged, ledger }));

    let names = ["step_started", "text_delta", "text_delta", "committed execution_started"];
    assert_eq!(observer.names(), names);
    assert_eq!(observer.text(), "42");
    assert_eq!(observer.entries(), entries);
    assert_eq!(observer.clone().events().len(), 4);
    let found = observer.until(|event| matches!(event.kind, EventKind::Committed(_))).await;
    assert_eq!((found.session, found.step), (Some(session), Some(1)));
}

struct Echo;

impl Tool for Echo {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::new(ToolSpec::new("echo", "Says it again.", json!({"type": "object"})))
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move { ToolOutcome::text(format!("{} {}", cx.session, call.arguments)) })
    }
}

#[tokio::test]
async fn a_tool_is_called_by_hand() {
    let outcome = tool::call(&Echo, json!({"a": 1})).await;
    assert_eq!(outcome, ToolOutcome::text("test {\"a\":1}"));
}

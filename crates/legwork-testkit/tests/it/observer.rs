//! The recording observer, and calling a tool by hand.

use std::sync::Arc;

use legwork_core::event::ExecutionStarted;
use legwork_core::tool::Metadata;
use legwork_core::{AgentState, Event, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Delta, LiveEvent, Observer as _, Tool, ToolContext};
use legwork_testkit::{Live, News, RecordingObserver, tool};
use serde_json::json;

#[tokio::test]
async fn keeps_live_and_committed_news() {
    let session = SessionId::new("s");
    let observer = RecordingObserver::new();
    let call = ToolCall::new("c", "add", "{}");
    let outcome = ToolOutcome::text("1");
    let origin = legwork_port::Origin::root(session.clone());
    observer.live(&origin, &LiveEvent::StepStarted { step: 1 });
    for piece in ["4", "2"] {
        observer.live(&origin, &LiveEvent::Delta { step: 1, delta: Delta::Text(piece) });
    }
    let metadata = Metadata::default();
    let (step, index) = (1, 0);
    let (told, left) = (&outcome, &metadata);
    let event = LiveEvent::ToolFinished { step, index, call: &call, outcome: told, metadata: left };
    observer.live(&origin, &event);
    let started = Event::ExecutionStarted(ExecutionStarted { input: Vec::new() });
    let state = AgentState::new(session.clone()).with(started);
    observer.committed(&origin, &state.uncommitted().to_vec());

    let kinds = ["live step_started", "live text", "live text", "live tool_finished"];
    assert_eq!(observer.kinds()[..4], kinds);
    assert_eq!(observer.kinds()[4], "committed execution_started");
    assert_eq!(observer.text(), "42");
    assert_eq!(observer.live_events()[3], Live::ToolFinished(0, call, outcome));
    assert_eq!(observer.entries(), state.uncommitted().to_vec());
    assert_eq!(observer.clone().news().len(), 5);
    let found = observer.until(|news| matches!(news, News::Committed(..))).await;
    assert_eq!(found, News::Committed(session, Arc::clone(state.uncommitted().get(0).unwrap())));
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

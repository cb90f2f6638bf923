//! Executions that one process begins and another one ends.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder};
use legwork_core::budget::Budget;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_otel::Telemetry;
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::json;

use crate::receiver::{Receiver, attribute, count};
use crate::story::{Echo, delivered, echo, telemetry, used};

fn names(spans: &[Span]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

fn worker(
    store: &Arc<MemoryStore>,
    telemetry: &Telemetry,
    turns: Vec<Turn>,
    gate: &Gate,
) -> Builder {
    Agent::builder(ScriptedModel::new(turns).named("openai:gpt-5-mini"))
        .id("worker")
        .tools([Echo::named("echo"), Echo::named("slow").behind(gate)])
        .store_in(store.clone())
        .observer(telemetry.clone())
}

#[tokio::test]
async fn s16_6_an_execution_that_was_killed_and_resumed_is_one_trace_with_one_root() {
    let (receiver, store, gate) = (Receiver::start(), Arc::new(MemoryStore::new()), Gate::new());
    let first = telemetry(&receiver);
    let turns = vec![
        used(Turn::calls([echo("echo")]), 10, 1),
        used(Turn::calls([echo("slow")]), 20, 2),
        used(Turn::text("Done."), 30, 3),
    ];
    let agent = worker(&store, &first, turns.clone(), &gate).build().unwrap();
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    drop(agent);
    delivered(first).await.unwrap();
    gate.open();
    let second = telemetry(&receiver);
    let agent = worker(&store, &second, turns, &gate).build().unwrap();
    let run = agent.resume("s").await.unwrap();
    delivered(second).await.unwrap();
    let spans = receiver.spans();
    let chat = "chat gpt-5-mini";
    let expected =
        [chat, "execute_tool echo", chat, "execute_tool slow", chat, "invoke_agent worker"];
    assert_eq!(names(&spans), expected);
    let root = spans.last().unwrap();
    assert!(spans.iter().all(|span| span.trace_id == root.trace_id));
    assert!(spans.iter().take(5).all(|span| span.parent_span_id == root.span_id));
    assert!(root.start_time_unix_nano <= spans[0].start_time_unix_nano);
    assert_eq!(count(root, "gen_ai.usage.input_tokens"), run.used().input);
    assert_eq!(run.used().input, 60);
}

/// Has its result later.
struct Later(Arc<ToolSpec>);

impl Tool for Later {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::deferred() })
    }
}

#[tokio::test]
async fn s16_6_an_execution_that_waits_is_sent_when_it_ended() {
    let (receiver, store, gate) = (Receiver::start(), Arc::new(MemoryStore::new()), Gate::new());
    let spec = Arc::new(ToolSpec::new("later", "Waits.", json!({"type": "object"})));
    let turns = vec![Turn::call("later", json!({})), Turn::text("Done.")];
    let first = telemetry(&receiver);
    let agent = worker(&store, &first, turns.clone(), &gate).tool(Later(Arc::clone(&spec)));
    let agent = agent.build().unwrap();
    let waits = agent.run("go").in_session("s").outcome().await.unwrap();
    let pending = waits.state().pending()[0].id.clone();
    delivered(first).await.unwrap();
    assert_eq!(names(&receiver.spans()), ["chat gpt-5-mini"]);
    agent.session("s").answer(Answer::new(pending, Verdict::Supply(json!("it")))).await.unwrap();
    let second = telemetry(&receiver);
    let agent = worker(&store, &second, turns, &gate).tool(Later(spec)).build().unwrap();
    agent.resume("s").await.unwrap();
    delivered(second).await.unwrap();
    let spans = receiver.spans();
    let chat = "chat gpt-5-mini";
    assert_eq!(names(&spans), [chat, chat, "invoke_agent worker"]);
    assert!(spans.iter().take(2).all(|span| span.parent_span_id == spans[2].span_id));
}

#[tokio::test]
async fn s16_6_each_execution_of_a_session_is_a_trace() {
    let (receiver, store, gate) = (Receiver::start(), Arc::new(MemoryStore::new()), Gate::new());
    let telemetry = telemetry(&receiver);
    let turns = vec![Turn::text("one"), Turn::text("two")];
    let agent = worker(&store, &telemetry, turns, &gate).build().unwrap();
    agent.run("a").in_session("s").await.unwrap();
    agent.run("b").in_session("s").await.unwrap();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    assert_eq!(spans.len(), 4);
    assert_eq!(spans[0].trace_id, spans[1].trace_id);
    assert_eq!(spans[2].trace_id, spans[3].trace_id);
    assert_ne!(spans[0].trace_id, spans[2].trace_id);
    assert!(spans.iter().all(|span| attribute(span, "gen_ai.conversation.id") == "s"));
}

#[tokio::test]
async fn s16_6_an_execution_that_ended_and_goes_on_has_another_span_below_its_first() {
    let (receiver, store, gate) = (Receiver::start(), Arc::new(MemoryStore::new()), Gate::new());
    let telemetry = telemetry(&receiver);
    let turns = || vec![used(Turn::calls([echo("echo")]), 10, 1), used(Turn::text("Done."), 20, 2)];
    let agent = worker(&store, &telemetry, turns(), &gate).budget(Budget::unlimited().steps(1));
    agent.build().unwrap().run("go").in_session("s").await.unwrap_err();
    let agent = worker(&store, &telemetry, turns(), &gate).budget(Budget::unlimited().steps(9));
    agent.build().unwrap().resume("s").await.unwrap();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    let expected = [
        "chat gpt-5-mini",
        "execute_tool echo",
        "invoke_agent worker",
        "chat gpt-5-mini",
        "invoke_agent worker",
    ];
    assert_eq!(names(&spans), expected);
    assert_eq!(spans[4].parent_span_id, spans[2].span_id);
    assert_eq!(spans[3].parent_span_id, spans[4].span_id);
    assert_eq!(spans[4].trace_id, spans[0].trace_id);
    let ids: std::collections::BTreeSet<_> = spans.iter().map(|span| &span.span_id).collect();
    assert_eq!(ids.len(), spans.len());
}

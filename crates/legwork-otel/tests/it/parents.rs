//! Runs within a span of the program.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_testkit::{Gate, ScriptedModel, Turn};
use opentelemetry::Context;
use opentelemetry::trace::{
    FutureExt as _, SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};

use crate::receiver::Receiver;
use crate::story::{Echo, delivered, echo, telemetry};

fn outer(flags: TraceFlags) -> SpanContext {
    let trace = TraceId::from_hex("4bf92f3577b34da6a3ce929d0e0e4736").unwrap();
    let span = SpanId::from_hex("00f067aa0ba902b7").unwrap();
    let state = TraceState::from_key_value([("vendor", "x")]).unwrap();
    SpanContext::new(trace, span, flags, false, state)
}

#[tokio::test]
async fn s16_7_an_execution_belongs_to_the_trace_that_the_program_was_in() {
    let (receiver, store, gate) = (Receiver::start(), Arc::new(MemoryStore::new()), Gate::new());
    let telemetry = telemetry(&receiver);
    let build = || {
        let turns = [Turn::calls([echo("slow")]), Turn::text("Done."), Turn::text("Again.")];
        Agent::builder(ScriptedModel::new(turns))
            .tool(Echo::named("slow").behind(&gate))
            .store_in(store.clone())
            .observer(telemetry.clone())
            .lifecycle(telemetry.clone())
            .build()
            .unwrap()
    };
    let context = Context::new().with_remote_span_context(outer(TraceFlags::SAMPLED));
    let agent = build();
    tokio::select! {
        biased;
        _ = async { agent.run("go").in_session("s").await }.with_context(context) => unreachable!(),
        () = gate.arrived(1) => {}
    }
    drop(agent);
    gate.open();
    // Another process goes on, in no span; and then there is another execution.
    build().resume("s").await.unwrap();
    build().run("more").in_session("s").await.unwrap();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    assert_eq!(spans.len(), 6, "{spans:?}");
    let (first, second) = spans.split_at(4);
    let trace = outer(TraceFlags::SAMPLED).trace_id().to_bytes();
    assert!(first.iter().all(|span| span.trace_id == trace && span.trace_state == "vendor=x"));
    assert_eq!(first[3].parent_span_id, outer(TraceFlags::SAMPLED).span_id().to_bytes());
    assert!(second.iter().all(|span| span.trace_id != trace));
}

#[tokio::test]
async fn s16_7_what_the_program_does_not_sample_is_not_sent() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    let agent = Agent::builder(ScriptedModel::new([Turn::text("ok")]));
    let agent = agent.observer(telemetry.clone()).lifecycle(telemetry.clone()).build().unwrap();
    let context = Context::new().with_remote_span_context(outer(TraceFlags::default()));
    async { agent.run("go").await }.with_context(context).await.unwrap();
    delivered(telemetry).await.unwrap();
    assert!(receiver.spans().is_empty());
}

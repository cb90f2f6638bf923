//! Which trace an execution belongs to, in whatever process it runs.

use std::collections::HashMap;

use legwork_core::{Digest, SessionId};
use legwork_port::event::ExecutionStart;
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use serde_json::{Map, Value, json};

/// The metadata that says in which trace an execution was begun.
pub(crate) const METADATA: &str = "otel";

/// What the ids of an execution's spans are made of: they are the same in each process.
#[derive(Debug, Clone)]
pub(crate) struct Ids(String);

impl Ids {
    pub(crate) fn of(session: &SessionId, start: &ExecutionStart) -> Self {
        Self(format!("{}\n{}\n{}", start.began.0, start.id, session.as_str()))
    }

    /// The id of a trace that begins with the execution.
    pub(crate) fn trace(&self) -> TraceId {
        let digest = self.digest("trace");
        let digits = digest.as_str().get(..32).unwrap_or_default();
        TraceId::from_hex(digits).unwrap_or(TraceId::INVALID)
    }

    /// The id of the span that such words name among those of the execution.
    pub(crate) fn span(&self, which: &str) -> SpanId {
        let digest = self.digest(which);
        let digits = digest.as_str().get(..16).unwrap_or_default();
        SpanId::from_hex(digits).unwrap_or(SpanId::INVALID)
    }

    fn digest(&self, which: &str) -> Digest {
        Digest::of_bytes(format!("{which}\n{}", self.0).as_bytes())
    }
}

/// The span that an execution was begun in, as its metadata says.
pub(crate) fn parent(start: &ExecutionStart) -> Option<SpanContext> {
    let kept = start.metadata.get(METADATA)?.as_object()?;
    if kept.get("execution")?.as_u64() != Some(start.id.0) {
        // Another execution of the session was.
        return None;
    }
    let text = |name: &String| kept.get(name).and_then(Value::as_str).map(str::to_owned);
    let propagator = TraceContextPropagator::new();
    let names = ["traceparent", "tracestate"].map(str::to_owned);
    let carrier: HashMap<_, _> =
        names.into_iter().filter_map(|name| Some((name.clone(), text(&name)?))).collect();
    let context = propagator.extract_with_context(&Context::new(), &carrier);
    let span = context.span().span_context().clone();
    span.is_valid().then_some(span)
}

/// The metadata that keeps the span that the program is in; none if it is in none.
pub(crate) fn kept(execution: u64) -> Option<Value> {
    let current = Context::current();
    if !current.span().span_context().is_valid() {
        return None;
    }
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&current, &mut carrier);
    carrier.retain(|_, value: &mut String| !value.is_empty());
    let mut kept: Map<_, _> =
        carrier.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    kept.insert("execution".to_owned(), json!(execution));
    Some(Value::Object(kept))
}

/// A span of a trace.
pub(crate) fn context(
    trace: TraceId,
    span: SpanId,
    sampled: Sampled,
    state: TraceState,
) -> SpanContext {
    let flags = match sampled {
        Sampled::Yes => TraceFlags::SAMPLED,
        Sampled::No => TraceFlags::default(),
    };
    SpanContext::new(trace, span, flags, false, state)
}

/// Whether the spans of a trace are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampled {
    Yes,
    No,
}

impl Sampled {
    /// The decision for a trace that begins here, by the share of traces that are sent: the same
    /// in each process.
    pub(crate) fn of(trace: TraceId, share: f64) -> Self {
        let [.., a, b, c, d, e, f, g, h] = trace.to_bytes();
        // 53 bits, as many as a float has.
        let bits = u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 11;
        let at = bits as f64 / (1_u64 << 53) as f64;
        if at < share { Self::Yes } else { Self::No }
    }

    pub(crate) fn in_trace_of(parent: &SpanContext) -> Self {
        if parent.is_sampled() { Self::Yes } else { Self::No }
    }
}

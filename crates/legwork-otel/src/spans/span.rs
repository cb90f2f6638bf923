//! A span that ended.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use legwork_core::Timestamp;
use opentelemetry::InstrumentationScope;
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use crate::attributes::{Attributes, ERROR};

/// A span that ended, with what metrics say of it.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) context: SpanContext,
    pub(crate) parent: Option<SpanContext>,
    pub(crate) kind: SpanKind,
    pub(crate) name: Cow<'static, str>,
    pub(crate) began: SystemTime,
    pub(crate) ended: SystemTime,
    pub(crate) attributes: Attributes,
    /// Why it failed, in a word.
    pub(crate) error: Option<Cow<'static, str>>,
    /// What came of an inference; none for other spans.
    pub(crate) inferred: Option<Inferred>,
}

/// What metrics say of an inference.
#[derive(Debug, Clone)]
pub(crate) struct Inferred {
    pub(crate) operation: &'static str,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) response_model: Option<String>,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// The times between the request, the first piece and each that came then.
    pub(crate) pieces: Vec<Duration>,
}

impl Span {
    pub(crate) fn duration(&self) -> Duration {
        self.ended.duration_since(self.began).unwrap_or_default()
    }

    /// The span as the SDK's processors and exporters take it.
    pub(crate) fn into_data(self, scope: &InstrumentationScope) -> SpanData {
        let attributes = self.attributes.with_some(ERROR, self.error.clone());
        SpanData {
            span_context: self.context,
            parent_span_id: self.parent.as_ref().map_or(SpanId::INVALID, SpanContext::span_id),
            parent_span_is_remote: self.parent.is_some_and(|parent| parent.is_remote()),
            span_kind: self.kind,
            name: self.name,
            start_time: self.began,
            end_time: self.ended,
            attributes: attributes.into_vec(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: self.error.map_or(Status::Unset, Status::error),
            instrumentation_scope: scope.clone(),
        }
    }
}

/// A time of the journal.
pub(super) fn time(at: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(at.0)
}

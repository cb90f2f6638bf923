//! What observes runs and hands on their spans and metrics.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use legwork_core::AgentState;
use legwork_port::{BoxFuture, Lifecycle, Observer, RunEvent, StepView, Trigger};
use opentelemetry::InstrumentationScope;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SpanProcessor;

use crate::metrics::Metrics;
use crate::origin;
use crate::spans::{Settings, Spans};

/// The release of the conventions that names follow.
const SCHEMA: &str = "https://opentelemetry.io/schemas/1.41.0";

/// Whether spans say what was said: tasks, answers, arguments and results of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// They do not.
    #[default]
    Off,
    /// They do, with what is secret masked as in the journal.
    On,
}

/// Spans and metrics were not delivered, or not in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("telemetry was not delivered: {reason}")]
pub struct Error {
    /// Why.
    pub reason: String,
}

/// Observes runs, and hands on their spans and metrics; clones share it.
///
/// Give it to an agent as an observer. As a lifecycle of the same agent it also notes the span
/// that the program is in when an execution begins, so that the execution belongs to that
/// trace, also when another process goes on with it.
#[derive(Clone)]
pub struct Telemetry(Arc<Inner>);

struct Inner {
    spans: Mutex<Spans>,
    scope: InstrumentationScope,
    processors: Vec<Box<dyn SpanProcessor>>,
    metrics: Option<Metrics>,
    meters: Option<SdkMeterProvider>,
    /// Why the last delivery failed, as far as the exporter says it.
    failure: Failure,
}

/// Why the last delivery failed; none after one that succeeded.
pub(crate) type Failure = Arc<Mutex<Option<String>>>;

/// Makes a [`Telemetry`] of processors and meters that the program has.
///
/// [`Otlp`](crate::Otlp) makes one that sends to a collector.
pub struct Builder {
    resource: Resource,
    content: Content,
    share: f64,
    processors: Vec<Box<dyn SpanProcessor>>,
    meters: Option<SdkMeterProvider>,
    failure: Failure,
}

impl Telemetry {
    /// Nothing is handed on yet.
    pub fn builder() -> Builder {
        Builder {
            resource: Resource::builder_empty().build(),
            content: Content::default(),
            share: 1.0,
            processors: Vec::new(),
            meters: None,
            failure: Failure::default(),
        }
    }

    /// Delivers what has ended.
    ///
    /// # Blocking
    /// It blocks the thread for `patience` at most.
    ///
    /// # Errors
    /// If something was not delivered within that time.
    pub fn flush(&self, patience: Duration) -> Result<(), Error> {
        self.deliver(patience, |inner| {
            let spans = inner.processors.iter().map(|one| one.force_flush());
            let meters = inner.meters.iter().map(SdkMeterProvider::force_flush);
            spans.chain(meters).filter_map(Result::err).fold(None, |_, error| Some(error))
        })
    }

    /// Delivers what has ended, and ends: nothing is handed on any more.
    ///
    /// Without it, the last seconds of telemetry may be lost.
    ///
    /// # Blocking
    /// It blocks the thread for `patience` at most.
    ///
    /// # Errors
    /// If something was not delivered within that time.
    pub fn shutdown(&self, patience: Duration) -> Result<(), Error> {
        self.deliver(patience, move |inner| {
            let spans = inner.processors.iter().map(|one| one.shutdown_with_timeout(patience));
            let meters = inner.meters.iter().map(|one| one.shutdown_with_timeout(patience));
            spans.chain(meters).filter_map(Result::err).fold(None, |_, error| Some(error))
        })
    }

    /// Delivers in a thread of its own: the SDK waits for some exporters as long as it likes.
    fn deliver(
        &self,
        patience: Duration,
        by: impl FnOnce(&Inner) -> Option<OTelSdkError> + Send + 'static,
    ) -> Result<(), Error> {
        let (inner, (done, is_done)) = (Arc::clone(&self.0), mpsc::channel());
        let work = move || {
            // It fails only if the caller no longer waits.
            let _ = done.send(by(&inner));
        };
        let thread = thread::Builder::new().name("legwork-otel".to_owned()).spawn(work);
        thread.map_err(|error| Error { reason: error.to_string() })?;
        let ended = is_done.recv_timeout(patience);
        let told = self.0.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (told, ended) {
            (Some(reason), _) => Err(Error { reason }),
            (None, Ok(Some(error))) => Err(Error { reason: error.to_string() }),
            (None, Ok(None)) => Ok(()),
            (None, Err(_)) => Err(Error { reason: format!("no answer came within {patience:?}") }),
        }
    }
}

impl Drop for Inner {
    /// Dropping it waits for no collector.
    fn drop(&mut self) {
        let left = (std::mem::take(&mut self.processors), self.meters.take());
        let thread = thread::Builder::new().name("legwork-otel".to_owned());
        // Without a thread they are dropped here.
        let _ = thread.spawn(move || drop(left));
    }
}

impl Observer for Telemetry {
    fn streams(&self) -> bool {
        false
    }

    fn observe(&self, event: &RunEvent) {
        let now = SystemTime::now();
        let ended = {
            let mut spans = self.0.spans.lock().unwrap_or_else(PoisonError::into_inner);
            spans.observe(event, now)
        };
        for span in ended {
            if let Some(metrics) = &self.0.metrics {
                metrics.record(&span);
            }
            if !span.context.is_sampled() {
                continue;
            }
            let data = span.into_data(&self.0.scope);
            let Some((last, others)) = self.0.processors.split_last() else { continue };
            others.iter().for_each(|one| one.on_end(data.clone()));
            last.on_end(data);
        }
    }
}

impl Lifecycle for Telemetry {
    fn listens(&self, trigger: Trigger) -> bool {
        trigger == Trigger::ExecutionStart
    }

    fn on_execution_start<'a>(
        &'a self,
        state: AgentState,
        _: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        let execution = state.execution().map_or(0, |execution| execution.id.0);
        let state = match origin::kept(execution) {
            Some(kept) => state.with_metadata(origin::METADATA, Some(kept)),
            None => state,
        };
        Box::pin(std::future::ready(state))
    }
}

impl Builder {
    /// What the spans are about, such as the name of the service.
    #[must_use]
    pub fn resource(self, resource: Resource) -> Self {
        Self { resource, ..self }
    }

    /// Whether spans say what was said; [`Content::Off`] by default.
    #[must_use]
    pub fn content(self, content: Content) -> Self {
        Self { content, ..self }
    }

    /// The share of traces that are sent, from 0 to 1, which is the default.
    ///
    /// It decides about those that begin here; others are sent as their caller decided. All
    /// processes decide alike about a trace.
    #[must_use]
    pub fn sample(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// Another processor that gets the spans, each when it has ended.
    #[must_use]
    pub fn processor(mut self, processor: impl SpanProcessor + 'static) -> Self {
        self.processors.push(Box::new(processor));
        self
    }

    /// What the metrics are recorded with.
    #[must_use]
    pub fn meters(self, meters: SdkMeterProvider) -> Self {
        Self { meters: Some(meters), ..self }
    }

    /// Where the exporters say why a delivery failed.
    #[cfg(feature = "otlp")]
    #[must_use]
    pub(crate) fn failure(self, failure: Failure) -> Self {
        Self { failure, ..self }
    }

    /// Observes from now on.
    pub fn build(self) -> Telemetry {
        let Self { resource, content, share, mut processors, meters, failure } = self;
        processors.iter_mut().for_each(|processor| processor.set_resource(&resource));
        let scope = InstrumentationScope::builder("legwork")
            .with_version(env!("CARGO_PKG_VERSION"))
            .with_schema_url(SCHEMA)
            .build();
        let meter = meters.as_ref().map(|meters| meters.meter_with_scope(scope.clone()));
        let spans = Mutex::new(Spans::new(Settings { content, share }));
        let metrics = meter.as_ref().map(Metrics::new);
        Telemetry(Arc::new(Inner { spans, scope, processors, metrics, meters, failure }))
    }
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry").field("processors", &self.0.processors).finish_non_exhaustive()
    }
}

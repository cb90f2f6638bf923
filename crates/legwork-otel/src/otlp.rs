//! Telemetry to a collector, over OTLP: protobuf over HTTP.

mod client;

use std::collections::HashMap;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, Protocol, SpanExporter, WithExportConfig as _,
    WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor};

use crate::telemetry::{Content, Failure, Telemetry};
use client::Client;

/// How long spans wait for others before they are sent.
const DELAY: Duration = Duration::from_secs(1);

/// How long metrics are added up before they are sent.
const INTERVAL: Duration = Duration::from_secs(30);

/// Why telemetry cannot be set up.
#[derive(Debug, thiserror::Error)]
#[error("telemetry to {endpoint} cannot be set up: {reason}")]
pub struct Unusable {
    /// The collector's address.
    pub endpoint: String,
    /// Why.
    pub reason: String,
}

/// Sends spans and metrics to a collector.
///
/// Threads of its own send them. A run never waits for the collector: what a collector that is
/// slow or gone does not take is dropped, and [`Telemetry::shutdown`] says so.
#[derive(Clone)]
pub struct Otlp {
    endpoint: String,
    headers: HashMap<String, String>,
    attributes: Vec<KeyValue>,
    timeout: Duration,
    content: Content,
    share: f64,
}

impl Otlp {
    /// To a collector at a base URL such as `http://127.0.0.1:4318`: spans go to `/v1/traces`
    /// below it, metrics to `/v1/metrics`.
    pub fn to(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            headers: HashMap::new(),
            attributes: Vec::new(),
            timeout: Duration::from_secs(10),
            content: Content::default(),
            share: 1.0,
        }
    }

    /// The name of the service; `legwork` by default.
    #[must_use]
    pub fn service(self, name: impl Into<String>) -> Self {
        self.attribute("service.name", name)
    }

    /// Another attribute of all that is sent, such as `deployment.environment.name`.
    #[must_use]
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.push(KeyValue::new(name.into(), value.into()));
        self
    }

    /// A header of each request, such as the collector's key.
    ///
    /// Those of the variable `OTEL_EXPORTER_OTLP_HEADERS` are sent, too: the exporter of
    /// OpenTelemetry reads it.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// How long a request may take; 10 s by default.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Whether spans say what was said; [`Content::Off`] by default.
    #[must_use]
    pub fn content(self, content: Content) -> Self {
        Self { content, ..self }
    }

    /// The share of traces that are sent; see [`Builder::sample`](crate::Builder::sample).
    #[must_use]
    pub fn sample(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// Begins to send.
    ///
    /// # Errors
    /// If the endpoint is no URL of HTTP, a header is none that HTTP has, or the system's
    /// certificates cannot be used.
    pub fn start(self) -> Result<Telemetry, Unusable> {
        let unusable = |reason: String| Unusable { endpoint: self.endpoint.clone(), reason };
        let base = self.endpoint.trim_end_matches('/');
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(unusable("it begins with neither http:// nor https://".to_owned()));
        }
        if let Some(name) = self.headers.iter().find_map(|(name, value)| wrong(name, value)) {
            return Err(unusable(format!("`{name}` is no header of HTTP, or its value is none")));
        }
        let failure = Failure::default();
        let client = Client::new(self.timeout, failure.clone());
        let client = client.map_err(|error| unusable(error.to_string()))?;
        let failed = |error: ExporterBuildError| unusable(error.to_string());
        let spans = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{base}/v1/traces"))
            .with_timeout(self.timeout)
            .with_headers(self.headers.clone())
            .with_http_client(client.clone())
            .build()
            .map_err(failed)?;
        let metrics = MetricExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{base}/v1/metrics"))
            .with_timeout(self.timeout)
            .with_headers(self.headers.clone())
            .with_http_client(client)
            .build()
            .map_err(failed)?;
        let resource = Resource::builder_empty()
            .with_service_name("legwork")
            .with_attributes(self.attributes.clone())
            .build();
        let batch = BatchConfigBuilder::default().with_scheduled_delay(DELAY).build();
        let processor = BatchSpanProcessor::builder(spans).with_batch_config(batch).build();
        let reader = PeriodicReader::builder(metrics).with_interval(INTERVAL).build();
        let meters =
            SdkMeterProvider::builder().with_reader(reader).with_resource(resource.clone()).build();
        Ok(Telemetry::builder()
            .resource(resource)
            .content(self.content)
            .sample(self.share)
            .processor(processor)
            .meters(meters)
            .failure(failure)
            .build())
    }
}

/// The name of a header that HTTP does not have, which the exporter would leave out.
fn wrong<'n>(name: &'n str, value: &str) -> Option<&'n str> {
    let is_header = HeaderName::try_from(name).is_ok() && HeaderValue::try_from(value).is_ok();
    (!is_header).then_some(name)
}

/// Values of headers may be keys.
impl std::fmt::Debug for Otlp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Otlp").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

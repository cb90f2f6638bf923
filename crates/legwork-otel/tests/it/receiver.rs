//! A receiver of OTLP over HTTP: it keeps what is posted to it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// What came so far.
#[derive(Default)]
struct Kept {
    traces: Vec<ExportTraceServiceRequest>,
    metrics: Vec<ExportMetricsServiceRequest>,
    headers: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) endpoint: String,
    kept: Arc<(Mutex<Kept>, Condvar)>,
}

impl Receiver {
    /// Listens on a free port; each request is answered with this status.
    pub(crate) fn answering(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let kept = Arc::<(Mutex<Kept>, Condvar)>::default();
        let receiver = Self { endpoint, kept: Arc::clone(&kept) };
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || serve(&connection, status, &kept));
            }
        });
        receiver
    }

    pub(crate) fn start() -> Self {
        Self::answering(200)
    }

    /// Waits until so many spans came.
    pub(crate) fn until(&self, spans: usize) {
        let (kept, changed) = &*self.kept;
        let came = |kept: &mut Kept| spans_of(kept).count() < spans;
        drop(changed.wait_while(kept.lock().unwrap(), came).unwrap());
    }

    /// The spans that came, in order.
    pub(crate) fn spans(&self) -> Vec<Span> {
        spans_of(&self.kept.0.lock().unwrap()).cloned().collect()
    }

    /// The metrics that came.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let kept = self.kept.0.lock().unwrap();
        let resources = kept.metrics.iter().flat_map(|request| &request.resource_metrics);
        let scopes = resources.flat_map(|resource| &resource.scope_metrics);
        scopes.flat_map(|scope| scope.metrics.clone()).collect()
    }

    /// The attributes of what the spans are about.
    pub(crate) fn resource(&self) -> BTreeMap<String, String> {
        let kept = self.kept.0.lock().unwrap();
        let resource = kept.traces[0].resource_spans[0].resource.clone().unwrap();
        resource.attributes.iter().map(|one| (one.key.clone(), text(one))).collect()
    }

    /// The lines of headers that came.
    pub(crate) fn headers(&self) -> Vec<String> {
        self.kept.0.lock().unwrap().headers.clone()
    }

    /// All that came, as text.
    pub(crate) fn all(&self) -> String {
        let kept = self.kept.0.lock().unwrap();
        format!("{:?} {:?}", kept.traces, kept.metrics)
    }
}

fn spans_of(kept: &Kept) -> impl Iterator<Item = &Span> {
    let resources = kept.traces.iter().flat_map(|request| &request.resource_spans);
    resources.flat_map(|resource| &resource.scope_spans).flat_map(|scope| &scope.spans)
}

/// Answers the requests of a connection until it ends.
fn serve(connection: &TcpStream, status: u16, kept: &(Mutex<Kept>, Condvar)) -> Option<()> {
    let (kept, changed) = kept;
    let mut reader = BufReader::new(connection);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let (mut headers, mut length) = (Vec::new(), 0);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            headers.push(header);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let mut kept = kept.lock().unwrap();
        kept.headers.extend(headers);
        match path.as_str() {
            "/v1/traces" => kept.traces.push(ExportTraceServiceRequest::decode(&*body).unwrap()),
            "/v1/metrics" => {
                kept.metrics.push(ExportMetricsServiceRequest::decode(&*body).unwrap());
            }
            other => unreachable!("nothing is posted to {other}"),
        }
        drop(kept);
        changed.notify_all();
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
        (&mut &*connection).write_all(answer.as_bytes()).ok()?;
    }
}

/// An attribute's value.
pub(crate) fn value(attributes: &[KeyValue], name: &str) -> Option<Value> {
    let found = attributes.iter().find(|one| one.key == name)?;
    found.value.clone()?.value
}

/// An attribute's value, as text; empty if it is missing.
pub(crate) fn attribute(span: &Span, name: &str) -> String {
    let found = span.attributes.iter().find(|one| one.key == name);
    found.map(text).unwrap_or_default()
}

/// A number of tokens.
pub(crate) fn count(span: &Span, name: &str) -> u64 {
    match value(&span.attributes, name) {
        Some(Value::IntValue(count)) => u64::try_from(count).unwrap(),
        None => 0,
        other => unreachable!("{name} is {other:?}"),
    }
}

fn text(attribute: &KeyValue) -> String {
    attribute.value.as_ref().map(shown).unwrap_or_default()
}

fn shown(value: &AnyValue) -> String {
    match value.value.as_ref().unwrap() {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        Value::DoubleValue(number) => number.to_string(),
        Value::BoolValue(is) => is.to_string(),
        Value::ArrayValue(all) => all.values.iter().map(shown).collect::<Vec<_>>().join(","),
        other => unreachable!("no attribute has a value such as {other:?}"),
    }
}

/// The points of a histogram: what each is about, and the sum.
pub(crate) fn points(metric: &Metric) -> Vec<(Vec<KeyValue>, f64)> {
    let Some(Data::Histogram(histogram)) = &metric.data else { unreachable!("{metric:?}") };
    let points = histogram.data_points.iter();
    points.map(|point| (point.attributes.clone(), point.sum.unwrap())).collect()
}

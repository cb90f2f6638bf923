//! A subscriber of `tracing` that keeps events as lines of text.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// Keeps the spans and events of the thread on which it was started.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    /// Each span as `name{field=value ..}`; its id is its position, counted from 1.
    spans: Vec<String>,
    /// Positions in `spans`, the innermost last.
    entered: Vec<usize>,
    /// The target of each event, and its line.
    events: Vec<(String, String)>,
}

impl Recorder {
    /// Records all of this thread until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        let recorder = Self::default();
        let guard = tracing::subscriber::set_default(recorder.clone());
        (recorder, guard)
    }

    /// The events of a crate, as `LEVEL span{field=value ..}: message field=value ..`.
    pub(crate) fn lines(&self, of: &str) -> Vec<String> {
        let recorded = self.0.lock().unwrap();
        let lines = recorded.events.iter().filter(|(target, _)| target.starts_with(of));
        lines.map(|(_, line)| line.clone()).collect()
    }

    /// All that was recorded, of every crate: names, fields and messages.
    pub(crate) fn everything(&self) -> String {
        let recorded = self.0.lock().unwrap();
        let events = recorded.events.iter().map(|(target, line)| format!("{target} {line}"));
        recorded.spans.iter().cloned().chain(events).collect::<Vec<_>>().join("\n")
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let mut recorded = self.0.lock().unwrap();
        recorded.spans.push(format!("{}{{{}}}", span.metadata().name(), fields.text()));
        Id::from_u64(recorded.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let mut recorded = self.0.lock().unwrap();
        write!(recorded.spans[position(span)], "{{{}}}", fields.text()).unwrap();
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut recorded = self.0.lock().unwrap();
        let span = recorded.entered.last().and_then(|at| recorded.spans.get(*at));
        let span = span.map_or(String::new(), |span| format!("{span}: "));
        let line = format!("{} {span}{}", event.metadata().level(), fields.text());
        recorded.events.push((event.metadata().target().to_owned(), line));
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(position(span));
    }

    fn exit(&self, span: &Id) {
        let mut recorded = self.0.lock().unwrap();
        let last = recorded.entered.iter().rposition(|at| *at == position(span));
        recorded.entered.remove(last.unwrap());
    }
}

fn position(span: &Id) -> usize {
    span.into_u64() as usize - 1
}

/// The fields of a span or event, in their order.
#[derive(Default)]
struct Fields(Vec<String>);

impl Fields {
    fn text(&self) -> String {
        self.0.join(" ")
    }

    fn push(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.0.insert(0, value),
            name => self.0.push(format!("{name}={value}")),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.push(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field, value.to_owned());
    }
}

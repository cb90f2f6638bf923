//! How much more of an answer fits its bounds.

use serde_json::{Map, Value};

use crate::bounds::{Bounds, Passed};

/// The weight of a part of an answer in addition to its text.
pub(crate) const PART: usize = 64;
/// The weight of a value in addition to its text.
const VALUE: usize = 32;
/// The weight of a field in addition to its name and value.
const FIELD: usize = 48;

/// The bounds of an answer, and how much of it was received.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) bounds: Bounds,
    received: usize,
    kept: usize,
    /// Bytes of a body that is read once it is whole.
    body: usize,
    /// Bytes of the event that came last, whole or not.
    event: usize,
    events: usize,
    calls: usize,
    passed: Option<Passed>,
}

impl Room {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, received: 0, kept: 0, body: 0, event: 0, events: 0, calls: 0, passed: None }
    }

    /// The first bound that was exceeded.
    pub(crate) fn passed(&self) -> Option<Passed> {
        self.passed
    }

    /// Ends the answer here; the first bound that was exceeded is reported.
    pub(crate) fn pass(&mut self, bound: Passed) {
        self.passed.get_or_insert(bound);
    }

    /// Counts received bytes.
    pub(crate) fn receive(&mut self, bytes: usize) {
        self.received = self.received.saturating_add(bytes);
        if self.received > self.bounds.received_bytes {
            self.pass(Passed::ReceivedBytes(self.bounds.received_bytes));
        }
    }

    /// Counts bytes that are kept; false if they do not fit.
    pub(crate) fn keep(&mut self, bytes: usize) -> bool {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > self.bounds.answer_bytes {
            self.pass(Passed::AnswerBytes(self.bounds.answer_bytes));
        }
        self.passed.is_none()
    }

    /// Counts an event of so many bytes; false if it does not fit.
    pub(crate) fn event(&mut self, bytes: usize) -> bool {
        self.events += 1;
        if self.events > self.bounds.events {
            self.pass(Passed::Events(self.bounds.events));
        }
        self.held(bytes);
        self.passed.is_none()
    }

    /// Checks how many bytes of an event, complete or not, are buffered.
    pub(crate) fn held(&mut self, bytes: usize) {
        self.event = bytes;
        if bytes > self.bounds.event_bytes {
            self.pass(Passed::EventBytes(self.bounds.event_bytes));
        }
    }

    /// Notes how many bytes of a body are held.
    pub(crate) fn holds_body(&mut self, bytes: usize) {
        self.body = bytes;
    }

    /// Bytes that came of the answer: what was taken of it, and what was not, where the model
    /// made it. White space, comments and the like are none.
    pub(crate) fn came(&self) -> usize {
        let open = match self.passed {
            // Nothing of the last event, or not all of it, was taken.
            Some(
                Passed::ReceivedBytes(_)
                | Passed::EventBytes(_)
                | Passed::Values(_)
                | Passed::Nesting(_)
                | Passed::Time(_),
            ) => self.event,
            _ => 0,
        };
        self.kept.saturating_add(open).max(self.body)
    }

    /// The number of another call, if it fits.
    pub(crate) fn call(&mut self) -> Option<usize> {
        if self.calls >= self.bounds.calls {
            self.pass(Passed::Calls(self.bounds.calls));
            return None;
        }
        self.calls += 1;
        Some(self.calls - 1)
    }
}

/// The weight of a value: its text, and a constant.
pub(crate) fn weight(value: &Value) -> usize {
    VALUE
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(weight).sum(),
            Value::Object(fields) => weight_of(fields),
        }
}

/// The weight of the fields of an object.
pub(crate) fn weight_of(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(key, value)| field(key, value)).sum()
}

/// The weight of a field.
pub(crate) fn field(key: &str, value: &Value) -> usize {
    FIELD + key.len() + weight(value)
}

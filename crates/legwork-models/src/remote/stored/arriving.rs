//! A response while it arrives, over one connection or several.

use std::time::Duration;

use legwork_port::Deltas;
use serde::Deserialize;
use serde_json::{Value, json};

use super::cancel::Cancelling;
use crate::answer::Reply;
use crate::remote::HttpModel;
use crate::remote::exchange::Reading;
use crate::sse;

/// A response while it arrives.
pub(super) struct Arriving<'a, 'd> {
    model: &'a HttpModel,
    pub(super) reply: Reply,
    deltas: &'d mut dyn Deltas,
    /// Reads the same events as the reply, for their numbers.
    parser: sse::Parser,
    response: Option<Known>,
    /// The number of the last event.
    pub(super) sequence: Option<u64>,
    /// How long it may take, all connections together.
    most: Duration,
}

/// A response of which the id is known.
struct Known {
    id: String,
    cancelling: Cancelling,
}

/// What an event says of the response, and of its own place.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Event {
    sequence_number: Option<u64>,
    response: Option<Named>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    id: Option<String>,
}

impl<'a, 'd> Arriving<'a, 'd> {
    pub(super) fn new(model: &'a HttpModel, reply: Reply, deltas: &'d mut dyn Deltas) -> Self {
        let (parser, most) = (sse::Parser::default(), model.timeouts.answer);
        Self { model, reply, deltas, parser, response: None, sequence: None, most }
    }

    /// The id of the response, once it is known.
    pub(super) fn id(&self) -> Option<&str> {
        self.response.as_ref().map(|known| known.id.as_str())
    }

    /// Notes the id: from now on the response is cancelled if it is waited for no longer.
    pub(super) fn note_id(&mut self, id: &str) {
        if self.response.is_none() && !id.is_empty() {
            let cancelling = Cancelling::of(self.model, id);
            self.response = Some(Known { id: id.to_owned(), cancelling });
        }
    }

    /// Notes that the server makes no more of it.
    pub(super) fn note_made(&mut self) {
        if let Some(known) = self.response.take() {
            known.cancelling.forget();
        }
    }

    /// Whether its stream ended before the response did.
    pub(super) fn is_lost(&self) -> bool {
        let goes_on = !self.reply.is_over() && !self.reply.is_done();
        self.reply.is_stream() && goes_on && self.response.is_some()
    }

    /// Begins to read another stream of it.
    pub(super) fn reconnect(&mut self) {
        self.reply.reconnect();
        self.parser = sse::Parser::default();
    }

    /// Reads the rest of a response that is there as a whole.
    pub(super) fn catch_up(&mut self, response: &Value) {
        self.reconnect();
        let items = response.get("output").and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            self.event(&json!({"type": "response.output_item.done", "output_index": index,
                "item": item}));
        }
        self.event(&json!({"type": "response.completed", "response": response}));
    }

    fn event(&mut self, event: &Value) {
        self.reply.push(format!("data: {event}\n\n").as_bytes(), self.deltas);
    }

    fn note(&mut self, mut bytes: &[u8]) {
        let (mut sequence, mut named) = (self.sequence, None);
        while let Some(item) = self.parser.next(&mut bytes) {
            let sse::Item::Event(event) = item else { continue };
            let event = serde_json::from_slice::<Event>(event.bytes()).unwrap_or_default();
            sequence = event.sequence_number.or(sequence);
            named = event.response.and_then(|response| response.id).or(named);
        }
        self.sequence = sequence;
        self.note_id(&named.unwrap_or_default());
    }
}

impl Reading for Arriving<'_, '_> {
    fn push(&mut self, bytes: &[u8]) {
        if self.reply.is_stream() {
            self.note(bytes);
        }
        self.reply.push(bytes, self.deltas);
        if self.reply.is_done() {
            self.note_made();
        }
    }

    fn is_over(&self) -> bool {
        self.reply.is_over()
    }

    fn is_done(&self) -> bool {
        self.reply.is_done()
    }

    fn take_moved(&mut self) -> bool {
        self.reply.take_moved()
    }

    fn took_too_long(&mut self, _: Duration) {
        self.reply.took_too_long(self.most);
    }
}

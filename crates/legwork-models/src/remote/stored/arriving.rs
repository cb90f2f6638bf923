//! A response while it arrives, over one connection or several.

use std::time::Duration;

use legwork_port::Deltas;
use serde::Deserialize;
use serde_json::{Value, json};

use super::cancel::Cancelling;
use super::numbers::Numbers;
use crate::answer::Reply;
use crate::remote::HttpModel;
use crate::remote::exchange::Reading;

/// A response while it arrives.
pub(super) struct Arriving<'a, 'd> {
    model: &'a HttpModel,
    pub(super) reply: Reply,
    deltas: &'d mut dyn Deltas,
    response: Option<Known>,
    /// Whether its id came in an event.
    is_named: bool,
    pub(super) numbers: Numbers,
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
        let most = model.timeouts.answer;
        let numbers = Numbers::default();
        Self { model, reply, deltas, response: None, is_named: false, numbers, most }
    }

    /// The id of the response, while it is known and the server makes it.
    pub(super) fn id(&self) -> Option<&str> {
        self.response.as_ref().map(|known| known.id.as_str())
    }

    /// Notes that the server makes no more of it.
    pub(super) fn note_made(&mut self) {
        if let Some(known) = self.response.take() {
            known.cancelling.forget();
        }
    }

    /// Whether the server named the response that it makes, or made.
    pub(super) fn is_named(&self) -> bool {
        let named = || serde_json::from_slice::<Named>(self.reply.whole()).unwrap_or_default();
        self.is_named || named().id.is_some()
    }

    /// Whether its stream ended before the response did.
    pub(super) fn is_lost(&self) -> bool {
        let goes_on = !self.reply.is_over() && !self.reply.is_done();
        self.reply.is_stream() && goes_on && self.response.is_some()
    }

    /// Begins to read another stream of it.
    pub(super) fn reconnect(&mut self) {
        self.reply.reconnect();
        self.numbers.resume();
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
}

impl Reading for Arriving<'_, '_> {
    fn push(&mut self, bytes: &[u8]) {
        let Self { model, reply, deltas, response, is_named, numbers, .. } = self;
        reply.push_wanted(bytes, &mut **deltas, |event| {
            let event = serde_json::from_slice::<Event>(event).unwrap_or_default();
            let id = event.response.and_then(|named| named.id).filter(|id| !id.is_empty());
            // From now on the response is cancelled if it is waited for no longer.
            if let (Some(id), false) = (id, *is_named) {
                *is_named = true;
                *response = Some(Known { cancelling: Cancelling::of(model, &id), id });
            }
            numbers.is_next(event.sequence_number)
        });
        if self.reply.is_done() {
            self.note_made();
        }
    }

    fn is_over(&self) -> bool {
        self.reply.is_over() || self.numbers.is_missing_some()
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

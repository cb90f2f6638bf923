//! A stream that is read over several connections.

use legwork_port::Deltas;

use super::{Body, Reply};
use crate::sse;

impl Reply {
    /// Whether it comes as a stream of events in text.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.body, Body::Events { .. })
    }

    /// Goes on with the stream of another connection: an event that did not end is dropped.
    pub(crate) fn reconnect(&mut self) {
        if let Body::Events { parser } = &mut self.body {
            **parser = sse::Parser::default();
        }
    }

    /// Reads more bytes, of a stream only those events that are wanted.
    pub(crate) fn push_wanted(
        &mut self,
        bytes: &[u8],
        on: &mut dyn Deltas,
        wanted: impl FnMut(&[u8]) -> bool,
    ) {
        if !self.is_stream() || self.assembly.is_over() {
            return self.push(bytes, on);
        }
        self.assembly.room.receive(bytes.len());
        self.push_events(bytes, on, wanted);
    }

    /// The bytes of an answer in one piece, as far as they came.
    pub(crate) fn whole(&self) -> &[u8] {
        match &self.body {
            Body::Whole { bytes } => bytes,
            _ => &[],
        }
    }
}

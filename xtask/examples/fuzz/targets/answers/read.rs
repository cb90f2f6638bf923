//! One answer, read in pieces, with all that was shown of it.

use std::ops::ControlFlow;

use fastrand::Rng;
use legwork_core::Response;
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, Bounds};
use legwork_port::Delta;

/// The content type of frames.
const FRAMES: &str = "application/vnd.amazon.eventstream";

/// Bounds that many inputs exceed.
const NARROW: Bounds = Bounds {
    received_bytes: 1 << 20,
    answer_bytes: 16 << 10,
    event_bytes: 8 << 10,
    events: 1_000,
    calls: 32,
    values: 500,
    nesting: 40,
    tokens: 1_000_000,
};

/// Bounds that few inputs exceed.
const WIDE: Bounds = Bounds {
    received_bytes: 4 << 20,
    answer_bytes: 512 << 10,
    event_bytes: 2 << 20,
    events: 100_000,
    calls: 256,
    values: 10_000,
    nesting: 127,
    tokens: 100_000_000,
};

/// How an answer is read.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) api: Api,
    pub(super) bounds: Bounds,
    pub(super) kind: &'static str,
    pub(super) status: u16,
    pub(super) ended: Ended,
    /// The receiver of deltas stops it after so many.
    pub(super) stop: Option<usize>,
}

impl Way {
    /// By what an input looks like, and rarely otherwise.
    pub(super) fn of(api: Api, input: &[u8], random: &mut Rng) -> Self {
        // Lines for Bedrock are put into frames.
        let is_body = match api {
            Api::Converse => !input.contains(&b'\n'),
            _ => input.trim_ascii_start().starts_with(b"{"),
        };
        let is_body = is_body ^ (random.u8(..16) == 0);
        Self {
            bounds: if random.bool() { NARROW } else { WIDE },
            status: if random.u8(..32) == 0 { 500 } else { 200 },
            ended: if random.bool() { Ended::Whole } else { Ended::Cut },
            stop: (random.u8(..16) == 0).then(|| random.usize(1..20)),
            ..Self::usual(api, !is_body)
        }
    }

    /// As an answer that nothing disturbs is read.
    pub(super) fn usual(api: Api, is_stream: bool) -> Self {
        let kind = match (is_stream, api) {
            (false, _) => "application/json",
            (true, Api::Converse) => FRAMES,
            (true, _) => "text/event-stream",
        };
        let (bounds, ended) = (WIDE, Ended::Whole);
        Self { api, bounds, kind, status: 200, ended, stop: None }
    }

    pub(super) fn is_framed(&self) -> bool {
        self.kind == FRAMES
    }

    pub(super) fn is_stream(&self) -> bool {
        self.kind != "application/json" && self.status == 200
    }

    /// Bytes of memory that an answer of a length may take while it is read, all that was shown
    /// of it included.
    pub(super) fn memory(&self, length: usize) -> usize {
        let built = 700 * self.bounds.values.min(length / 2);
        let kept = 16 * self.bounds.answer_bytes.min(length);
        (64 << 10) + 6 * length + built + kept
    }
}

/// What came of an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) result: Result<Response, Unreadable>,
    pub(super) shown: Shown,
}

impl Answer {
    /// Whether a bound was exceeded.
    pub(super) fn is_over_bound(&self) -> bool {
        self.result.as_ref().is_ok_and(|response| response.bound.is_some())
    }
}

/// All deltas, by what they are of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) thinking: String,
    /// The name and the arguments of each call.
    pub(super) calls: Vec<(String, String)>,
    pub(super) deltas: usize,
}

impl Shown {
    fn add(&mut self, delta: &Delta<'_>) {
        self.deltas += 1;
        match *delta {
            Delta::Text(text) => self.text.push_str(text),
            Delta::Thinking(text) => self.thinking.push_str(text),
            Delta::ToolCall { index, name } => {
                if let Some((known, _)) = self.call(index) {
                    assert!(known.is_empty(), "call {index} has two names");
                    name.clone_into(known);
                }
            }
            Delta::Arguments { index, json } => {
                if let Some((_, arguments)) = self.call(index) {
                    arguments.push_str(json);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, index: usize) -> Option<&mut (String, String)> {
        assert!(index <= self.calls.len() + WIDE.calls, "call {index} is none of them");
        if index >= self.calls.len() {
            self.calls.resize(index + 1, Default::default());
        }
        self.calls.get_mut(index)
    }

    fn length(&self) -> usize {
        let calls = self.calls.iter().map(|(_, arguments)| arguments.len());
        self.text.len() + self.thinking.len() + calls.sum::<usize>()
    }
}

/// Reads an answer that comes in pieces.
pub(super) fn read(way: &Way, pieces: &[&[u8]]) -> Answer {
    let kind = Some(way.kind);
    let reply = Reply::within(way.bounds, way.api, way.status, kind, Streaming::Yes);
    let mut reply = reply.from_provider(super::again::provider(way.api));
    let mut shown = Shown::default();
    for piece in pieces {
        // As a connection is dropped of whose bytes no more are needed.
        if reply.is_over() {
            break;
        }
        reply.push(piece, &mut |delta: Delta<'_>| {
            assert!(
                way.stop.is_none_or(|stop| shown.deltas < stop),
                "more is shown after the stop"
            );
            shown.add(&delta);
            match way.stop == Some(shown.deltas) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    }
    let length = shown.length();
    assert!(length <= way.bounds.answer_bytes, "{length} bytes were shown");
    let begun = reply.has_content();
    let result = reply.finish(way.ended);
    assert!(!begun || result.is_ok(), "what came is lost: {result:?}");
    Answer { result, shown }
}

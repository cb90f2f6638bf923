//! One HTTP answer, read as its bytes come in; no IO of its own.
//!
//! Live traffic and recordings take the same way through here.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::Response;
use legwork_port::{Delta, Deltas};
use serde::de::IgnoredAny;

use super::assembly::{Assembly, Ended, Form};
use super::decode;
use super::error::{self, ApiError, excerpt};
#[cfg(feature = "bedrock")]
use super::frames;
use super::repeated::Repeated;
use crate::Api;
use crate::bounds::{Bounds, Passed};
use crate::sse;
use crate::wire::{Framing, Wire};

#[cfg(feature = "responses")]
mod resumed;

/// Why an answer gives no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The provider answered with an error.
    #[error("the provider refused: {0}")]
    Api(ApiError),
    /// The answer ended before there was anything of a message in it.
    #[error("the answer ended before it began")]
    Nothing,
    /// The body or a chunk is not JSON.
    #[error("the answer is not JSON ({problem}): {excerpt}")]
    NoJson {
        /// What the JSON parser says.
        problem: String,
        /// The beginning of what came.
        excerpt: String,
    },
    /// It is an answer, but of another API.
    #[error("not an answer of {}: {excerpt}", api.title())]
    OtherWire {
        /// The API whose answer was expected.
        api: Api,
        /// The beginning of what came.
        excerpt: String,
    },
}

/// An answer that is being read.
#[derive(Debug)]
pub struct Reply {
    api: Api,
    body: Body,
    /// In a box, for what waits for an answer holds this, too, and is to stay small.
    assembly: Box<Assembly>,
    /// The error of the first chunk that is not JSON; nothing after it is read.
    broken: Option<Unreadable>,
    /// The beginning of what came, to be shown if it cannot be read.
    head: Vec<u8>,
    /// Whether a part of an answer came since this was last asked.
    moved: bool,
}

#[derive(Debug)]
enum Body {
    /// In a box, for a reply is moved before it is read.
    Events {
        parser: Box<sse::Parser>,
    },
    #[cfg(feature = "bedrock")]
    Frames {
        parser: Box<frames::Parser>,
    },
    Whole {
        bytes: Vec<u8>,
    },
    /// With the name that a header gives the error.
    Failed {
        status: u16,
        name: Option<String>,
        bytes: Vec<u8>,
    },
}

impl Reply {
    /// Begins to read an answer by its status and content type.
    ///
    /// A server that streams although it was not asked to, or does not although
    /// it was, is understood; `asked` decides only where it says nothing.
    pub fn new(api: Api, status: u16, content_type: Option<&str>, asked: Streaming) -> Self {
        Self::within(Bounds::default(), api, status, content_type, asked)
    }

    /// A reply of which no more is read than these bounds allow.
    pub fn within(
        bounds: Bounds,
        api: Api,
        status: u16,
        content_type: Option<&str>,
        asked: Streaming,
    ) -> Self {
        let (body, form) = match (status, framing(api, content_type, asked)) {
            (200..=299, Some(framing)) => (Body::events(framing), Form::Chunks),
            (200..=299, None) => (Body::Whole { bytes: Vec::new() }, Form::Body),
            _ => (Body::Failed { status, name: None, bytes: Vec::new() }, Form::Body),
        };
        let assembly = Box::new(Assembly::new(form, bounds));
        Self { api, body, assembly, broken: None, head: Vec::new(), moved: false }
    }

    /// The same from a provider: what it attaches to parts is marked as its own.
    #[must_use]
    pub fn from_provider(mut self, provider: impl Into<Arc<str>>) -> Self {
        self.assembly.provider = provider.into();
        self
    }

    /// The same after other answers of a model, which may have repeated the same fields.
    #[must_use]
    pub(crate) fn after(mut self, repeated: &Arc<Repeated>) -> Self {
        self.assembly.repeated = Some(Arc::clone(repeated));
        self
    }

    /// The same with the name that a header gives the error, if the answer is one.
    #[must_use]
    pub(crate) fn with_error_name(mut self, named: Option<&str>) -> Self {
        if let Body::Failed { name, .. } = &mut self.body {
            *name = named.map(str::to_owned);
        }
        self
    }

    /// Reads more bytes, and emits the deltas that they add.
    pub fn push(&mut self, bytes: &[u8], on: &mut dyn Deltas) {
        self.assembly.room.receive(bytes.len());
        match &mut self.body {
            Body::Failed { bytes: all, .. } => {
                all.extend(bytes.iter().take(error::BODY.saturating_sub(all.len())));
            }
            // The rest is not needed.
            _ if self.assembly.is_over() => {}
            Body::Whole { bytes: all } => {
                let room = &mut self.assembly.room;
                // Some servers send white space as a keep-alive.
                let new = if all.is_empty() { bytes.trim_ascii_start() } else { bytes };
                if all.len() + new.len() > room.bounds.answer_bytes {
                    room.holds_body(all.len() + new.len());
                    return room.pass(Passed::AnswerBytes(room.bounds.answer_bytes));
                }
                self.moved |= !new.is_empty();
                all.extend_from_slice(new);
                room.holds_body(all.len());
            }
            Body::Events { .. } => self.push_events(bytes, on, |_| true),
            #[cfg(feature = "bedrock")]
            Body::Frames { .. } => self.push_frames(bytes, on),
        }
    }

    #[cfg(feature = "bedrock")]
    fn push_frames(&mut self, bytes: &[u8], on: &mut dyn Deltas) {
        let Body::Frames { parser } = &mut self.body else { return };
        let wire = self.api.wire();
        if !self.assembly.recognised {
            self.head.extend(bytes.iter().take(HEAD.saturating_sub(self.head.len())));
        }
        parser.push(bytes);
        while let Some(frame) = parser.next() {
            let assembly = &mut self.assembly;
            let is_ended = assembly.done || assembly.error.is_some() || assembly.is_over();
            if is_ended || self.broken.is_some() {
                return;
            }
            if !assembly.room.event(frame.payload.len()) {
                return;
            }
            self.moved = true;
            match frame.error(&assembly.room.bounds) {
                Some(error) => assembly.error = Some(error),
                None => self.broken = read_chunk(wire, frame.payload, assembly, on).err(),
            }
        }
        self.assembly.room.held(parser.held());
    }

    fn push_events(
        &mut self,
        mut bytes: &[u8],
        on: &mut dyn Deltas,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) {
        let Body::Events { parser } = &mut self.body else { return };
        let wire = self.api.wire();
        if !self.assembly.recognised {
            self.head.extend(bytes.iter().take(HEAD.saturating_sub(self.head.len())));
        }
        while let Some(item) = parser.next(&mut bytes) {
            let sse::Item::Event(event) = item else { continue };
            // As if each event came by itself: nothing is read after an error.
            let is_ended = self.assembly.done || self.assembly.error.is_some();
            if is_ended || self.broken.is_some() || self.assembly.is_over() {
                return;
            }
            if !self.assembly.room.event(event.bytes().len()) {
                return;
            }
            match event.bytes().trim_ascii() {
                b"" => {}
                unwanted if !wanted(unwanted) => {}
                b"[DONE]" => self.assembly.done = true,
                json => {
                    self.moved = true;
                    self.broken = read_event(wire, &event, json, &mut self.assembly, on).err();
                }
            }
        }
        if !self.assembly.is_over() {
            self.assembly.room.held(parser.held());
        }
    }

    /// Whether content arrived since the last call; white space and comments are not content.
    pub(crate) fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Ends it because it took too long.
    pub(crate) fn took_too_long(&mut self, most: Duration) {
        self.assembly.room.pass(Passed::Time(most));
    }

    /// Whether the server said that it is done; only its end of body may follow.
    pub fn is_done(&self) -> bool {
        self.assembly.form == Form::Chunks && self.assembly.done
    }

    /// Whether what follows is of no use, so that the connection may be dropped.
    pub fn is_over(&self) -> bool {
        let enough = match &self.body {
            Body::Failed { bytes, .. } => bytes.len() >= error::BODY,
            #[cfg(feature = "bedrock")]
            Body::Frames { parser } => parser.is_broken() || self.assembly.is_over(),
            _ => self.assembly.is_over(),
        };
        enough || self.broken.is_some() || self.assembly.error.is_some()
    }

    /// Whether anything of a message came, and so may have been shown.
    pub fn has_content(&self) -> bool {
        self.assembly.has_content()
    }

    /// The response, once the bytes have ended.
    ///
    /// # Errors
    /// When the provider answered with an error, or with something that is not a response. An
    /// answer that broke off inside its message is a response, marked incomplete; one that ended
    /// with an error has that in its field `error`, too.
    pub fn finish(mut self, ended: Ended) -> Result<Response, Unreadable> {
        match std::mem::replace(&mut self.body, Body::Whole { bytes: Vec::new() }) {
            Body::Failed { status, name, bytes } => {
                let error = ApiError::from_body(status, &bytes);
                Err(Unreadable::Api(error.with_exception(name.as_deref())))
            }
            #[cfg(feature = "bedrock")]
            Body::Frames { parser } => {
                // What does not begin as frames do is of another server, which is to be shown.
                let is_text = frames::are_text(&self.head);
                if !is_text {
                    self.head.clear();
                }
                let broken = (parser.is_broken() && !is_text) || self.broken.is_some();
                self.assembled(if broken { Ended::Cut } else { ended })
            }
            Body::Whole { .. } if self.assembly.is_over() => Ok(self.assembly.finish(ended)),
            Body::Whole { .. } if ended == Ended::Cut => Err(Unreadable::Nothing),
            Body::Whole { bytes } => {
                chunk(self.api.wire(), &bytes, &mut self.assembly, &mut ignore)?;
                self.head = bytes;
                self.assembled(Ended::Whole)
            }
            Body::Events { mut parser } => {
                self.last_event(&mut parser);
                let broken = self.broken.is_some();
                self.assembled(if broken { Ended::Cut } else { ended })
            }
        }
    }

    /// Some servers end without the blank line behind their last event.
    fn last_event(&mut self, parser: &mut sse::Parser) {
        let mut blank: &[u8] = b"\n\n";
        while let Some(item) = parser.next(&mut blank) {
            let sse::Item::Event(event) = item else { continue };
            let json = event.bytes().trim_ascii();
            let whole = serde_json::from_slice::<IgnoredAny>(json).is_ok();
            let is_ended = self.assembly.done || self.assembly.error.is_some();
            if !is_ended && !self.assembly.is_over() && self.broken.is_none() && whole {
                let wire = self.api.wire();
                self.broken = read_event(wire, &event, json, &mut self.assembly, &mut ignore).err();
            }
        }
    }

    fn assembled(mut self, ended: Ended) -> Result<Response, Unreadable> {
        if let Some(error) = self.assembly.error.take() {
            return match self.assembly.has_content() {
                true => Ok(self.assembly.failed(&error)),
                false => Err(Unreadable::Api(error)),
            };
        }
        if self.assembly.room.passed().is_some() {
            return Ok(self.assembly.finish(ended));
        }
        if self.assembly.has_content() || (self.assembly.recognised && ended == Ended::Whole) {
            return Ok(self.assembly.finish(ended));
        }
        if let Some(broken) = self.broken {
            return Err(broken);
        }
        if ended == Ended::Cut || self.head.is_empty() {
            return Err(Unreadable::Nothing);
        }
        Err(Unreadable::OtherWire { api: self.api, excerpt: excerpt(&self.head) })
    }
}

impl Body {
    fn events(framing: Framing) -> Self {
        match framing {
            Framing::Text => Self::Events { parser: Box::default() },
            #[cfg(feature = "bedrock")]
            Framing::Binary => Self::Frames { parser: Box::default() },
        }
    }
}

/// How the events of an answer come, if it is a stream.
fn framing(api: Api, content_type: Option<&str>, asked: Streaming) -> Option<Framing> {
    let says = |kind: &str| content_type.is_some_and(|said| mentions(said, kind));
    #[cfg(feature = "bedrock")]
    if says("vnd.amazon.eventstream") {
        return Some(Framing::Binary);
    }
    match asked {
        _ if says("event-stream") => Some(Framing::Text),
        Streaming::Yes if !says("json") => Some(api.wire().framing()),
        _ => None,
    }
}

/// Whether a text has a word in it, in whatever case.
fn mentions(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Bytes of an unknown answer that are kept to show them.
const HEAD: usize = 1_000;

/// Whether a stream was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// The answer was asked for as a stream of events.
    Yes,
    /// The answer was asked for as one JSON body.
    No,
}

/// Reads an event; one that calls itself an error is one, whatever its shape.
fn read_event(
    wire: &dyn Wire,
    event: &sse::Event<'_>,
    json: &[u8],
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), Unreadable> {
    read_chunk(wire, json, into, on)?;
    let is_error = event.name().is_some_and(|name| name == "error");
    if is_error && into.error.is_none() {
        let value = decode::value(json, &into.room.bounds).unwrap_or_default();
        into.error = Some(ApiError::from_event(&value));
    }
    Ok(())
}

/// Reads a chunk; one that is broken does not end an answer.
fn read_chunk(
    wire: &dyn Wire,
    json: &[u8],
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), Unreadable> {
    let ended = into.has_finish();
    chunk(wire, json, into, on).inspect_err(|_| {
        if !ended {
            into.forget_finish();
        }
    })
}

fn chunk(
    wire: &dyn Wire,
    json: &[u8],
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), Unreadable> {
    decode::read(wire, json, into, on)
        .map_err(|error| Unreadable::NoJson { problem: error.to_string(), excerpt: excerpt(json) })
}

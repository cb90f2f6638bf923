//! An answer while it comes in, and the response that becomes of it.

use std::collections::BTreeSet;

use legwork_core::CallId;
use legwork_core::inference::{FinishReason, Incomplete, Response};
use legwork_core::message::{Message, Part, Thinking};
use legwork_port::{Delta, Deltas};
use serde_json::{Map, Value};

use super::call::{Draft as Call, Piece};
use super::error::ApiError;
use super::{remainder, usage};

/// Whether an answer comes in chunks or as one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Chunks,
    Body,
}

/// How the bytes of an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As the server meant it.
    Whole,
    /// The connection was lost, stalled, or brought what nobody can read.
    Cut,
}

/// Everything that was told so far.
#[derive(Debug)]
pub(super) struct Assembly {
    form: Form,
    drafts: Vec<Draft>,
    stopped: bool,
    finish: Option<FinishReason>,
    pub(super) id: String,
    pub(super) usage: usage::Reading,
    pub(super) top: Map<String, Value>,
    pub(super) choice: Map<String, Value>,
    pub(super) message: Map<String, Value>,
    pub(super) error: Option<ApiError>,
    /// A chunk was read: its constant fields need not be read again.
    pub(super) begun: bool,
    /// There were choices: this is the wire that it should be.
    pub(super) recognised: bool,
}

#[derive(Debug)]
enum Draft {
    Text(String),
    Thinking(String),
    Refusal(String),
    Other(Value),
    Call(Call),
}

impl Assembly {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            drafts: Vec::new(),
            stopped: false,
            finish: None,
            id: String::new(),
            usage: usage::Reading::default(),
            top: Map::new(),
            choice: Map::new(),
            message: Map::new(),
            error: None,
            begun: false,
            recognised: false,
        }
    }

    /// Whether anything of a message came.
    pub(super) fn has_content(&self) -> bool {
        !self.drafts.is_empty()
    }

    /// Whether the deltas' taker wants no more of it.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn tell(&mut self, delta: Delta<'_>, on: &mut dyn Deltas) {
        self.stopped = self.stopped || on.delta(delta).is_break();
    }

    pub(super) fn text(&mut self, text: &str, on: &mut dyn Deltas) {
        if text.is_empty() || self.stopped {
            return;
        }
        self.tell(Delta::Text(text), on);
        match self.drafts.last_mut() {
            Some(Draft::Text(open)) => open.push_str(text),
            _ => self.drafts.push(Draft::Text(text.to_owned())),
        }
    }

    pub(super) fn thinking(&mut self, text: &str, on: &mut dyn Deltas) {
        if text.is_empty() || self.stopped {
            return;
        }
        self.tell(Delta::Thinking(text), on);
        match self.drafts.last_mut() {
            Some(Draft::Thinking(open)) => open.push_str(text),
            _ => self.drafts.push(Draft::Thinking(text.to_owned())),
        }
    }

    /// A refusal is told as text: whoever watches wants to read it.
    pub(super) fn refusal(&mut self, text: &str, on: &mut dyn Deltas) {
        if text.is_empty() || self.stopped {
            return;
        }
        self.tell(Delta::Text(text), on);
        match self.drafts.last_mut() {
            Some(Draft::Refusal(open)) => open.push_str(text),
            _ => self.drafts.push(Draft::Refusal(text.to_owned())),
        }
    }

    pub(super) fn other(&mut self, value: Value) {
        self.drafts.push(Draft::Other(value));
    }

    pub(super) fn call(&mut self, piece: Piece<'_>, on: &mut dyn Deltas) {
        if self.stopped {
            return;
        }
        let found = match self.form {
            Form::Chunks => self.find_call(&piece),
            Form::Body => None,
        };
        let at = found.unwrap_or(self.drafts.len());
        if found.is_none() {
            self.drafts.push(Draft::Call(Call::default()));
        }
        let index = self.calls_before(at);
        let Some(Draft::Call(call)) = self.drafts.get_mut(at) else { return };
        let (begun, json) = call.push(piece);
        let mut stopped =
            begun.is_some_and(|name| on.delta(Delta::ToolCall { index, name }).is_break());
        if !stopped && !json.is_empty() {
            stopped = on.delta(Delta::Arguments { index, json }).is_break();
        }
        self.stopped = stopped;
    }

    fn find_call(&self, piece: &Piece<'_>) -> Option<usize> {
        let calls = self.drafts.iter().enumerate().rev().filter_map(|(at, draft)| match draft {
            Draft::Call(call) => Some((at, call)),
            _ => None,
        });
        let mut is_last = true;
        for (at, call) in calls {
            if call.goes_on_with(piece, is_last) {
                return Some(at);
            }
            is_last = false;
        }
        None
    }

    fn calls_before(&self, at: usize) -> usize {
        self.drafts.iter().take(at).filter(|draft| matches!(draft, Draft::Call(_))).count()
    }

    pub(super) fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// The end that a broken chunk told is none.
    pub(super) fn forget_finish(&mut self) {
        self.finish = None;
    }

    pub(super) fn finish_reason(&mut self, text: &str) {
        if !text.is_empty() {
            self.finish = Some(finish_reason(text));
        }
    }

    /// The response; what is missing from it makes it incomplete.
    pub(super) fn finish(mut self, ended: Ended) -> Response {
        let incomplete = self.incomplete(ended);
        let finish = self.finish.take().unwrap_or_else(|| FinishReason::from("missing"));
        let raw = self.raw();
        if self.form == Form::Body {
            self.drafts.sort_by_key(Draft::place_in_body);
        }
        let (mut taken, id) = (BTreeSet::new(), self.id);
        let parts = self.drafts.into_iter().map(|draft| draft.part(&mut taken, &id)).collect();
        let mut response = Response::new(Message::assistant(parts), finish);
        response.usage = self.usage.usage();
        response.incomplete = incomplete;
        response.raw = raw;
        response
    }

    fn incomplete(&self, ended: Ended) -> Option<Incomplete> {
        if self.stopped {
            return Some(Incomplete::OverReserve);
        }
        match (&self.finish, ended, self.form) {
            (None, Ended::Cut, _) => Some(Incomplete::Cut),
            (None, Ended::Whole, Form::Chunks) => Some(Incomplete::NoEnd),
            (Some(FinishReason::Length), ..) if self.has_cut_call() => {
                Some(Incomplete::LengthInCall)
            }
            (Some(FinishReason::ContentFilter), ..) if self.has_cut_call() => {
                Some(Incomplete::from("filter_in_call"))
            }
            _ => None,
        }
    }

    fn has_cut_call(&self) -> bool {
        let cut = |draft: &Draft| matches!(draft, Draft::Call(call) if !call.has_whole_arguments());
        self.drafts.iter().any(cut)
    }

    fn raw(&mut self) -> Map<String, Value> {
        let mut raw = std::mem::take(&mut self.top);
        if !self.id.is_empty() {
            remainder::merge(&mut raw, "id", Value::from(self.id.as_str()));
        }
        let inner = [
            ("usage", std::mem::take(&mut self.usage.rest)),
            ("choice", std::mem::take(&mut self.choice)),
            ("message", std::mem::take(&mut self.message)),
        ];
        for (key, fields) in inner {
            remainder::merge_map(&mut raw, key, fields);
        }
        raw
    }
}

impl Draft {
    /// A body's fields come in any order; its parts are told in this one.
    fn place_in_body(&self) -> u8 {
        match self {
            Self::Thinking(_) => 0,
            Self::Text(_) | Self::Refusal(_) | Self::Other(_) => 1,
            Self::Call(_) => 2,
        }
    }

    fn part(self, taken: &mut BTreeSet<CallId>, response: &str) -> Part {
        match self {
            Self::Text(text) => Part::Text(text),
            Self::Thinking(text) => Part::Thinking(Thinking { text, ..Thinking::default() }),
            Self::Refusal(text) => Part::Refusal(text),
            Self::Other(value) => Part::Other(value),
            Self::Call(call) => Part::ToolCall(call.finish(taken, response)),
        }
    }
}

/// The reason in our words, whichever of its names a provider uses.
fn finish_reason(text: &str) -> FinishReason {
    match text {
        "function_call" => FinishReason::ToolCalls,
        "eos" | "eos_token" | "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_length" => FinishReason::Length,
        other => FinishReason::from(other),
    }
}

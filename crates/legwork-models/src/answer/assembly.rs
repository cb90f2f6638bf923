//! An answer while it comes in.

mod calls;
mod draft;
mod fields;
mod finished;
mod response;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::inference::FinishReason;
use legwork_port::{Delta, Deltas};
use serde_json::Value;

use draft::Draft;
pub(crate) use draft::Words;
use finished::Finished;

use super::error::ApiError;
use super::remainder::Remainder;
use super::repeated::Repeated;
use super::room::{PART, Room, weight};
use super::usage;
use crate::bounds::Bounds;

/// Whether an answer comes in chunks or as one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Chunks,
    Body,
}

/// How the bytes of an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The server ended the answer.
    Whole,
    /// The connection was lost, stalled, or sent what cannot be read.
    Cut,
}

/// The parts of an answer that came so far.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub(crate) form: Form,
    drafts: Vec<Draft>,
    /// The last draft of each index that a provider gave a part.
    indexes: BTreeMap<u64, usize>,
    finished: Finished,
    pub(crate) room: Room,
    stopped: bool,
    /// The last part is not continued by words without an index.
    closed: bool,
    finish: Option<FinishReason>,
    /// The provider, as in `provider:model`; empty if it is not known.
    pub(crate) provider: Arc<str>,
    /// What the last answers of the model repeated, if that is known.
    pub(crate) repeated: Option<Arc<Repeated>>,
    id: String,
    usage: usage::Reading,
    /// The model as the answer names it.
    model: Option<Arc<str>>,
    top: Remainder,
    choice: Remainder,
    message: Remainder,
    pub(crate) error: Option<ApiError>,
    /// Why what was read last is JSON that cannot be used.
    pub(crate) problem: Option<&'static str>,
    /// The call whose arguments come in pieces.
    #[cfg(feature = "gemini")]
    pub(crate) growing: crate::gemini::Growing,
    /// A chunk with the id was read: its constant fields need not be read again.
    pub(crate) begun: bool,
    /// It is an answer of the wire that it should be.
    pub(crate) recognised: bool,
    /// The server said that it is done; only its end of body may follow.
    pub(crate) done: bool,
}

/// The level of a field that is not part of any part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    Top,
    Choice,
    Message,
}

impl Assembly {
    pub(crate) fn new(form: Form, bounds: Bounds) -> Self {
        Self {
            form,
            drafts: Vec::new(),
            indexes: BTreeMap::new(),
            finished: Finished::default(),
            room: Room::new(bounds),
            stopped: false,
            closed: false,
            finish: None,
            provider: Arc::default(),
            repeated: None,
            id: String::new(),
            usage: usage::Reading::default(),
            model: None,
            top: Remainder::default(),
            choice: Remainder::default(),
            message: Remainder::default(),
            error: None,
            problem: None,
            #[cfg(feature = "gemini")]
            growing: Default::default(),
            begun: false,
            recognised: false,
            done: false,
        }
    }

    /// Whether anything of a message came.
    pub(crate) fn has_content(&self) -> bool {
        !self.drafts.is_empty()
    }

    /// Whether nothing more is added: the receiver of deltas stopped it, or it exceeded a
    /// bound.
    pub(crate) fn is_over(&self) -> bool {
        self.stopped || self.room.passed().is_some()
    }

    fn emit(&mut self, delta: Delta<'_>, on: &mut dyn Deltas) {
        self.stopped = self.stopped || on.delta(delta).is_break();
    }

    /// Whether text is added; `written` is its length in the JSON source.
    fn takes(&mut self, text: &str, written: usize) -> bool {
        !text.is_empty() && !self.is_over() && self.room.keep(written.max(text.len()))
    }

    /// Adds words; `written` is their length in the JSON source.
    pub(crate) fn words(&mut self, kind: Words, text: &str, written: usize, on: &mut dyn Deltas) {
        if !self.takes(text, written) {
            return;
        }
        self.emit(kind.delta(text), on);
        match self.drafts.last_mut() {
            Some(Draft::Words(open, words, _)) if *open == kind && !self.closed => {
                words.push_str(text);
            }
            _ => self.begin(Draft::words(kind, text)),
        }
    }

    /// Closes the last part: words that follow begin another.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Begins a part of words under the provider's index, so that words without content have a
    /// place, too.
    pub(crate) fn open_words(&mut self, index: u64, kind: Words) {
        if !self.is_over() {
            self.begin_at(index, Draft::words(kind, ""));
        }
    }

    /// Adds words to the part of an index.
    pub(crate) fn words_at(
        &mut self,
        index: u64,
        kind: Words,
        text: &str,
        written: usize,
        on: &mut dyn Deltas,
    ) {
        if !self.takes(text, written) {
            return;
        }
        self.emit(kind.delta(text), on);
        match self.at(index) {
            Some(Draft::Words(open, words, _)) if *open == kind => words.push_str(text),
            _ => self.begin_at(index, Draft::words(kind, text)),
        }
    }

    /// Adds a field of the provider to the part of an index, or to the last part.
    pub(crate) fn attach(&mut self, index: Option<u64>, key: &str, value: Value) {
        if self.is_over() {
            return;
        }
        let draft = match index {
            Some(index) => self.at(index),
            None => self.drafts.last_mut(),
        };
        let added = draft.map_or(0, |draft| draft.attach(key, value));
        self.room.keep(added);
    }

    /// Adds a field of the provider to the thinking; to one without words if there is none yet.
    pub(crate) fn attach_to_thinking(&mut self, key: &str, value: Value) {
        if self.is_over() || value.is_null() {
            return;
        }
        let is_thinking = |draft: &Draft| matches!(draft, Draft::Words(Words::Thinking, ..));
        if !self.drafts.iter().any(is_thinking) {
            self.begin(Draft::words(Words::Thinking, ""));
        }
        let thinking = self.drafts.iter_mut().find(|draft| is_thinking(draft));
        let added = thinking.map_or(0, |draft| draft.attach(key, value));
        self.room.keep(added);
    }

    /// Sets the provider's id of the part of an index, or of the last part.
    #[allow(dead_code, reason = "no wire that gives ids to parts is here yet")]
    pub(crate) fn identify(&mut self, index: Option<u64>, id: &str) {
        self.named(id);
        if self.is_over() || id.is_empty() {
            return;
        }
        let draft = match index {
            Some(index) => self.at(index),
            None => self.drafts.last_mut(),
        };
        if let Some(Draft::Words(_, _, attached)) = draft {
            attached.get_or_insert_default().id = Some(id.to_owned());
        }
    }

    /// Begins a part of another kind.
    pub(crate) fn other(&mut self, value: Value) {
        if self.room.keep(weight(&value)) {
            self.begin(Draft::other(value));
        }
    }

    /// Begins a part of another kind under the provider's index.
    pub(crate) fn other_at(&mut self, index: u64, value: Value) {
        if !self.is_over() && self.room.keep(weight(&value)) {
            self.begin_at(index, Draft::other(value));
        }
    }

    /// Whether the provider began a part under an index.
    pub(crate) fn has_part(&self, index: u64) -> bool {
        self.indexes.contains_key(&index)
    }

    /// Adds JSON text of the input to the part of another kind that has an index; false if there
    /// is none.
    pub(crate) fn input_at(&mut self, index: u64, json: &str) -> bool {
        let is_other = matches!(self.at(index), Some(Draft::Other(..)));
        if is_other
            && self.takes(json, json.len())
            && let Some(Draft::Other(_, input)) = self.at(index)
        {
            input.push_str(json);
        }
        is_other
    }

    /// The words of an index as far as they came, if it has words.
    pub(crate) fn words_so_far(&self, index: u64) -> Option<&str> {
        match self.drafts.get(*self.indexes.get(&index)?)? {
            Draft::Words(_, text, _) => Some(text),
            _ => None,
        }
    }

    /// The arguments of the call of an index as far as they came, if it has a call.
    pub(crate) fn arguments_so_far(&self, index: u64) -> Option<&str> {
        match self.drafts.get(*self.indexes.get(&index)?)? {
            Draft::Call(_, call) => Some(call.arguments()),
            _ => None,
        }
    }

    /// Finishes an index, of which all came; false if it was finished before.
    pub(crate) fn finish_index(&mut self, index: u64) -> bool {
        self.finished.insert(index)
    }

    /// Whether any index was finished.
    pub(crate) fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Puts the parts into the order of their indexes, if each has one.
    pub(crate) fn sort_by_index(&mut self) {
        if self.indexes.len() != self.drafts.len() || self.indexes.values().is_sorted() {
            return;
        }
        let mut drafts: Vec<_> = self.drafts.drain(..).map(Some).collect();
        let sorted = self.indexes.values_mut().enumerate().filter_map(|(place, at)| {
            let draft = drafts.get_mut(*at)?.take();
            *at = place;
            draft
        });
        self.drafts = sorted.collect();
    }

    /// The last part of an index.
    fn at(&mut self, index: u64) -> Option<&mut Draft> {
        self.drafts.get_mut(*self.indexes.get(&index)?)
    }

    fn begin_at(&mut self, index: u64, draft: Draft) {
        self.indexes.insert(index, self.drafts.len());
        self.begin(draft);
    }

    /// Puts the parts of a body, whose fields come in any order, into that of an answer.
    pub(crate) fn sort(&mut self) {
        self.drafts.sort_by_key(Draft::place_in_body);
    }

    /// Begins another part; if it no longer fits, it is the last.
    fn begin(&mut self, draft: Draft) {
        self.room.keep(PART);
        self.closed = false;
        self.drafts.push(draft);
    }
}

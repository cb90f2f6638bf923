//! The response that becomes of an assembly once its bytes have ended.

use legwork_core::Usage;
use legwork_core::inference::{FinishReason, Incomplete, Response};
use legwork_core::message::Message;
use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::{Assembly, Ended, Form};
use crate::answer::call::{Origin, Taken};
use crate::answer::error::ApiError;
use crate::answer::remainder::Remainder;
use crate::answer::room::PART;
use crate::bounds::{KEPT_BYTES, Passed};

impl Assembly {
    /// What came of an answer that ended with an error: cut, or if a repetition fails in the same
    /// way, `failed`.
    pub(crate) fn failed(mut self: Box<Self>, error: &ApiError) -> Response {
        // Whatever it said before.
        self.finish = None;
        let mut response = self.finish(Ended::Cut);
        if response.incomplete == Some(Incomplete::Cut) && !error.is_retryable() {
            response.incomplete = Some(Incomplete::from("failed"));
        }
        let ApiError { status, code, kind, message, .. } = error;
        let error = json!({"status": status, "code": code, "type": kind, "message": message});
        response.raw.insert("error".to_owned(), error);
        response
    }

    /// The response; what is missing from it makes it incomplete.
    pub(crate) fn finish(mut self: Box<Self>, ended: Ended) -> Response {
        let usage = self.used();
        let incomplete = self.incomplete(ended);
        if incomplete == Some(Incomplete::OverBound) {
            self.clip();
        }
        let finish = self.finish.take().unwrap_or_else(|| FinishReason::from("missing"));
        let model = self.model.take();
        let raw = self.raw();
        let (mut taken, id) = (Taken::default(), self.id);
        let origin = Origin { provider: &self.provider, response: &id };
        // Room for no more than these, for they are kept with the session.
        let mut parts = Vec::with_capacity(self.drafts.len());
        parts.extend(self.drafts.into_iter().map(|draft| draft.part(&mut taken, &origin)));
        let mut response = Response::new(Message::assistant(parts), finish);
        response.usage = usage;
        response.incomplete = incomplete;
        response.model = model;
        response.id = (!id.is_empty()).then_some(id);
        response.raw = raw;
        if let Some(passed) = self.room.passed() {
            response.bound = Some(passed.to_string());
            response.came = self.room.came() as u64;
        }
        response
    }

    /// The usage that it reports, if that is plausible.
    fn used(&mut self) -> Option<Usage> {
        let (usage, most) = (self.usage.usage()?, self.room.bounds.tokens);
        let parts = [usage.total(), usage.reasoning, usage.cache_read, usage.cache_write];
        if parts.iter().all(|tokens| *tokens <= most) {
            return Some(usage);
        }
        self.room.pass(Passed::Tokens(most));
        None
    }

    /// Keeps the beginning of an answer that exceeded a bound, so that it can be inspected.
    fn clip(&mut self) {
        let mut left = KEPT_BYTES;
        self.drafts.retain_mut(|draft| {
            let fits = left > PART;
            left = left.saturating_sub(PART);
            let kept = fits && draft.clip(left);
            left = left.saturating_sub(draft.len());
            kept
        });
        (self.top, self.choice, self.message) = Default::default();
        self.model = None;
        self.usage.rest = Remainder::default();
    }

    fn incomplete(&self, ended: Ended) -> Option<Incomplete> {
        if self.stopped {
            return Some(Incomplete::OverReserve);
        }
        if self.room.passed().is_some() {
            return Some(Incomplete::OverBound);
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
            // Its arguments may be JSON, or blank as those of a call without any.
            (Some(_), Ended::Cut, _) if self.has_open_call() => Some(Incomplete::Cut),
            (Some(_), Ended::Whole, _) if self.has_open_call() => Some(Incomplete::NoEnd),
            _ => None,
        }
    }

    fn has_cut_call(&self) -> bool {
        let cut =
            |draft: &Draft| matches!(draft, Draft::Call(_, call) if !call.has_whole_arguments());
        self.has_open_call() || self.drafts.iter().any(cut)
    }

    /// Whether another piece of a call should have followed.
    fn has_open_call(&self) -> bool {
        #[cfg(feature = "gemini")]
        let is_open = self.growing.is_open();
        #[cfg(not(feature = "gemini"))]
        let is_open = false;
        is_open
    }

    fn raw(&mut self) -> Map<String, Value> {
        let mut raw = std::mem::take(&mut self.top);
        raw.merge_as("usage", std::mem::take(&mut self.usage.rest));
        raw.merge_as("choice", std::mem::take(&mut self.choice));
        raw.merge_as("message", std::mem::take(&mut self.message));
        raw.into_fields().unwrap_or_default()
    }
}

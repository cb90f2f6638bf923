//! The calls of an answer that is being received, and the pieces in which they come.

use legwork_port::{Delta, Deltas};

use super::draft::Draft;
use super::{Assembly, Form};
use crate::answer::call::{self, Added, Piece};
use crate::bounds::Passed;

/// How many calls are searched for the one that a piece without an index continues.
const OPEN_CALLS: usize = 64;

impl Assembly {
    pub(crate) fn call(&mut self, piece: Piece<'_>, on: &mut dyn Deltas) {
        if self.is_over() || !self.room.keep(piece.weight()) {
            return;
        }
        let found = match self.form {
            Form::Chunks => self.find_call(&piece),
            Form::Body => None,
        };
        self.call_at(found, piece, on);
    }

    /// Adds a piece of the call that has its index, or begins that call.
    ///
    /// No other calls and words are looked at, however many there are.
    #[cfg(feature = "gemini")]
    pub(crate) fn call_of_index(&mut self, piece: Piece<'_>, on: &mut dyn Deltas) {
        if !self.is_over() && self.room.keep(piece.weight()) {
            let found = piece.index().and_then(|index| self.indexes.get(&index).copied());
            self.call_at(found, piece, on);
        }
    }

    /// Adds a piece of the call that is there, or begins another one.
    fn call_at(&mut self, found: Option<usize>, piece: Piece<'_>, on: &mut dyn Deltas) {
        let Some(at) = found.or_else(|| self.begin_call()) else { return };
        if let Some(index) = piece.index()
            && found.is_none()
            && self.form == Form::Chunks
        {
            self.indexes.insert(index, at);
        }
        self.push_piece(at, piece, on);
    }

    /// Adds a call that comes in one piece.
    pub(crate) fn whole_call(&mut self, piece: Piece<'_>, on: &mut dyn Deltas) {
        if self.is_over() || !self.room.keep(piece.weight()) {
            return;
        }
        if let Some(at) = self.begin_call() {
            self.push_piece(at, piece, on);
        }
    }

    fn push_piece(&mut self, at: usize, piece: Piece<'_>, on: &mut dyn Deltas) {
        let Some(Draft::Call(number, call)) = self.drafts.get_mut(at) else { return };
        let index = *number;
        let names = self.repeated.as_deref();
        let Added { begun, arguments: json, added } = call.push(piece, names);
        let mut stopped =
            begun.is_some_and(|name| on.delta(Delta::ToolCall { index, name }).is_break());
        if !stopped && !json.is_empty() {
            stopped = on.delta(Delta::Arguments { index, json }).is_break();
        }
        self.stopped = stopped;
        self.room.keep(added);
        if !call.is_named_shortly() {
            self.room.pass(Passed::Name);
        }
    }

    /// Begins another call, if there may be one; returns its index.
    fn begin_call(&mut self) -> Option<usize> {
        let number = self.room.call()?;
        self.begin(Draft::Call(number, call::Draft::default()));
        Some(self.drafts.len() - 1)
    }

    /// The index of the call that a piece continues: one of the last, or by the provider's index.
    fn find_call(&mut self, piece: &Piece<'_>) -> Option<usize> {
        let last = self.drafts.iter_mut().enumerate().rev();
        let calls = last.filter_map(|(at, draft)| match draft {
            Draft::Call(_, call) => Some((at, call)),
            _ => None,
        });
        let mut is_last = true;
        for (at, call) in calls.take(OPEN_CALLS) {
            if call.goes_on_with(piece, is_last) {
                return Some(at);
            }
            is_last = false;
        }
        let at = *self.indexes.get(&piece.index()?)?;
        let Some(Draft::Call(_, call)) = self.drafts.get_mut(at) else { return None };
        call.goes_on_with(piece, false).then_some(at)
    }
}

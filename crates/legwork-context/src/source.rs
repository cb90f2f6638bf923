//! The transcript, from the last compaction on, as units.

use std::sync::Arc;

use legwork_core::message::Role;
use legwork_core::state::Compaction;
use legwork_core::{AgentState, Message, Part, Seq, Transcript};
use legwork_port::AppMessage;

use crate::app;
use crate::pins::Pins;
use crate::unit::Unit;

/// The units of a transcript, as far as they were read.
#[derive(Default)]
pub(crate) struct Source {
    units: Vec<Unit>,
    /// How many messages of the transcript were read.
    read: usize,
    has_task: bool,
    /// Whether the last message that is no result was an answer of the model, or there is none.
    is_answered: bool,
    pins: Pins,
    compaction: Option<Arc<Compaction>>,
}

impl Source {
    /// The beginning of the conversation of a state: the summary of what was compacted, and what
    /// was kept of it.
    pub(crate) fn of(state: &AgentState) -> Self {
        let context = state.context();
        let (pins, compaction) = (Pins::of(state), context.compaction.clone());
        let mut source = Self { pins, compaction, is_answered: true, ..Self::default() };
        let Some(compaction) = source.compaction.clone() else { return source };
        let compacted = &compaction.compacted;
        if let Ok(summary) = app::Compaction::of_event(compacted).to_message() {
            source.units.push(Unit::new(0, compaction.entry, Arc::new(summary)).held());
            source.has_task = true;
        }
        source.read_to(&context.transcript, compaction.first);
        let stays = |unit: &Unit| unit.is_held() || compacted.also_kept.contains(&unit.entry());
        source.units.retain(stays);
        source.units.iter_mut().for_each(|unit| *unit = unit.clone().held());
        source
    }

    /// The units of the messages of the transcript from an index on, which begins a unit.
    pub(crate) fn since(state: &AgentState, from: usize) -> Vec<Unit> {
        Self::units_of(&state.context().transcript, from)
    }

    /// The units of messages.
    pub(crate) fn of_messages(messages: &Transcript) -> Vec<Unit> {
        Self::units_of(messages, 0)
    }

    fn units_of(transcript: &Transcript, from: usize) -> Vec<Unit> {
        let mut source = Self { read: from, is_answered: from == 0, ..Self::default() };
        // Whether the first message opens a turn is seen from the one before it.
        let is_said = |at: &usize| transcript.messages().get(*at).is_some_and(|m| m.app.is_none());
        let before = (0..from).rev().find(is_said).and_then(|at| transcript.messages().get(at));
        if let Some(before) = before {
            let is_answer = before.role == Role::Assistant;
            source.is_answered = is_answer && before.tool_calls().next().is_none();
        }
        source.read_to(transcript, transcript.messages().len());
        source.units
    }

    pub(crate) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(crate) fn read(&self) -> usize {
        self.read
    }

    /// Reads the transcript up to a message, which begins a unit.
    pub(crate) fn read_to(&mut self, transcript: &Transcript, end: usize) {
        let new = transcript.messages().iter_from(self.read).take(end.saturating_sub(self.read));
        for message in new {
            let entry = transcript.entry(self.read).unwrap_or_default();
            self.read += 1;
            self.take(entry, message);
        }
    }

    fn take(&mut self, entry: Seq, message: &Arc<Message>) {
        let is_pinned = self.pins.has(Some(entry), message);
        if is_result(message) {
            let Some(unit) = self.units.pop() else { return };
            let unit = unit.answered_by(Arc::clone(message));
            self.units.push(if is_pinned { unit.held() } else { unit });
            return;
        }
        let mut unit = Unit::new(self.read, entry, Arc::clone(message));
        if unit.is_user() && self.is_answered {
            unit = unit.opening_a_turn();
        }
        if message.app.is_none() {
            self.is_answered = !unit.is_user() && !unit.has_calls();
        }
        let is_task = unit.is_user() && !self.has_task;
        self.has_task |= is_task;
        self.units.push(if is_task || is_pinned { unit.held() } else { unit });
    }

    /// Whether the state says the same up to what was read, by identity.
    ///
    /// `open_from`, if the state was made from the one that was read: from which message on some
    /// may have changed, those of the step that was under way. Else all messages are compared.
    pub(crate) fn continues(&self, state: &AgentState, open_from: Option<usize>) -> bool {
        let context = state.context();
        let same = match (&self.compaction, &context.compaction) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        if !same || !self.pins.is_same(state) || context.transcript.messages().len() < self.read {
            return false;
        }
        let first = self.compaction.as_ref().map_or(0, |compaction| compaction.first);
        let from = open_from.map_or(first, |from| from.max(first));
        let is_last = |unit: &Unit| self.units.last().is_some_and(|last| last.is(unit));
        let mut since =
            self.units.iter().rev().take_while(|unit| {
                unit.ordinal() > from || (is_last(unit) && unit.ordinal() > first)
            });
        since.all(|unit| {
            let at = unit.ordinal() - 1;
            let messages = context.transcript.messages().iter_from(at);
            context.transcript.entry(at) == Some(unit.entry())
                && unit.messages().zip(messages).all(|(one, two)| Arc::ptr_eq(one, two))
        })
    }
}

fn is_result(message: &Message) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::ToolResult(_)))
}

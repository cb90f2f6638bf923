//! What was done about repositories, until it is reported.

use std::mem::take;

/// Most notes of a kind that are kept.
const MOST: usize = 50;

/// Sentences until they are taken: what asks for attention has room of its own.
#[derive(Debug, Default)]
pub(super) struct Notes {
    urgent: Vec<String>,
    others: Vec<String>,
    omitted: usize,
}

impl Notes {
    /// Adds what could not be done.
    pub(super) fn urgent(&mut self, text: String) {
        match self.urgent.len() < MOST {
            true => self.urgent.push(text),
            false => self.omitted = self.omitted.saturating_add(1),
        }
    }

    /// Adds what was done.
    pub(super) fn add(&mut self, text: String) {
        if !self.add_if_room(|| text) {
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// Adds a note if there is room; whether there was.
    pub(super) fn add_if_room(&mut self, text: impl FnOnce() -> String) -> bool {
        let has_room = self.others.len() < MOST;
        if has_room {
            self.others.push(text());
        }
        has_room
    }

    /// Takes the notes since the last call; `later` more will follow.
    pub(super) fn take(&mut self, later: usize) -> Vec<String> {
        let mut texts = take(&mut self.urgent);
        texts.append(&mut self.others);
        let omitted = take(&mut self.omitted).saturating_add(later);
        texts.extend((omitted > 0).then(|| format!("{omitted} further notes on repositories")));
        texts
    }
}

//! What was done about repositories, until it is reported.

use std::mem::take;

/// Most notes that are kept.
const MOST: usize = 50;

/// Sentences, and how many were left out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    texts: Vec<String>,
    omitted: usize,
}

impl Notes {
    /// Adds a note; whether there was room for it.
    pub(super) fn add(&mut self, text: String) -> bool {
        let has_room = self.texts.len() < MOST;
        match has_room {
            true => self.texts.push(text),
            false => self.omitted = self.omitted.saturating_add(1),
        }
        has_room
    }

    /// Takes the notes since the last call.
    pub(super) fn take(&mut self) -> Vec<String> {
        let mut texts = take(&mut self.texts);
        let omitted = take(&mut self.omitted);
        texts.extend((omitted > 0).then(|| format!("{omitted} further notes on repositories")));
        texts
    }
}

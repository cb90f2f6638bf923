//! The part of a text that a call returns.

/// A part of a text, counted in characters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt<'t> {
    pub(super) text: &'t str,
    start: usize,
    end: usize,
    /// Characters of the whole text.
    pub(super) total: usize,
}

impl<'t> Excerpt<'t> {
    pub(super) fn of(text: &'t str, start: usize, length: usize) -> Self {
        let total = text.chars().count();
        let start = start.min(total);
        let end = start.saturating_add(length).min(total);
        let at = |number: usize| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
        let part = text.get(at(start)..at(end)).unwrap_or_default();
        Self { text: part, start, end, total }
    }

    pub(super) fn is_last(&self) -> bool {
        self.end == self.total
    }

    /// How to read the rest; none for a whole text.
    pub(super) fn note(&self) -> Option<String> {
        let Self { start, end, total, .. } = self;
        match (*start, self.is_last()) {
            (0, true) => None,
            (start, true) if start == *total => {
                Some(format!("[there is no text behind its {total} characters]"))
            }
            (_, true) => Some(format!("[the end: characters {start} to {end}]")),
            (_, false) => Some(format!(
                "[characters {start} to {end} of {total}; call again with start={end} for the rest]"
            )),
        }
    }
}

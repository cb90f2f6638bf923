//! Text that arrives in pieces, masked across their borders.

use super::Mask;

/// Masks text that arrives in pieces: a possible beginning of a secret waits for the next one.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    mask: Mask,
    held: String,
}

impl Stream {
    /// Begins to mask a text.
    pub fn new(mask: Mask) -> Self {
        Self { mask, held: String::new() }
    }

    /// Adds a piece; returns the text that can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let masked = self.mask.text(&text);
        let open = self.mask.open_end(&masked);
        self.held = masked.get(open..).unwrap_or_default().to_owned();
        let mut shown = masked.into_owned();
        shown.truncate(open);
        shown
    }

    /// Ends the text; returns the rest.
    pub fn end(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

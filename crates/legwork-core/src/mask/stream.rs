//! Text that arrives in pieces, masked across their borders.

use super::Mask;

/// Masks text that arrives in pieces.
///
/// A suffix that may be the beginning of a secret is held back until the next piece.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    mask: Mask,
    held: String,
}

impl Stream {
    /// A stream at the beginning of a text.
    pub fn new(mask: Mask) -> Self {
        Self { mask, held: String::new() }
    }

    /// Adds a piece, and returns the masked text that can be displayed now.
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

    /// Ends the text, and returns the rest.
    pub fn end(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

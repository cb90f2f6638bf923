//! Text that comes in pieces, masked across their borders.

use super::Mask;

/// Masks text that comes in pieces: what may be the beginning of a secret waits for the next.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    mask: Mask,
    held: String,
}

impl Stream {
    /// Text that a mask is laid over.
    pub fn new(mask: Mask) -> Self {
        Self { mask, held: String::new() }
    }

    /// What can be shown now that another piece came.
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

    /// The rest, when no more comes.
    pub fn end(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

//! Pieces of an answer, with secrets masked.

use legwork_core::Mask;
use legwork_core::mask::Stream;
use legwork_port::Delta;

/// Pieces of an answer, masked across their borders.
pub struct Pieces {
    text: Stream,
    mask: Mask,
    /// The kind of the text that is held.
    kind: Kind,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Arguments(usize),
}

impl Kind {
    fn of(self, piece: &str) -> Delta<'_> {
        match self {
            Self::Text => Delta::Text(piece),
            Self::Thinking => Delta::Thinking(piece),
            Self::Arguments(index) => Delta::Arguments { index, json: piece },
        }
    }
}

impl Pieces {
    /// Pieces behind a mask, if there is one.
    pub fn by(mask: &Mask) -> Option<Box<Self>> {
        let text = || Stream::new(mask.clone());
        let pieces = || Self { text: text(), mask: mask.clone(), kind: Kind::Text };
        (!mask.is_none()).then(|| Box::new(pieces()))
    }

    /// Adds a piece; returns what can be passed on now.
    pub fn push(&mut self, delta: Delta<'_>, mut tell: impl FnMut(Delta<'_>)) {
        let (kind, piece) = match delta {
            Delta::Text(text) => (Kind::Text, text),
            Delta::Thinking(text) => (Kind::Thinking, text),
            Delta::Arguments { index, json } => (Kind::Arguments(index), json),
            Delta::ToolCall { index, name } => {
                self.end(&mut tell);
                return tell(Delta::ToolCall { index, name: &self.mask.text(name) });
            }
            other => return tell(other),
        };
        if kind != self.kind {
            self.end(&mut tell);
            self.kind = kind;
        }
        let masked = self.text.push(piece);
        if !masked.is_empty() {
            tell(kind.of(&masked));
        }
    }

    /// Ends the answer; returns the rest.
    pub fn end(&mut self, mut tell: impl FnMut(Delta<'_>)) {
        let rest = self.text.end();
        if !rest.is_empty() {
            tell(self.kind.of(&rest));
        }
    }

    /// Discards what is held.
    pub fn forget(&mut self) {
        self.text.end();
    }
}

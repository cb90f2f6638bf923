//! A text that may still grow.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use legwork_core::Vector;

/// A text that may still grow; clones share it.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Whole(Arc<str>),
    Growing(Arc<Growing>),
}

/// What has arrived of a text.
struct Growing {
    pieces: Vector<Arc<str>>,
    tail: Box<str>,
    len: usize,
}

impl Text {
    pub(super) fn whole(text: impl Into<Arc<str>>) -> Self {
        Self(Repr::Whole(text.into()))
    }

    pub(super) fn growing(pieces: Vector<Arc<str>>, tail: &str, len: usize) -> Self {
        Self(Repr::Growing(Arc::new(Growing { pieces, tail: tail.into(), len })))
    }

    /// Whether its end has arrived.
    pub fn is_complete(&self) -> bool {
        matches!(self.0, Repr::Whole(_))
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Whole(text) => text.len(),
            Repr::Growing(text) => text.len,
        }
    }

    /// Whether nothing of it has arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text; copied while it is incomplete and long.
    ///
    /// To show a growing text piece by piece use [`since`](Self::since), which copies only what
    /// is new.
    pub fn as_str(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Whole(text) => Cow::Borrowed(text),
            Repr::Growing(text) if text.pieces.is_empty() => Cow::Borrowed(&text.tail),
            Repr::Growing(_) => Cow::Owned(self.pieces().collect()),
        }
    }

    /// The part after a number of bytes; empty if it is shorter, or if they end inside a
    /// character. Costs as much as it returns.
    pub fn since(&self, bytes: usize) -> String {
        let (mut start, mut parts) = (self.len(), Vec::new());
        for piece in self.pieces().rev() {
            if start <= bytes {
                break;
            }
            start = start.saturating_sub(piece.len());
            parts.push(piece.get(bytes.saturating_sub(start)..).unwrap_or_default());
        }
        parts.into_iter().rev().collect()
    }

    /// The text in pieces, without copying it.
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = &str> {
        let (pieces, tail) = match &self.0 {
            Repr::Whole(text) => (None, &**text),
            Repr::Growing(text) => (Some(&text.pieces), &*text.tail),
        };
        pieces.into_iter().flatten().map(|piece| &**piece).chain(Some(tail))
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.is_complete() == other.is_complete() && self.as_str() == other.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.is_complete() { "" } else { ".." };
        write!(f, "{:?}{dots}", self.as_str())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

//! Bounds of one answer: how much of it is read and kept.

use std::fmt;

#[cfg(test)]
mod tests;

/// Bounds of one answer of a model; time has its own, [`Timeouts`](crate::http::Timeouts).
///
/// An answer that exceeds one is cut off there. It is incomplete: it is charged, none of its
/// calls run, and the request is not repeated. Only its beginning is kept.
///
/// ```
/// use legwork_models::Bounds;
///
/// let strict = Bounds { calls: 16, ..Bounds::default() };
/// assert_eq!(strict.answer_bytes, 8 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes that are received, kept or not: 128 MiB.
    pub received_bytes: usize,
    /// Bytes that are kept: text, thinking, calls, the provider's other fields: 8 MiB.
    pub answer_bytes: usize,
    /// Bytes of one event of a stream: 8 MiB.
    pub event_bytes: usize,
    /// Events of a stream: 500,000.
    pub events: usize,
    /// Tool calls: 256.
    pub calls: usize,
    /// Values of the provider's other fields, each item of a list and each field: 100,000.
    pub values: usize,
    /// Nesting of objects and lists: 127, which is also the maximum.
    pub nesting: usize,
    /// Tokens that it may report as used: 100 million.
    pub tokens: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            received_bytes: 128 << 20,
            answer_bytes: 8 << 20,
            event_bytes: 8 << 20,
            events: 500_000,
            calls: 256,
            values: 100_000,
            nesting: DEEPEST,
            tokens: 100_000_000,
        }
    }
}

/// Nesting of objects and lists, the deepest that `serde_json` reads.
pub(crate) const DEEPEST: usize = 127;

/// Bytes of a name or an id.
pub(crate) const NAME_BYTES: usize = 1 << 10;

/// Bytes that are kept of an answer that exceeded a bound.
pub(crate) const KEPT_BYTES: usize = 64 << 10;

/// The bound that an answer exceeded; its text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    ReceivedBytes(usize),
    AnswerBytes(usize),
    EventBytes(usize),
    Events(usize),
    Calls(usize),
    Values(usize),
    Nesting(usize),
    Name,
    Tokens(u64),
    Time(std::time::Duration),
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ReceivedBytes(most) => {
                write!(f, "more than {} came of it (bound `received_bytes`)", Size(most))
            }
            Self::AnswerBytes(most) => {
                write!(f, "it is longer than {} (bound `answer_bytes`)", Size(most))
            }
            Self::EventBytes(most) => {
                write!(f, "an event of it is longer than {} (bound `event_bytes`)", Size(most))
            }
            Self::Events(most) => write!(f, "it has more than {most} events (bound `events`)"),
            Self::Calls(most) => write!(f, "it has more than {most} tool calls (bound `calls`)"),
            Self::Values(most) => write!(f, "it has more than {most} values (bound `values`)"),
            Self::Nesting(most) => {
                write!(f, "its values are nested more than {most} deep (bound `nesting`)")
            }
            Self::Name => {
                write!(f, "a name or an id in it is longer than {}", Size(NAME_BYTES))
            }
            Self::Tokens(most) => {
                write!(f, "it says that it used more than {most} tokens (bound `tokens`)")
            }
            Self::Time(most) => write!(f, "it takes longer than {most:?} (bound `answer_time`)"),
        }
    }
}

/// A number of bytes as people read it.
struct Size(usize);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 && bytes % (1 << 20) == 0 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes >= 1 << 10 && bytes % (1 << 10) == 0 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

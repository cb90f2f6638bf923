//! What is said of an answer that exceeded a bound.

use std::fmt;

#[cfg(test)]
mod tests;

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

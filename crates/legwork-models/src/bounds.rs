//! Bounds of one answer: how much of it is read and kept.

#[cfg(feature = "http")]
mod passed;

#[cfg(feature = "http")]
pub(crate) use passed::{KEPT_BYTES, NAME_BYTES, Passed};

/// Bounds of one answer of a model; those of time are `http::Timeouts`.
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

impl Bounds {
    /// Those of an answer unless others are set.
    pub(crate) const USUAL: Self = Self {
        received_bytes: 128 << 20,
        answer_bytes: 8 << 20,
        event_bytes: 8 << 20,
        events: 500_000,
        calls: 256,
        values: 100_000,
        nesting: DEEPEST,
        tokens: 100_000_000,
    };
}

impl Default for Bounds {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Nesting of objects and lists, the deepest that `serde_json` reads.
pub(crate) const DEEPEST: usize = 127;

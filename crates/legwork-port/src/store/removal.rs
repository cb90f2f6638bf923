//! The result of removing sessions.

/// How thoroughly sessions were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Removal {
    /// The store's own files and memory contain nothing of their content.
    Complete,
    /// The sessions are removed, but bytes of their content may remain in the store's files.
    ///
    /// The text says why, and what to do.
    Traces(String),
}

//! The result of removing sessions.

/// How thoroughly sessions were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// The store's own files and memory contain nothing of their content.
    Complete,
    /// The sessions are removed, but the bytes of the store's files may still contain parts of
    /// their content: why, and what to do.
    Traces(String),
}

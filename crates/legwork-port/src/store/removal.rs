//! What removing sessions leaves behind.

/// How thoroughly sessions were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Nothing of what they said can be found in the store's own files or memory.
    Complete,
    /// They are gone for all who use the store, but whoever reads its files byte by byte
    /// may still find some of what they said: why, and what to do.
    Traces(String),
}

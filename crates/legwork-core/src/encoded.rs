//! Encoded bytes cached with a value, outside serde.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// The name of an encoding: a provider's wire format and the options that change its bytes.
#[derive(Debug, Clone, Eq)]
pub struct Wire(Arc<str>);

impl Wire {
    /// An encoding by its name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

/// Compares pointers first, because a wire compares its name with itself for each message.
impl PartialEq for Wire {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// A cache for the bytes of one wire; a clone has the same bytes.
#[derive(Clone, Default)]
pub struct Encoded(OnceLock<(Wire, Arc<[u8]>)>);

impl Encoded {
    /// Appends the bytes for a wire; those for the first wire are cached.
    ///
    /// `encode` must only append to the buffer that it is given.
    pub fn append(&self, wire: &Wire, out: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
        match self.0.get() {
            Some((kept, bytes)) if kept == wire => out.extend_from_slice(bytes),
            Some(_) => encode(out),
            None => {
                let start = out.len();
                encode(out);
                let bytes = out.get(start..).unwrap_or_default();
                let _ = self.0.set((wire.clone(), bytes.into()));
            }
        }
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            Some((wire, bytes)) => write!(f, "Encoded({}, {} bytes)", wire.0, bytes.len()),
            None => f.write_str("Encoded(none)"),
        }
    }
}

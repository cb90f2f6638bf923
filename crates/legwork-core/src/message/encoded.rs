//! Encoded bytes kept beside a value, outside serde.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// Names an encoding: a provider's wire and what changes its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wire(pub &'static str);

/// A slot for the bytes of one wire; clones start with the same bytes.
#[derive(Clone, Default)]
pub struct Encoded(OnceLock<(Wire, Arc<[u8]>)>);

impl Encoded {
    /// The bytes for a wire; those of the first wire asked for are kept.
    pub fn get(&self, wire: Wire, encode: impl FnOnce() -> Vec<u8>) -> Arc<[u8]> {
        if let Some((kept, bytes)) = self.0.get() {
            if *kept == wire {
                return Arc::clone(bytes);
            }
            return encode().into();
        }
        let bytes: Arc<[u8]> = encode().into();
        let _ = self.0.set((wire, Arc::clone(&bytes)));
        bytes
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

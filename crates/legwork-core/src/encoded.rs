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

/// A cache for the bytes of each wire that asked for them; a clone has the same bytes.
///
/// A program uses few wires: those of the providers that a session was handed to.
#[derive(Clone, Default)]
pub struct Encoded(OnceLock<Box<Kept>>);

/// The bytes of a wire, and those of the wires that asked after it.
#[derive(Clone)]
struct Kept {
    wire: Wire,
    bytes: Arc<[u8]>,
    next: Encoded,
}

impl Encoded {
    /// Appends the bytes for a wire, which are encoded once and cached.
    ///
    /// `encode` must only append to the buffer that it is given.
    pub fn append(&self, wire: &Wire, out: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
        let mut place = self;
        while let Some(kept) = place.0.get() {
            if kept.wire == *wire {
                return out.extend_from_slice(&kept.bytes);
            }
            place = &kept.next;
        }
        let start = out.len();
        encode(out);
        let bytes = out.get(start..).unwrap_or_default();
        // If another thread was faster, its bytes are kept, and these are encoded again.
        let kept = Kept { wire: wire.clone(), bytes: bytes.into(), next: Self::default() };
        let _ = place.0.set(Box::new(kept));
    }

    /// What is cached, from the first wire on.
    fn all(&self) -> impl Iterator<Item = &Kept> {
        std::iter::successors(self.0.get(), |kept| kept.next.0.get()).map(|kept| &**kept)
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.all().map(|kept| format!("{}, {} bytes", kept.wire.0, kept.bytes.len()));
        match all.next() {
            None => f.write_str("Encoded(none)"),
            Some(first) => {
                let more: Vec<_> = std::iter::once(first).chain(all).collect();
                write!(f, "Encoded({})", more.join("; "))
            }
        }
    }
}

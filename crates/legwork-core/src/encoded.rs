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
pub struct Encoded {
    first: OnceLock<Kept>,
    /// That of a session that was handed to another provider.
    second: OnceLock<Kept>,
    /// The wires that asked after these two.
    more: OnceLock<Box<Self>>,
}

/// A wire, and its bytes.
type Kept = (Wire, Arc<[u8]>);

impl Encoded {
    /// Appends the bytes for a wire, which are encoded once and cached.
    ///
    /// `encode` must only append to the buffer that it is given.
    pub fn append(&self, wire: &Wire, out: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
        let empty = match self.find(wire) {
            Ok(bytes) => return out.extend_from_slice(bytes),
            Err(empty) => empty,
        };
        let start = out.len();
        encode(out);
        let bytes = out.get(start..).unwrap_or_default();
        // If another thread was faster, its bytes are kept, and these are encoded again.
        let _ = empty.set((wire.clone(), bytes.into()));
    }

    /// The bytes for a wire, or the place for them.
    fn find(&self, wire: &Wire) -> Result<&[u8], &OnceLock<Kept>> {
        let mut places = self;
        loop {
            for place in [&places.first, &places.second] {
                match place.get() {
                    Some((known, bytes)) if known == wire => return Ok(bytes),
                    Some(_) => {}
                    None => return Err(place),
                }
            }
            places = places.more.get_or_init(Box::default);
        }
    }

    /// What is cached, from the first wire on.
    fn all(&self) -> impl Iterator<Item = &Kept> {
        let all = std::iter::successors(Some(self), |places| places.more.get().map(|more| &**more));
        all.flat_map(|places| places.first.get().into_iter().chain(places.second.get()))
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.all().map(|(wire, bytes)| format!("{}, {} bytes", wire.0, bytes.len()));
        match all.next() {
            None => f.write_str("Encoded(none)"),
            Some(first) => {
                let more: Vec<_> = std::iter::once(first).chain(all).collect();
                write!(f, "Encoded({})", more.join("; "))
            }
        }
    }
}

//! What was made of a message, cached with it, outside serde.

use std::fmt;
use std::sync::OnceLock;

use crate::encoded::Encoded;
use crate::message::rendered::Rendered;

/// The caches of a message, made when one is first used: most messages of a journal that is
/// opened need none.
#[derive(Clone, Default)]
pub(super) struct Cached(OnceLock<Box<Caches>>);

#[derive(Debug, Clone, Default)]
struct Caches {
    encoded: Encoded,
    rendered: Rendered,
}

impl Cached {
    /// The bytes of each wire; a clone has the same.
    pub(super) fn encoded(&self) -> &Encoded {
        &self.caches().encoded
    }

    /// The message in another form; that of a clone is empty.
    pub(super) fn rendered(&self) -> &Rendered {
        &self.caches().rendered
    }

    fn caches(&self) -> &Caches {
        self.0.get_or_init(Box::default)
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            Some(caches) => caches.fmt(f),
            None => f.write_str("Caches(none)"),
        }
    }
}

//! The beginning of a body, which is the same from request to request.

use std::sync::{Arc, Mutex};

use legwork_core::message;

/// The part before the messages: the model and the instructions.
///
/// The bytes of the last instructions are kept, for they are often the longest
/// text of a request and seldom another one than before.
#[derive(Debug)]
pub(crate) struct Head {
    /// The name under which encoded bytes are kept with messages and tools. Two providers
    /// get other bytes: each only what it attached itself.
    pub(crate) encoding: message::Wire,
    /// The provider, as in `provider:model`.
    pub(crate) provider: Arc<str>,
    start: Vec<u8>,
    last: Mutex<System>,
}

/// Instructions, and what they are sent as.
#[derive(Debug, Default)]
struct System {
    instructions: Arc<str>,
    bytes: Vec<u8>,
}

impl Head {
    /// A head of a wire that begins with these bytes.
    pub(crate) fn new(wire: &str, provider: &str, start: Vec<u8>) -> Self {
        let encoding = message::Wire::new(format!("{wire} {provider}"));
        Self { encoding, provider: provider.into(), start, last: Mutex::default() }
    }

    /// Appends the beginning, and the instructions as `system` writes them, unless there are none.
    pub(crate) fn append(
        &self,
        instructions: &Arc<str>,
        out: &mut Vec<u8>,
        system: impl Fn(&str, &mut Vec<u8>),
    ) {
        out.extend_from_slice(&self.start);
        if instructions.is_empty() {
            return;
        }
        // Without waiting: while another request copies it, this one encodes for itself.
        let Ok(mut last) = self.last.try_lock() else { return system(instructions, out) };
        let known = Arc::ptr_eq(&last.instructions, instructions);
        if !known && last.instructions != *instructions {
            last.bytes.clear();
            system(instructions, &mut last.bytes);
            last.instructions = Arc::clone(instructions);
        }
        out.extend_from_slice(&last.bytes);
    }
}

//! The beginning of a body, which is the same from request to request.

use std::sync::{Arc, Mutex};

use legwork_core::message::Wire;

use super::write;

/// The part before the messages: the model and the instructions.
///
/// The bytes of the last instructions are kept, for they are often the longest
/// text of a request and seldom another one than before.
#[derive(Debug)]
pub(crate) struct Head {
    /// The name under which encoded bytes are kept with messages and tools. Two providers
    /// get other bytes: each only what it attached itself.
    pub(super) wire: Wire,
    /// The provider, as in `provider:model`.
    pub(super) provider: Arc<str>,
    model: Vec<u8>,
    last: Mutex<System>,
}

/// Instructions, and the message that they are sent as.
#[derive(Debug, Default)]
struct System {
    instructions: Arc<str>,
    bytes: Vec<u8>,
}

impl Head {
    pub(crate) fn new(provider: &str, name: &str) -> Self {
        let mut model = b"{\"model\":".to_vec();
        write(&mut model, name);
        model.extend_from_slice(b",\"messages\":[");
        let wire = Wire::new(format!("openai-chat {provider}"));
        Self { wire, provider: provider.into(), model, last: Mutex::default() }
    }

    /// The provider, as in `provider:model`.
    pub(crate) fn provider(&self) -> &Arc<str> {
        &self.provider
    }

    /// Appends the beginning; a comma is behind the instructions.
    pub(super) fn append(&self, instructions: &Arc<str>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.model);
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

fn system(instructions: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"system\",\"content\":");
    write(out, instructions);
    out.extend_from_slice(b"},");
}

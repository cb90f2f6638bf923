//! What the server needs from a request.

use memchr::memmem;

use crate::{error::Error, script::Script};

/// The facts of one request that decide its answer.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The script of the answers.
    pub(crate) script: Script,
    /// Answers that the conversation already holds.
    pub(crate) turn: usize,
    /// Whether the client wants a stream.
    pub(crate) streamed: bool,
    /// Bytes of the request, from which its tokens are estimated.
    pub(crate) size: usize,
}

impl Facts {
    /// Finds the facts by searching the bytes of the body.
    ///
    /// Parsing a long conversation would cost the server more time than the two
    /// sides that are measured. Searching a few strings suffices for conversations
    /// that the server itself has scripted.
    ///
    /// # Errors
    /// The body names no model, or one that is not a script.
    pub(crate) fn scan(body: &[u8]) -> Result<Self, Error> {
        let name = value(body, b"\"model\"")
            .and_then(|rest| rest.strip_prefix(b"\""))
            .and_then(|rest| rest.split(|byte| *byte == b'"').next())
            .unwrap_or_default();
        Ok(Self {
            script: String::from_utf8_lossy(name).parse()?,
            turn: memmem::find_iter(body, b"\"assistant\"").count(),
            streamed: value(body, b"\"stream\"").is_some_and(|rest| rest.starts_with(b"true")),
            size: body.len(),
        })
    }
}

/// What follows the first `key` of the body, its colon and the spaces.
fn value<'a>(body: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let rest = body.get(memmem::find(body, key)? + key.len()..)?;
    Some(rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())
}

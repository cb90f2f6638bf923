//! What `cargo xtask fuzz` reaches of this crate; nothing else uses it.

use crate::Bounds;
use crate::answer::ApiError;
use crate::answer::frames::Parser;

/// Reads binary frames from bytes that are cut anywhere.
#[derive(Debug, Default)]
pub struct Frames(Parser);

impl Frames {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// The payload of the next whole frame, and the error that it is, if it is one.
    pub fn next_frame(&mut self) -> Option<(&[u8], Option<ApiError>)> {
        let frame = self.0.next()?;
        let error = frame.error(&Bounds::default());
        Some((frame.payload, error))
    }

    /// Bytes of a frame whose end did not come.
    pub fn held(&self) -> usize {
        self.0.held()
    }

    /// Whether a frame had another checksum or form than it should.
    pub fn is_broken(&self) -> bool {
        self.0.is_broken()
    }
}

//! The memory of the last body, for the next one.

use std::sync::Mutex;

use bytes::Bytes;

/// Keeps the memory of the body that was sent last.
///
/// The bodies of a session are long and grow slowly. Without this each one would be written to
/// memory that the system has to provide page by page.
#[derive(Debug, Default)]
pub(super) struct Spare(Mutex<Bytes>);

/// Bytes of the longest body whose memory is kept; longer ones are rare.
const LONGEST: usize = 4 << 20;

impl Spare {
    /// An empty buffer: the memory of the last body, unless something still holds that.
    pub(super) fn take(&self) -> Vec<u8> {
        // Without waiting: while another request takes it, this one has none.
        let Ok(mut last) = self.0.try_lock() else { return Vec::new() };
        let last = std::mem::take(&mut *last);
        if !last.is_unique() {
            return Vec::new();
        }
        let mut buffer = Vec::from(last);
        buffer.clear();
        buffer
    }

    /// Keeps the memory of a body.
    pub(super) fn keep(&self, body: &Bytes) {
        if body.len() <= LONGEST
            && let Ok(mut last) = self.0.try_lock()
        {
            *last = body.clone();
        }
    }
}

#[cfg(test)]
mod tests;

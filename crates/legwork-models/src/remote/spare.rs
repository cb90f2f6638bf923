//! The last body, which the next one continues.

use std::sync::Mutex;

use bytes::Bytes;
use legwork_core::chunked::{Marks, Written};
use legwork_core::message::Message;

use crate::wire::Body;

/// Keeps the body that was sent last.
///
/// The bodies of a session are long, and each one begins as the one before. So what both have is
/// not copied, and no memory is needed that the system has to provide page by page.
#[derive(Debug, Default)]
pub(super) struct Spare(Mutex<Option<Last>>);

/// The body that was sent last, and where its messages end.
#[derive(Debug)]
struct Last {
    body: Bytes,
    marks: Option<Marks<Message>>,
}

/// Bytes of the longest body that is kept; longer ones are rare.
const LONGEST: usize = 4 << 20;

impl Spare {
    /// A buffer with room for a body of this size, which continues the last body, unless
    /// something still holds that.
    pub(super) fn take(&self, size: usize) -> Body {
        let mut before = self.last().unwrap_or_default();
        before.bytes.reserve(size.saturating_sub(before.bytes.len()));
        Body::after(before)
    }

    fn last(&self) -> Option<Written<Message>> {
        // Without waiting: while another request takes it, this one has none.
        let Last { body, marks } = self.0.try_lock().ok()?.take()?;
        body.is_unique().then(|| Written { bytes: body.into(), marks })
    }

    /// The bytes of a body, which is kept for the next one.
    pub(super) fn keep(&self, body: Body) -> Bytes {
        let Written { bytes, marks } = body.into_written();
        let body = Bytes::from(bytes);
        if body.len() <= LONGEST
            && let Ok(mut last) = self.0.try_lock()
        {
            *last = Some(Last { body: body.clone(), marks });
        }
        body
    }
}

#[cfg(test)]
mod tests;

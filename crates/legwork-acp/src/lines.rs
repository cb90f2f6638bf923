//! The lines of a stream, bounded.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// Most bytes of a line: pictures are sent in them.
const LONGEST: usize = 64 << 20;

/// Reads lines. A read that is dropped loses nothing.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line: Vec::new() }
    }

    /// The next line without its end; none at the end of the stream.
    ///
    /// # Errors
    /// When the stream cannot be read, or a line is too long.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let (more, _) = read.split_at(end.unwrap_or(read.len()));
            let length = more.len();
            if self.line.len().saturating_add(length) > LONGEST {
                let message = format!("a line has more than {LONGEST} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            self.line.extend_from_slice(more);
            self.input.consume(length.saturating_add(usize::from(end.is_some())));
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

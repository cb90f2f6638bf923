//! One event a line, as JSON.

use std::io::{self, Write};

use legwork::port::RunEvent;

use super::{At, Displayer, seen};

/// Writes one event a line, as JSON; each line is flushed.
pub(crate) struct Json<W> {
    out: W,
}

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Displayer for Json<W> {
    fn show(&mut self, _: At<'_>, event: &RunEvent) -> io::Result<()> {
        let line = serde_json::to_string(event)? + "\n";
        self.out.write_all(seen::json(&line).as_bytes())?;
        self.out.flush()
    }
}

//! The line that says what is going on, and is taken back when something happens.

use std::io::Write;

use super::terminal::{Terminal, Tone};
use super::text::clip;

/// Goes to the line's start and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// The line that says what is going on; nothing where lines cannot be taken back.
#[derive(Debug, Default)]
pub(crate) struct Status {
    shown: bool,
}

impl Status {
    /// Shows what is going on.
    pub(crate) fn show(&mut self, err: &mut impl Write, terminal: Terminal, text: &str) {
        if !terminal.lively {
            return;
        }
        // One column stays free, so that no terminal breaks the line.
        let line = clip(text, terminal.columns.saturating_sub(1)).into_owned();
        let line = terminal.paint(Tone::Quiet, &line);
        self.shown = write!(err, "{CLEAR}{line}").and_then(|()| err.flush()).is_ok();
    }

    /// Takes it back.
    pub(crate) fn clear(&mut self, err: &mut impl Write) {
        if std::mem::take(&mut self.shown) {
            // Whether anybody reads standard error does not matter to the run.
            let _ = write!(err, "{CLEAR}").and_then(|()| err.flush());
        }
    }
}

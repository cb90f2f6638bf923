//! How a person is asked.

use std::io::{self, Write};

use super::{Human, Within};
use crate::display::seen::guarded;
use crate::display::terminal::Tone;
use crate::display::text::{visible, wrapped};
use crate::display::{Question, diff};

/// What becomes of what was half-typed when a question came.
const ASIDE: &str = "what you were typing is put aside until this is answered";

impl<O: Write, E: Write> Human<O, E> {
    /// Shows a question and leaves the cursor behind it.
    pub(super) fn ask(&mut self, question: &Question) -> io::Result<()> {
        self.terminal.measure();
        self.finish()?;
        let [first, lines @ ..] = question.lines.as_slice() else { return Ok(()) };
        self.labelled(Tone::Strong, question.label, first)?;
        for line in lines {
            // What is broken is set in deeper, so that it looks like no line of ours.
            self.note(&wrapped(&visible(&format!("  {line}")), self.terminal.prose(), 6))?;
        }
        for line in diff::whole(&question.diff, self.terminal) {
            self.note(&line)?;
        }
        let prompt = wrapped(&question.prompt, self.terminal.prose(), 2);
        if let Within::Chat(pane) = &self.within {
            let pane = pane.clone();
            let is_typing = pane.is_typing();
            self.note(&prompt)?;
            if is_typing {
                self.quiet(ASIDE)?;
            }
            pane.prompts();
            return Ok(());
        }
        write!(self.err, "{} ", guarded(&prompt))?;
        self.asked_person = true;
        self.err.flush()
    }
}

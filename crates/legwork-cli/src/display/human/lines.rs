//! How lines are written: the answer's to one stream, all others to another.

use std::io::{self, Write};
use std::time::Instant;

use serde_json::Value;

use super::Human;
use crate::display::seen::guarded;
use crate::display::terminal::Tone;
use crate::display::text::{visible, wrapped};

impl<O: Write, E: Write> Human<O, E> {
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if self.terminal.out {
            for line in text.split_inclusive('\n') {
                let shown = self.markdown.push(line);
                self.write(&shown)?;
                self.show_aside()?;
            }
            return Ok(());
        }
        self.held.push_str(text);
        Ok(())
    }

    /// Writes a value: over several lines on a terminal, else as one line of data.
    pub(super) fn value(&mut self, value: &Value) -> io::Result<()> {
        self.close()?;
        let shown = match self.terminal.out {
            true => format!("{value:#}\n"),
            false => format!("{value}\n"),
        };
        self.write(&shown)
    }

    /// Writes what was held back.
    pub(super) fn release(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return Ok(());
        }
        self.open = !held.ends_with('\n');
        self.write(&held)
    }

    /// Writes rendered text and clears the status line; does nothing if the text is empty.
    pub(super) fn write(&mut self, shown: &str) -> io::Result<()> {
        if shown.is_empty() {
            return Ok(());
        }
        self.leave_question();
        self.status.clear(&mut self.err);
        match self.terminal.out {
            true => self.out.write_all(guarded(shown).as_bytes())?,
            // Elsewhere it is data and stays as the model wrote it.
            false => self.out.write_all(shown.as_bytes())?,
        }
        self.out.flush()
    }

    /// Ends the current line of the text, so that the next output begins a new one.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.release()?;
        if std::mem::take(&mut self.open) {
            self.out.write_all(b"\n")?;
            self.out.flush()?;
        }
        let shown = self.markdown.pause();
        self.write(&shown)
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.close()?;
        let shown = self.markdown.finish();
        self.write(&shown)?;
        self.show_aside()
    }

    /// Whether the cursor is within a line of the answer.
    pub(super) fn is_open(&self) -> bool {
        self.open || self.markdown.is_open()
    }

    pub(super) fn note(&mut self, line: &str) -> io::Result<()> {
        self.close()?;
        self.leave_question();
        self.status.clear(&mut self.err);
        // The run goes on even if standard error cannot be written.
        let _ = writeln!(self.err, "{}", guarded(line));
        Ok(())
    }

    /// What comes behind a question that was not answered begins a line.
    fn leave_question(&mut self) {
        if std::mem::take(&mut self.asked_person) {
            let _ = writeln!(self.err);
        }
    }

    pub(super) fn labelled(&mut self, tone: Tone, label: &str, message: &str) -> io::Result<()> {
        let text = format!("{label}: {}", visible(message.trim_end()));
        let most = self.terminal.prose();
        let lines: Vec<_> = text.lines().map(|line| wrapped(line, most, 2)).collect();
        // Further lines are indented, so that no line from outside looks like one of our labels.
        let text = lines.join("\n  ");
        let rest = text.strip_prefix(label).unwrap_or_default();
        let label = self.terminal.paint(tone, label);
        self.note(&format!("{label}{rest}"))
    }

    pub(super) fn quiet(&mut self, text: &str) -> io::Result<()> {
        let text = wrapped(text, self.terminal.prose(), 2);
        let lines: Vec<_> =
            text.lines().map(|line| self.terminal.paint(Tone::Quiet, line)).collect();
        self.note(&lines.join("\n"))
    }

    pub(super) fn hint(&mut self, hint: &str) -> io::Result<()> {
        self.labelled(Tone::Strong, "hint", hint)
    }

    /// Shows the current activity below the answer, unless a line of it is open.
    pub(super) fn doing(&mut self, what: &str, since: Instant) {
        if !self.is_open() {
            self.status.show(&mut self.err, self.terminal, what, since);
        }
    }
}

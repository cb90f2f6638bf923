//! What the chat says while an answer comes in: it waits for the end of a line of the answer, so
//! that no word is split.

use std::io::{self, Write};

use legwork::port::{EventKind, RunEvent};

use super::{Human, Within};
use crate::display::At;

/// What waits for the end of a line of the answer.
pub(super) enum Aside {
    Event(Box<RunEvent>),
    /// A text that was asked for, as it is laid out.
    Text(String),
}

/// Whether it is said by the chat, and not by the run.
pub(super) fn may_wait(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Note { .. } | EventKind::Warning { .. } | EventKind::RunFailed { .. })
}

impl<O: Write, E: Write> Human<O, E> {
    /// Whether what the chat says has to wait.
    pub(super) fn is_held_back(&self) -> bool {
        matches!(self.within, Within::Chat(_)) && self.is_within_line()
    }

    /// Shows what has waited, if the line of the answer has ended.
    pub(super) fn show_aside(&mut self) -> io::Result<()> {
        if self.aside.is_empty() || self.is_within_line() {
            return Ok(());
        }
        for aside in std::mem::take(&mut self.aside) {
            match aside {
                Aside::Event(event) => self.show_own(At::default(), &event)?,
                Aside::Text(text) => text.lines().try_for_each(|line| self.note(line))?,
            }
        }
        Ok(())
    }

    fn is_within_line(&self) -> bool {
        self.is_open() || self.markdown.is_within_line() || !self.held.is_empty()
    }
}

#[cfg(test)]
mod tests;

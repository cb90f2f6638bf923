//! The line that says what is going on, and is taken back when something happens.

use std::io::Write;
use std::time::Instant;

use super::Pane;
use super::pane::AROUND;
use super::seen::guarded;
use super::terminal::{Terminal, Tone};
use super::text::{clip_with, columns};

/// Goes to the line's start and clears it; only our own line is there.
const CLEAR: &str = "\r\x1b[2K";

/// Where it is shown what is going on.
#[derive(Default)]
enum Place {
    /// In a line of its own, which is taken back.
    #[default]
    Line,
    /// Behind the prompt of a chat.
    Prompt(Pane),
}

/// The line that says what is going on; nothing where lines cannot be taken back.
#[derive(Default)]
pub(crate) struct Status {
    place: Place,
    /// Whether a line was shown before.
    begun: bool,
    /// What is going on, and since when; none while no line is shown.
    shown: Option<(String, Instant)>,
    /// What the terminal shows, without its styles.
    line: String,
    frame: usize,
}

impl Status {
    /// One that is shown behind the prompt of a chat.
    pub(crate) fn in_prompt(pane: Pane) -> Self {
        Self { place: Place::Prompt(pane), ..Self::default() }
    }

    /// Shows what is going on.
    pub(crate) fn show(
        &mut self,
        err: &mut impl Write,
        terminal: Terminal,
        what: &str,
        since: Instant,
    ) {
        if !terminal.lively {
            return;
        }
        self.shown = Some((what.to_owned(), since));
        self.draw(err, terminal);
    }

    /// Moves the mark on.
    pub(crate) fn tick(&mut self, err: &mut impl Write, terminal: Terminal) {
        self.frame = self.frame.wrapping_add(1);
        self.draw(err, terminal);
    }

    /// Takes it back.
    pub(crate) fn clear(&mut self, err: &mut impl Write) {
        if self.shown.take().is_some() {
            self.line.clear();
            if let Place::Prompt(pane) = &self.place {
                return pane.doing("");
            }
            // Whether anybody reads standard error does not matter to the run.
            let _ = write!(err, "{CLEAR}").and_then(|()| err.flush());
        }
    }

    fn draw(&mut self, err: &mut impl Write, terminal: Terminal) {
        let Some((what, since)) = &self.shown else { return };
        let marks = terminal.marks;
        let frame = self.frame.checked_rem(marks.frames.len()).unwrap_or_default();
        let mark = marks.frames.get(frame).copied().unwrap_or_default();
        let long = match since.elapsed().as_secs() {
            0 => String::new(),
            seconds @ 1..60 => format!(" {} {seconds} s", marks.dot),
            seconds => format!(" {} {} min {} s", marks.dot, seconds / 60, seconds % 60),
        };
        let columns_there = match self.place {
            Place::Line => terminal.columns,
            Place::Prompt(_) => terminal.columns.saturating_sub(AROUND),
        };
        // One column stays free, so that no terminal breaks the line.
        let room = columns_there.saturating_sub(columns(mark) + 2 + columns(&long));
        let line = format!("{mark} {}{long}", clip_with(what, room, marks.more));
        if line == self.line {
            return;
        }
        if let Place::Prompt(pane) = &self.place {
            pane.doing(&line);
        } else {
            if !std::mem::replace(&mut self.begun, true) {
                let _ = write!(err, "{}", line_of_its_own(terminal.columns));
            }
            let painted = terminal.paint(Tone::Quiet, &guarded(&line));
            let _ = write!(err, "{CLEAR}{painted}").and_then(|()| err.flush());
        }
        self.line = line;
    }
}

/// Begins a line unless the cursor is at the beginning of one: another program may have left it
/// behind words. So many spaces fill a line that is empty, and break one that is not.
pub(crate) fn line_of_its_own(columns: usize) -> String {
    format!("{:wide$}\r", "", wide = columns.saturating_sub(1))
}

//! The part of the terminal above the line that a person types: what is written there never
//! meets what is typed.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::ExternalPrinter;

use super::seen::guarded;
use super::text::{clip_with, columns};
use super::{Terminal, Tone, line_of_its_own};

/// Draws the line that is typed once more: the editor prints whole lines only, and this one moves
/// the cursor up before it moves down.
const DRAW_AGAIN: &str = "\x1b[A\n";
/// Takes back the line above, where the prompt was.
const TAKE_BACK: &str = "\x1b[A\r\x1b[K";
/// Columns before what is typed, and one that stays free behind it.
pub(super) const AROUND: usize = 4;
/// Before what is typed.
pub(crate) const PROMPT: &str = "> ";

/// The part of the terminal above the line that a person types.
#[derive(Clone)]
pub(crate) struct Pane(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    terminal: Terminal,
    /// The terminal as it was before the editor changed it.
    before: Option<Termios>,
}

#[derive(Default)]
struct State {
    /// Whole lines that are not shown yet.
    lines: VecDeque<String>,
    /// The beginning of a line whose end was not written yet.
    begun: String,
    /// What is going on.
    doing: String,
    /// Whether what is shown behind the prompt has changed.
    stale: bool,
    /// Whether nothing is typed in the line that is read.
    untyped: bool,
    /// Whether anything was typed in it since it is read.
    touched: bool,
    /// Whether the cursor is behind a prompt that no editor has drawn.
    prompted: bool,
    phase: Phase,
}

impl State {
    /// Goes from one phase to another; where there is no editor, there never is.
    fn enter(&mut self, phase: Phase) {
        if self.phase != Phase::Alone {
            self.phase = phase;
        }
    }
}

/// Who writes to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Nobody: what is written waits until the next line is read.
    #[default]
    Rests,
    /// The editor, which draws its line below.
    Reads,
    /// This process alone: there is no editor, or no more.
    Alone,
}

impl Pane {
    pub(crate) fn new(terminal: Terminal) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let before = tcgetattr(io::stdin()).ok();
        Self(Arc::new(Inner { state, changed, terminal, before }))
    }

    /// Lets an editor print what is written.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(crate) fn prints(
        &self,
        printer: impl ExternalPrinter + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let pane = self.clone();
        thread::Builder::new().name("printer".to_owned()).spawn(move || pane.print(printer))
    }

    /// There is no editor that can print: lines are written at once, and keys are the terminal's.
    pub(crate) fn writes_alone(&self) {
        self.lends();
        self.change(|state| state.phase = Phase::Alone);
    }

    /// Whether no editor draws a line.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock().phase == Phase::Alone
    }

    /// The editor reads a line, and draws it: what is typed so far.
    pub(crate) fn reads(&self, typed: &str) {
        self.change(|state| {
            state.enter(Phase::Reads);
            state.untyped = typed.is_empty();
            state.touched |= !typed.is_empty();
        });
    }

    /// Whether words stand in the line that is read.
    pub(crate) fn is_typing(&self) -> bool {
        let state = self.lock();
        state.phase == Phase::Reads && !state.untyped
    }

    /// Writes what waits, while no line is read.
    pub(crate) fn writes_waiting(&self) {
        let lines = take_all(&mut self.lock());
        write(&lines);
    }

    /// The editor has read a line that is none: takes the prompt back if nothing stands there.
    /// Whether anything was typed.
    pub(crate) fn takes_back(&self) -> bool {
        let (untyped, touched) = {
            let state = self.lock();
            (state.untyped, state.touched)
        };
        if untyped && !self.is_alone() {
            write(TAKE_BACK);
        }
        self.rests();
        touched
    }

    /// Takes back the line that the editor has left, with the prompt before it.
    pub(crate) fn erases(&self, line: &str) {
        let mut terminal = self.0.terminal;
        terminal.measure();
        let room = terminal.columns.max(1);
        let rows = |line: &str| columns(line).div_ceil(room).max(1);
        let rows: usize = format!("{PROMPT}{line}").split('\n').map(rows).sum();
        write(&format!("\x1b[{rows}A\r\x1b[J"));
    }

    /// The editor has read a line.
    pub(crate) fn rests(&self) {
        self.change(|state| {
            state.enter(Phase::Rests);
            (state.touched, state.prompted) = (false, false);
        });
    }

    /// What is going on; empty for nothing.
    pub(crate) fn doing(&self, what: &str) {
        self.change(|state| {
            state.stale |= state.doing != what;
            what.clone_into(&mut state.doing);
        });
    }

    /// Shows a prompt where no editor draws one, once.
    pub(crate) fn prompts(&self) {
        let mut state = self.lock();
        if state.phase == Phase::Alone && !std::mem::replace(&mut state.prompted, true) {
            write(PROMPT);
        }
    }

    /// Begins a line behind a key that the terminal has echoed, where no editor does.
    pub(crate) fn interrupted(&self) {
        let mut state = self.lock();
        if state.phase == Phase::Alone {
            state.prompted = false;
            write("\n");
        }
    }

    /// What is shown behind the prompt while nothing is typed; nothing where it cannot be taken
    /// back.
    pub(crate) fn hint(&self) -> String {
        let state = self.lock();
        if !self.0.terminal.lively {
            return String::new();
        }
        let (begun, mut terminal) = (state.begun.trim_start(), self.0.terminal);
        terminal.measure();
        let what = if begun.is_empty() { state.doing.as_str() } else { begun };
        let room = terminal.columns.saturating_sub(AROUND);
        let what = clip_with(&plain(what), room, terminal.marks.more).into_owned();
        if what.is_empty() { what } else { terminal.paint(Tone::Quiet, &what) }
    }

    /// Begins a line, if another program has left the cursor behind words.
    pub(crate) fn begins_line(&self) {
        let mut terminal = self.0.terminal;
        terminal.measure();
        if terminal.lively {
            write(&line_of_its_own(terminal.columns));
        }
    }

    /// Keeps keys from doing anything by themselves: Ctrl-C between two lines is typed as well.
    pub(crate) fn holds_keys(&self) {
        let Some(mut modes) = self.0.before.clone().filter(|_| !self.is_alone()) else { return };
        modes.local_modes &=
            !(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
        modes.input_modes &= !(InputModes::ICRNL | InputModes::IXON);
        set(&modes);
    }

    /// Lends the terminal to another program, with the modes that it had.
    pub(crate) fn lends(&self) {
        self.0.before.iter().for_each(set);
    }

    /// Gives the terminal back: writes what waits, and restores its modes.
    pub(crate) fn leave(&self) {
        let (was, lines) = {
            let mut state = self.lock();
            let was = std::mem::replace(&mut state.phase, Phase::Alone);
            state.doing.clear();
            (was, take_all(&mut state))
        };
        self.0.changed.notify_all();
        self.lends();
        let clear = if was == Phase::Reads { "\x1b[?2004l\r\x1b[K" } else { "" };
        write(&format!("{clear}{lines}"));
    }

    fn print(&self, mut printer: impl ExternalPrinter) {
        while let Some(text) = self.next() {
            // Whoever does not see it reads the journal.
            if printer.print(text).is_err() {
                return;
            }
        }
    }

    /// What is to be printed next; none at the end.
    fn next(&self) -> Option<String> {
        let mut state = self.lock();
        loop {
            match state.phase {
                Phase::Alone => return None,
                Phase::Reads if !state.lines.is_empty() => return Some(take_all(&mut state)),
                Phase::Reads if state.stale && self.0.terminal.lively => {
                    state.stale = false;
                    return Some(DRAW_AGAIN.to_owned());
                }
                _ => {}
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let (mut state, mut alone) = (self.lock(), String::new());
        change(&mut state);
        if state.phase == Phase::Alone {
            alone = take_all(&mut state);
        }
        if !alone.is_empty() && std::mem::take(&mut state.prompted) {
            alone.insert(0, '\n');
        }
        drop(state);
        self.0.changed.notify_all();
        write(&alone);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Pane {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What is shown is text: its characters may come in several writes only at line ends.
        let text = String::from_utf8_lossy(bytes);
        self.change(|state| {
            state.begun.push_str(&text);
            while let Some(end) = state.begun.find('\n') {
                let rest = state.begun.split_off(end + 1);
                let line = std::mem::replace(&mut state.begun, rest);
                state.lines.push_back(line);
            }
            state.stale = true;
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sets the modes of the terminal; one that is gone needs none.
fn set(modes: &Termios) {
    let _ = tcsetattr(io::stdin(), OptionalActions::Drain, modes);
}

fn take_all(state: &mut State) -> String {
    state.lines.drain(..).collect()
}

/// Writes to the terminal; the chat goes on though nobody reads it.
fn write(text: &str) {
    if !text.is_empty() {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// The text without its styles, in one line.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('\x1b');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    guarded(&plain).replace('\t', " ")
}

#[cfg(test)]
mod tests;

//! What a person types, a line at a time, for whoever wants it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

/// What a person typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C, or Esc while the agent works.
    Interrupt,
    /// Ctrl-C behind words, which are discarded.
    Discard,
    /// Ctrl-D in an empty line, or the end of the input.
    End,
}

/// What a line is to a question that waits.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    /// A command of the chat.
    Command,
    Answer(String),
}

/// The lines of the one editor of a chat: a question that waits gets the next one that is no
/// command, else the chat.
#[derive(Clone)]
pub(crate) struct Keyboard(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    lines: mpsc::UnboundedSender<Typed>,
}

#[derive(Default)]
struct State {
    reading: Reading,
    /// The questions that wait, the oldest first.
    questions: VecDeque<oneshot::Sender<String>>,
    /// Whether the line that is read was begun before a question waited.
    begun_before: bool,
    /// What was half-typed when a question came.
    aside: Option<String>,
    /// What the line begins with that takes its place.
    instead: Option<String>,
    /// Whether somebody reads lines by now.
    open: bool,
}

impl State {
    fn asks(&self) -> bool {
        self.questions.iter().any(|question| !question.is_closed())
    }

    /// Gives a line to the oldest question that somebody waits for; the line if there is none, or
    /// if it is a command.
    fn answer(&mut self, line: String) -> Result<(), String> {
        if !self.asks() {
            return Err(line);
        }
        let Meant::Answer(mut answer) = meant(&line) else { return Err(line) };
        while let Some(question) = self.questions.pop_front() {
            match question.send(answer) {
                Ok(()) => return Ok(()),
                Err(unheard) => answer = unheard,
            }
        }
        Err(line)
    }
}

/// What the editor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Reading {
    #[default]
    Rests,
    /// It is to read a line.
    Wanted,
    Reads,
}

impl Keyboard {
    /// A keyboard, and the lines that are for the chat.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Typed>) {
        let (lines, typed) = mpsc::unbounded_channel();
        let (state, changed) = (Mutex::default(), Condvar::new());
        (Self(Arc::new(Inner { state, changed, lines })), typed)
    }

    /// Has the next line read, unless one is being read.
    pub(crate) fn read(&self) {
        let mut state = self.lock();
        if state.reading == Reading::Rests {
            state.reading = Reading::Wanted;
        }
        drop(state);
        self.0.changed.notify_all();
    }

    /// The next line, for a question. Nothing is read after it until [`Keyboard::read`]: the
    /// terminal may be needed first.
    pub(crate) fn answer(&self) -> oneshot::Receiver<String> {
        let (question, answer) = oneshot::channel();
        let mut state = self.lock();
        state.questions.push_back(question);
        state.begun_before |= state.reading == Reading::Reads;
        drop(state);
        self.read();
        answer
    }

    /// Whether a question waits for a line.
    pub(crate) fn asks(&self) -> bool {
        self.lock().asks()
    }

    /// Puts aside what was typed before a question waited, for a line that begins with a key;
    /// whether there was anything. For the editor, before each key.
    pub(super) fn puts_aside(&self, line: &str, key: String) -> bool {
        let mut state = self.lock();
        let is_aside = std::mem::take(&mut state.begun_before) && state.asks() && !line.is_empty();
        if is_aside {
            state.aside = Some(line.to_owned());
            state.instead = Some(key);
        }
        is_aside
    }

    /// What was just put aside, and what the line begins with instead; for the editor.
    pub(super) fn begins_again(&self) -> Option<(String, String)> {
        let mut state = self.lock();
        let instead = state.instead.take()?;
        Some((state.aside.clone().unwrap_or_default(), instead))
    }

    /// What was put aside, once no question waits; for the editor.
    pub(super) fn takes_up(&self) -> Option<String> {
        let mut state = self.lock();
        if state.asks() {
            return None;
        }
        state.aside.take()
    }

    /// Waits until a line is wanted; for the editor.
    pub(super) fn wanted(&self) {
        let mut state = self.lock();
        while state.reading != Reading::Wanted {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (state.reading, state.open) = (Reading::Reads, true);
    }

    /// Hands on what was typed; whether anybody still wants it. For the editor.
    pub(super) fn typed(&self, typed: Typed) -> bool {
        let mut state = self.lock();
        state.reading = Reading::Rests;
        state.begun_before = false;
        let typed = match typed {
            Typed::Line(line) => match state.answer(line) {
                Ok(()) => return true,
                Err(line) => Typed::Line(line),
            },
            // What ends the wait withdraws what is waited for.
            typed => {
                state.questions.clear();
                typed
            }
        };
        drop(state);
        self.0.lines.send(typed).is_ok()
    }

    /// Ctrl-C that came as a signal, where no editor reads keys; false if nobody reads yet.
    pub(super) fn interrupts(&self) -> bool {
        let mut state = self.lock();
        state.questions.clear();
        state.open && self.0.lines.send(Typed::Interrupt).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a line is to a question; two slashes stand for one, and a path is an answer.
fn meant(line: &str) -> Meant {
    let Some(rest) = line.trim_start().strip_prefix('/') else {
        return Meant::Answer(line.to_owned());
    };
    if let Some(rest) = rest.strip_prefix('/') {
        return Meant::Answer(format!("/{rest}"));
    }
    let name = rest.split(char::is_whitespace).next().unwrap_or_default();
    if name.contains('/') { Meant::Answer(line.to_owned()) } else { Meant::Command }
}

#[cfg(test)]
mod tests;

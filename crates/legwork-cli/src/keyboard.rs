//! What a person types, a line at a time, for whoever wants it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

/// What a person typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C, or Esc while the agent works.
    Interrupt,
    /// Ctrl-D in an empty line, or the end of the input.
    End,
}

/// The lines of the one editor of a chat: a question that waits gets the next one, else the chat.
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
    question: Option<oneshot::Sender<String>>,
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
        self.lock().question = Some(question);
        self.read();
        answer
    }

    /// Waits until a line is wanted; for the editor.
    pub(super) fn wanted(&self) {
        let mut state = self.lock();
        while state.reading != Reading::Wanted {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.reading = Reading::Reads;
    }

    /// Hands on what was typed; whether anybody still wants it. For the editor.
    pub(super) fn typed(&self, typed: Typed) -> bool {
        let mut state = self.lock();
        state.reading = Reading::Rests;
        let question = state.question.take();
        drop(state);
        let typed = match (typed, question) {
            (Typed::Line(line), Some(question)) => match question.send(line) {
                Ok(()) => return true,
                // Nobody waits for the answer any more.
                Err(line) => Typed::Line(line),
            },
            (typed, _) => typed,
        };
        self.0.lines.send(typed).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;

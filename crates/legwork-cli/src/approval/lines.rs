//! Lines that a person types, read when they are wanted.

use std::io::stdin;
use std::sync::mpsc;
use std::thread;

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc as lines;

use crate::keyboard::Keyboard;

/// Lines that a person types.
pub(super) enum Lines {
    /// At the terminal.
    Stdin(Stdin),
    /// In a chat, whose editor has the terminal.
    Chat(Keyboard),
}

impl Lines {
    /// Those that are typed at a keyboard, or on standard input.
    pub(super) fn of(keyboard: Option<&Keyboard>) -> Self {
        match keyboard {
            Some(keyboard) => Self::Chat(keyboard.clone()),
            None => Self::Stdin(Stdin::default()),
        }
    }

    /// Forgets what was typed before the question was there. In a chat nothing was: a line that
    /// was ended before is no answer.
    pub(super) fn discard(&mut self) {
        if let Self::Stdin(stdin) = self {
            stdin.discard();
        }
    }

    /// The next line; none at the end of the input. A question that is withdrawn in a chat has
    /// none: the interrupt ends the wait.
    pub(super) async fn next(&mut self) -> Option<String> {
        match self {
            Self::Stdin(stdin) => stdin.next().await,
            Self::Chat(keyboard) => match keyboard.answer().await {
                Ok(line) => Some(line),
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// The question is answered, and the terminal is free.
    pub(super) fn done(&self) {
        if let Self::Chat(keyboard) = self {
            keyboard.read();
        }
    }
}

/// Lines that a person types at the terminal.
///
/// A thread of its own reads one when it is asked to: a read of a terminal cannot be given up, so
/// one that nobody waits for any more serves the next question.
#[derive(Default)]
pub(super) struct Stdin {
    reader: Option<Reader>,
}

struct Reader {
    wanted: mpsc::Sender<()>,
    lines: lines::UnboundedReceiver<Option<String>>,
    /// Whether a line was asked for that did not come yet.
    reads: bool,
}

impl Stdin {
    /// Forgets what was typed before the question was there.
    fn discard(&mut self) {
        // What cannot be discarded was not typed at a terminal.
        let _ = tcflush(stdin(), QueueSelector::IFlush);
        if let Some(reader) = &mut self.reader
            && reader.lines.try_recv().is_ok()
        {
            reader.reads = false;
        }
    }

    /// The next line; none at the end of the input.
    async fn next(&mut self) -> Option<String> {
        let reader = self.reader.get_or_insert_with(Reader::start);
        if !reader.reads {
            reader.wanted.send(()).ok()?;
            reader.reads = true;
        }
        let line = reader.lines.recv().await;
        reader.reads = false;
        line.flatten()
    }
}

impl Reader {
    fn start() -> Self {
        let (wanted, asked) = mpsc::channel();
        let (typed, lines) = lines::unbounded_channel();
        // If there is no thread to be had, nobody answers.
        let _ = thread::Builder::new().name("answers".to_owned()).spawn(move || {
            while asked.recv().is_ok() {
                let mut line = String::new();
                let read = stdin().read_line(&mut line);
                let line = read.ok().filter(|length| *length > 0).map(|_| line);
                if typed.send(line).is_err() {
                    return;
                }
            }
        });
        Self { wanted, lines, reads: false }
    }
}

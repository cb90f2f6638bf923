//! Where a chat writes: above the line that is typed, or to what is no terminal.

use std::io::{self, IsTerminal as _, Stderr, Stdout, Write, stderr, stdout};

use super::Pane;

/// A stream of the chat.
pub(crate) enum Stream {
    Pane(Pane),
    Out(Stdout),
    Err(Stderr),
}

impl Stream {
    /// Standard output: the terminal, or where the answers go.
    pub(crate) fn out(pane: &Pane) -> Self {
        let out = stdout();
        if out.is_terminal() { Self::Pane(pane.clone()) } else { Self::Out(out) }
    }

    pub(crate) fn err(pane: &Pane) -> Self {
        let err = stderr();
        if err.is_terminal() { Self::Pane(pane.clone()) } else { Self::Err(err) }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pane(pane) => pane.write(bytes),
            Self::Out(out) => out.write(bytes),
            Self::Err(err) => err.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Pane(pane) => pane.flush(),
            Self::Out(out) => out.flush(),
            Self::Err(err) => err.flush(),
        }
    }
}

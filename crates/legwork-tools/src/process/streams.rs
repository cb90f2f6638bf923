//! The standard streams of a command, and who takes what it prints.

use std::future::pending;
use std::io;
use std::process::Stdio;

use rustix::io::Errno;
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// Bytes taken from the pipe at once.
const CHUNK: usize = 64 * 1024;
/// Most bytes taken after the end: no pipe holds more (`pipe-max-size`).
const LEFTOVER_MAX: usize = 1024 * 1024;

/// The ends of the streams that a command gets.
pub(super) struct Streams {
    pub(super) input: Stdio,
    pub(super) output: Stdio,
    pub(super) errors: Stdio,
}

/// Our ends of three pipes: the input of a command, its output and its errors.
pub(crate) type Pipes = (ChildStdin, ChildStdout, ChildStderr);

/// Takes what a command prints while it runs.
pub(crate) trait Output: Send {
    /// What is left of it once the command has ended.
    type Left;

    /// Takes the next bytes; waits for ever if none will come. May be dropped and called again.
    ///
    /// # Errors
    /// When they cannot be read.
    fn take(&mut self) -> impl Future<Output = io::Result<()>> + Send;

    /// Takes what is still to be read, without waiting for the end of it.
    fn close(self) -> Self::Left;
}

/// Where what a command prints goes.
pub(crate) trait Sink: Send {
    /// Takes the next bytes.
    fn push(&mut self, chunk: &[u8]);
}

/// One pipe for standard output and standard error, which is read into a sink.
pub(crate) struct Merged<S> {
    printed: pipe::Receiver,
    open: bool,
    sink: S,
    chunk: Vec<u8>,
}

impl<S: Sink> Merged<S> {
    /// The pipe, and the streams of a command without input that writes to it.
    pub(super) fn new(sink: S) -> io::Result<(Self, Streams)> {
        let (printed, printing) = io::pipe()?;
        let printed = pipe::Receiver::from_owned_fd(printed.into())?;
        let (output, errors) = (printing.try_clone()?.into(), printing.into());
        let streams = Streams { input: Stdio::null(), output, errors };
        Ok((Self { printed, open: true, sink, chunk: vec![0; CHUNK] }, streams))
    }
}

impl<S: Sink> Output for Merged<S> {
    type Left = S;

    async fn take(&mut self) -> io::Result<()> {
        if !self.open {
            return pending().await;
        }
        self.printed.readable().await?;
        match self.printed.try_read(&mut self.chunk) {
            Ok(0) => self.open = false,
            Ok(length) => self.sink.push(self.chunk.get(..length).unwrap_or_default()),
            Err(error) => self.open = error.kind() == io::ErrorKind::WouldBlock,
        }
        Ok(())
    }

    /// A writer that could not be killed must not hold us up, so the end of the pipe is not
    /// waited for.
    fn close(mut self) -> S {
        let mut taken = 0;
        while self.open && taken < LEFTOVER_MAX {
            // Not through the runtime, which may not know of the last bytes yet.
            match rustix::io::read(&self.printed, &mut self.chunk) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    taken += length;
                    self.sink.push(self.chunk.get(..length).unwrap_or_default());
                }
            }
        }
        self.sink
    }
}

/// Three pipes, which the caller reads and writes.
pub(crate) struct Apart;

impl Output for Apart {
    type Left = ();

    async fn take(&mut self) -> io::Result<()> {
        pending().await
    }

    fn close(self) {}
}

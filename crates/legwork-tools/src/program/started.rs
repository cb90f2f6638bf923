//! A program that runs: its pipes, and what waits for it and ends it.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, copy, sink};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::exit::Exit;
use crate::process::{Apart, Lifeline, Pipes, Running};
use crate::sandbox::Limits;

/// A program that was started, and our ends of its pipes.
///
/// `output` and `errors` both have to be read, or dropped: a pipe holds some 64 KiB, and a
/// program that writes more waits until it is read. One that writes to a pipe that was
/// dropped is killed by SIGPIPE, unless it expects that. Both are at their end when the
/// program and all that came of it have ended, and may be read to there after that.
///
/// Dropping it kills the program; so does dropping `process` alone, also by taking it apart
/// with `..` in its place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Started {
    /// What the program reads; it reads the end when this is dropped.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: ChildStdout,
    /// Its standard error.
    pub errors: ChildStderr,
    /// The program itself.
    pub process: Process,
}

/// The processes of a program, its descendants included.
///
/// Dropping it kills them all, without waiting for it; so does the end of the runtime or of
/// this process.
#[derive(Debug)]
pub struct Process {
    lifeline: Lifeline,
    enough: Arc<Notify>,
    exit: watch::Receiver<Option<Exit>>,
    limits: Limits,
}

impl Started {
    pub(super) fn new(running: Running<Apart>, pipes: Pipes, limits: Limits) -> Self {
        let (input, output, errors) = pipes;
        Self { input, output, errors, process: Process::new(running, limits) }
    }

    /// Ends the program: closes its input, and asks it to end if it has not after `grace`.
    ///
    /// What it still prints is discarded. See [`Process::end`] for the rest.
    pub async fn end(self, grace: Duration) -> Exit {
        let Self { input, output, errors, process } = self;
        drop(input);
        let discarded = async { tokio::join!(discard(output), discard(errors)) };
        tokio::select! {
            // Output without an end must not use up the turns of what ends it.
            biased;
            exit = process.end(grace) => exit,
            exit = async { discarded.await; pending().await } => exit,
        }
    }
}

impl Process {
    fn new(running: Running<Apart>, limits: Limits) -> Self {
        let (lifeline, enough) = (running.lifeline(), Arc::new(Notify::new()));
        let (reporter, exit) = watch::channel(None);
        let asked = Arc::clone(&enough);
        tokio::spawn(async move {
            // Where its end cannot be learned it is let go of, and so killed and lost.
            if let Ok((end, ())) = running.finish(asked.notified()).await {
                reporter.send_replace(Some(Exit { end: Some(end), limits }));
            }
        });
        Self { lifeline, enough, exit, limits }
    }

    /// Waits until the program and all that came of it have ended, and says how.
    ///
    /// What its sandbox does after a command is done by then. May be dropped and called again,
    /// and waited for by several at once.
    pub async fn ended(&self) -> Exit {
        let mut exit = self.exit.clone();
        let ended = exit.wait_for(Option::is_some).await.ok().and_then(|exit| *exit);
        ended.unwrap_or(Exit { end: None, limits: self.limits })
    }

    /// Waits for the end; after `grace` asks for it, and forces it where that is of no use.
    ///
    /// A program that reads its input ends by itself when the caller has dropped that before;
    /// the caller also goes on reading its output. Asking is TERM to all processes, forcing is
    /// KILL, and between them is the time of
    /// [`Program::with_grace`](super::Program::with_grace). Dropping the future kills at once.
    pub async fn end(self, grace: Duration) -> Exit {
        if let Ok(exit) = timeout(grace, self.ended()).await {
            return exit;
        }
        self.enough.notify_one();
        self.ended().await
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.lifeline.cut();
    }
}

async fn discard(mut pipe: impl AsyncRead + Unpin) {
    // One that cannot be read is as good as read.
    let _ = copy(&mut pipe, &mut sink()).await;
}

//! What comes on standard input.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::os::fd::AsFd as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::{HINT, MOST, text};
use crate::commands::tell;
use crate::error::Error;

/// After so long without an end, the person is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The task, where no argument says it.
pub(super) fn task(asked: bool) -> Result<String, Error> {
    if !asked && io::stdin().is_terminal() {
        return Err(Error::usage("there is no task", HINT));
    }
    text(read_all().map_err(failed)?, "the task on standard input")
}

/// The message that a command is to read here.
pub(super) fn message() -> Result<String, Error> {
    text(read_all().map_err(failed)?, "the message on standard input")
}

/// What was piped in beside a task; none where standard input is no pipe and no file.
pub(super) fn context() -> Result<Option<String>, Error> {
    if !is_piped() {
        return Ok(None);
    }
    let (sender, receiver) = channel();
    let read = move || {
        // Whoever waits for it may be gone.
        let _ = sender.send(read_all());
    };
    let reader = thread::Builder::new().name("stdin".to_owned()).spawn(read);
    reader.map_err(failed)?;
    let bytes = match receiver.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Timeout) => {
            let said = "reading standard input to its end, for it belongs to the task; \
                        give < /dev/null if it does not";
            tell(said);
            receiver.recv().map_err(|_| gone())
        }
        Err(RecvTimeoutError::Disconnected) => Err(gone()),
        Ok(read) => Ok(read),
    };
    let bytes = bytes?.map_err(failed)?;
    text(bytes, "standard input").map(Some)
}

/// Whether standard input is a pipe or a file: nothing else is meant to be read beside a
/// task.
fn is_piped() -> bool {
    let Ok(copy) = io::stdin().as_fd().try_clone_to_owned() else { return false };
    let Ok(metadata) = File::from(copy).metadata() else { return false };
    let kind = metadata.file_type();
    kind.is_file() || std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

/// All of it, one byte more than a task may have where there is more.
fn read_all() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MOST).unwrap_or(u64::MAX).saturating_add(1);
    io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn failed(source: io::Error) -> Error {
    Error::System { doing: "reading standard input", source }
}

fn gone() -> Error {
    failed(io::Error::other("its reader ended"))
}

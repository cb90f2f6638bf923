//! A session's file: read under a shared lock, added to under an exclusive one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::log::{Line, Log};

/// What is in a session's file; nothing if there is none.
pub(super) fn read(path: &Path) -> io::Result<Log> {
    let mut log = Log::default();
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(log),
        other => other?,
    };
    // A line that is being added would look like one whose writer died.
    file.lock_shared()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    log.take(&bytes);
    Ok(log)
}

/// Opens a file that is the owner's alone.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A session's file, locked until this is dropped.
pub(super) struct Writing {
    path: PathBuf,
    file: File,
}

impl Writing {
    /// Opens a session's file, which is made if it is missing, and waits for its lock.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = options().open(path)?;
        file.lock()?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Takes what others added since.
    pub(super) fn catch_up(&mut self, log: &mut Log) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if length < log.length {
            return Err(io::Error::other("the file is shorter than it was: somebody cut it"));
        }
        self.file.seek(SeekFrom::Start(log.length))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        log.take(&bytes);
        Ok(())
    }

    /// Adds a line behind all that the log has; when it returns, the line is durable.
    pub(super) fn add(&mut self, log: &mut Log, line: &Line<'_>) -> io::Result<()> {
        let is_new = log.length == 0;
        // The end of a line whose writer died keeps that from spoiling this one.
        let mut bytes = if log.torn { vec![b'\n'] } else { Vec::new() };
        bytes.extend(line.encode()?);
        bytes.push(b'\n');
        if let Err(error) = self.file.write_all(&bytes).and_then(|()| self.file.sync_data()) {
            // What was refused must not turn up later. If even this fails, the disk has
            // said so already.
            let _ = self.file.set_len(log.length);
            return Err(error);
        }
        if is_new && let Some(folder) = self.path.parent() {
            File::open(folder)?.sync_all()?;
        }
        log.take(&bytes);
        Ok(())
    }
}

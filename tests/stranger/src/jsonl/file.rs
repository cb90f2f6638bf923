//! A session's file: read under a shared lock, added to under an exclusive one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::log::{Line, Log};
use super::summary;

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
        loop {
            let file = options().open(path)?;
            file.lock()?;
            // It may have been removed, and a new one made, while this waited.
            if is_at(&file, path)? {
                return Ok(Self { path: path.to_owned(), file });
            }
        }
    }

    /// Removes the file and its summary; a file that is gone already is no error.
    pub(super) fn remove(self) -> io::Result<()> {
        gone(fs::remove_file(summary::path(&self.path)))?;
        gone(fs::remove_file(&self.path))
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
        // The line is durable. Without a summary, lists read the file.
        let _ = summary::write(&self.path, log);
        Ok(())
    }
}

/// Makes a removal of what is not there a success.
pub(super) fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

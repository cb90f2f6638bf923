//! The file of records: read by all, changed atomically by one process at a time.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};

use super::owner::Owners;
use super::records::{Records, VERSION, place};
use crate::config::locate::shown;
use crate::error::Error;

/// The folder that records are kept in.
#[derive(Debug, Clone)]
pub(crate) struct StateFolder {
    pub(super) folder: PathBuf,
}

/// The message if there is no state folder.
const NO_PLACE: &str =
    "trust in projects cannot be recorded: neither HOME nor XDG_STATE_HOME is set";

impl StateFolder {
    /// The user's own.
    ///
    /// # Errors
    /// When there is no state folder.
    pub(crate) fn own() -> Result<Self, Error> {
        let folder = place()
            .ok_or_else(|| Error::usage(NO_PLACE, "set one of them, or give --trust each time"))?;
        Ok(Self { folder })
    }

    fn file(&self) -> PathBuf {
        self.folder.join("records.json")
    }

    /// The records; empty ones if there is no file.
    ///
    /// # Errors
    /// When the file cannot be used: others may write to it, or its content is invalid.
    pub(crate) fn read(&self) -> Result<Records, Error> {
        self.parsed().map_err(|why| {
            let message = format!("the records of trusted projects cannot be used: {why}");
            let file = shown(&self.file());
            Error::usage(
                message,
                format!("repair {file}, or remove it and trust the projects again"),
            )
        })
    }

    fn parsed(&self) -> Result<Records, String> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(self.file());
        let mut file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::default()),
            file => file.map_err(|error| error.to_string())?,
        };
        let about = file.metadata().map_err(|error| error.to_string())?;
        if !about.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        if !Owners::person().has(about.uid()) || about.mode() & 0o022 != 0 {
            return Err("other users may write to it".to_owned());
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| error.to_string())?;
        let records: Records = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match records.version {
            VERSION => Ok(records),
            version => Err(format!("its version {version} is not supported")),
        }
    }

    /// Changes the records; other processes wait meanwhile.
    ///
    /// # Errors
    /// When the file cannot be read or written; it is then unchanged.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Records) -> T) -> Result<T, Error> {
        let failed = |source| Error::System { doing: "recording what is trusted", source };
        let _lock = self.locked().map_err(failed)?;
        let mut records = self.read()?;
        let before = records.clone();
        let result = change(&mut records);
        if records != before {
            self.write(&records).map_err(failed)?;
        }
        Ok(result)
    }

    fn locked(&self) -> io::Result<File> {
        make(&self.folder)?;
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = lock.open(self.folder.join("lock"))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    fn write(&self, records: &Records) -> io::Result<()> {
        let text = serde_json::to_string_pretty(records)?;
        replace(&self.file(), text.as_bytes())
    }
}

/// Makes a folder that only the user can access.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Replaces a file atomically and durably. The caller holds the lock.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    if let Err(error) = fs::remove_file(&draft)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    let folder = path.parent().map_or_else(|| File::open("."), File::open)?;
    folder.sync_all()
}

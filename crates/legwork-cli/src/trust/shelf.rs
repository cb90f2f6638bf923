//! The file of records: read, and changed by one process at a time, whole or not at all.

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
pub(crate) struct Shelf {
    pub(super) folder: PathBuf,
}

/// Where it can be kept, or what to do where there is no such place.
const NO_PLACE: &str = "there is no place to remember projects: neither HOME nor XDG_STATE_HOME \
                        is set";

impl Shelf {
    /// The person's own.
    ///
    /// # Errors
    /// Where there is no place for it.
    pub(crate) fn own() -> Result<Self, Error> {
        let folder = place()
            .ok_or_else(|| Error::usage(NO_PLACE, "set one of them, or give --trust each time"))?;
        Ok(Self { folder })
    }

    fn file(&self) -> PathBuf {
        self.folder.join("records.json")
    }

    /// What is remembered; nothing if nothing was.
    ///
    /// # Errors
    /// When the file cannot be used: it is not the person's, or not what was written.
    pub(crate) fn read(&self) -> Result<Records, Error> {
        self.parsed().map_err(|why| {
            let message = format!("what is known of projects cannot be used: {why}");
            let file = shown(&self.file());
            Error::usage(message, format!("set {file} right, or remove it and trust anew"))
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
            return Err("it is no regular file".to_owned());
        }
        if !Owners::person().has(about.uid()) || about.mode() & 0o022 != 0 {
            return Err("others than you may write to it".to_owned());
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| error.to_string())?;
        let records: Records = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match records.version {
            VERSION => Ok(records),
            version => Err(format!("it has version {version}, which is not known")),
        }
    }

    /// Changes what is remembered; other processes wait meanwhile.
    ///
    /// # Errors
    /// When it cannot be read or written; then it is as it was.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Records) -> T) -> Result<T, Error> {
        let failed = |source| Error::System { doing: "remembering what is trusted", source };
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

/// Makes a folder for the person alone.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Puts a file in place of another in one step, durably. Who calls it holds the lock.
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

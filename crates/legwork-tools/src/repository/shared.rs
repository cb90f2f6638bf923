//! The baseline that processes over the same directory share.
//!
//! A process that starts while commands of another one run there cannot know what they
//! changed. So the first process writes the state of the directory to a file, and the
//! others read it from there until the last one has ended.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, mkdir, open, openat, stat,
    unlinkat,
};
use rustix::io::Errno;

use super::snapshot::Snapshot;

/// The name of the directory of these files; the user's number follows.
const NAME: &str = "legwork-kept-";
/// The file that is locked while a process joins or leaves.
const GATE: &str = "gate";
/// How often the gate is tried, and the delay between two tries: a process holds it while it
/// reads a directory.
const TRIES: u32 = 1_000;
const RETRY_DELAY: Duration = Duration::from_millis(5);
/// Flags that a file there is opened with.
const OPENED: OFlags =
    OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
/// Most bytes that are read.
const BYTES_MAX: u64 = 256 << 20;

/// Why the state of a directory is not shared with other processes.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unshared {
    #[error("{} is in a directory that commands may write", place.display())]
    Writable { place: PathBuf },
    #[error("{} is not a directory that only this user can enter", place.display())]
    Foreign { place: PathBuf },
    #[error("{} has been locked by another process for too long", place.display())]
    Busy { place: PathBuf },
    #[error("{}: {source}", place.display())]
    Io { place: PathBuf, source: io::Error },
    #[error("{}: {source}", root.display())]
    Encoding { root: PathBuf, source: serde_json::Error },
}

/// A directory that only this user can enter.
#[derive(Debug)]
struct PrivateDirectory {
    path: PathBuf,
    directory: OwnedFd,
}

/// The gate, locked.
struct Gate(OwnedFd);

/// This process among those that run commands over some directories.
#[derive(Debug)]
pub(super) struct Shared {
    place: PrivateDirectory,
    files: Vec<Joined>,
}

/// The file of one directory.
#[derive(Debug)]
struct Joined {
    root: PathBuf,
    path: PathBuf,
    name: String,
    /// Locked: exclusively while this process writes, otherwise shared.
    file: OwnedFd,
    is_first: bool,
}

/// A process that is joining: no other joins or leaves meanwhile.
pub(super) struct Joining {
    // Dropped first: leaving takes the gate, too.
    _gate: Gate,
    shared: Shared,
}

impl Shared {
    /// Joins the processes that run commands over some directories.
    ///
    /// # Errors
    /// When the files cannot be placed, or the gate stays locked.
    pub(super) fn join(roots: &[PathBuf], place: &Path) -> Result<Joining, Unshared> {
        let place = PrivateDirectory::open(place, roots)?;
        let gate = place.gate()?;
        place.sweep();
        let files = roots.iter().map(|root| place.join(root)).collect::<Result<_, _>>()?;
        Ok(Joining { _gate: gate, shared: Self { place, files } })
    }
}

impl Joining {
    /// Takes the directories that another process joined first as it found them.
    ///
    /// # Errors
    /// When what it wrote cannot be read.
    pub(super) fn adopt(&self, before: &mut Snapshot) -> Result<(), Unshared> {
        for file in self.shared.files.iter().filter(|file| !file.is_first) {
            let adopted = before.adopt(&file.root, &file.read()?);
            adopted.map_err(|source| encoding_error(&file.root, source))?;
        }
        Ok(())
    }

    /// Writes the directories that this process joins first, and has joined.
    ///
    /// # Errors
    /// When one cannot be encoded or written.
    pub(super) fn finish(mut self, before: &Snapshot) -> Result<Shared, Unshared> {
        for file in self.shared.files.iter_mut().filter(|file| file.is_first) {
            let bytes = before.to_bytes(&file.root);
            let bytes = bytes.map_err(|source| encoding_error(&file.root, source))?;
            file.write(&bytes.unwrap_or_default())?;
            let shared = flock(&file.file, FlockOperation::NonBlockingLockShared);
            shared.map_err(|errno| io_error(&file.path, errno))?;
        }
        Ok(self.shared)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A file that is left is removed by the next process that joins.
        let Ok(_gate) = self.place.gate() else { return };
        for file in &self.files {
            // A file that is still used stays.
            if flock(&file.file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = unlinkat(&self.place.directory, &file.name, AtFlags::empty());
            }
            // Closing it is not enough: a child that is being started may have it, too.
            let _ = flock(&file.file, FlockOperation::Unlock);
        }
    }
}

/// The directory of these files, which no command can reach, like a secret.
///
/// For an ordinary user in a directory where no other user can make it, if there is one.
pub(crate) fn place() -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    let own = if user == 0 { PathBuf::from("/run") } else { format!("/run/user/{user}").into() };
    let is_own = stat(&own).is_ok_and(|found| found.st_uid == user && found.st_mode & 0o022 == 0);
    let above = if is_own { own } else { PathBuf::from("/tmp") };
    above.join(format!("{NAME}{user}"))
}

impl PrivateDirectory {
    /// Removes files of processes that were killed; the gate is held.
    fn sweep(&self) {
        let Ok(listing) = Dir::read_from(&self.directory) else { return };
        for entry in listing.flatten() {
            let name = entry.file_name();
            if !name.to_bytes().contains(&b'-') {
                continue;
            }
            let Ok(file) = openat(&self.directory, name, OPENED, Mode::empty()) else { continue };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = unlinkat(&self.directory, name, AtFlags::empty());
            }
        }
    }

    /// Opens it, or makes it.
    fn open(path: &Path, roots: &[PathBuf]) -> Result<Self, Unshared> {
        let user = rustix::process::geteuid().as_raw();
        let path = path.to_owned();
        if roots.iter().any(|root| path.starts_with(root)) {
            return Err(Unshared::Writable { place: path });
        }
        match mkdir(&path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(io_error(&path, errno)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = open(&path, flags, Mode::empty());
        let directory = opened.map_err(|errno| io_error(&path, errno))?;
        let found = fstat(&directory).map_err(|errno| io_error(&path, errno))?;
        match found.st_uid == user && found.st_mode & 0o077 == 0 {
            true => Ok(Self { path, directory }),
            false => Err(Unshared::Foreign { place: path }),
        }
    }

    fn file(&self, name: &str) -> Result<OwnedFd, Errno> {
        openat(&self.directory, name, OPENED | OFlags::CREATE, Mode::RUSR | Mode::WUSR)
    }

    /// Waits for the gate.
    fn gate(&self) -> Result<Gate, Unshared> {
        let place = || self.path.join(GATE);
        let gate = self.file(GATE).map_err(|errno| io_error(&place(), errno))?;
        for _ in 0..TRIES {
            match flock(&gate, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Gate(gate)),
                Err(Errno::WOULDBLOCK | Errno::INTR) => sleep(RETRY_DELAY),
                Err(errno) => return Err(io_error(&place(), errno)),
            }
        }
        Err(Unshared::Busy { place: place() })
    }

    /// The file of a directory, locked.
    fn join(&self, root: &Path) -> Result<Joined, Unshared> {
        let found = stat(root).map_err(|errno| io_error(root, errno))?;
        let name = format!("{:x}-{:x}", found.st_dev, found.st_ino);
        let path = self.path.join(&name);
        let opened = self.file(&name).and_then(|file| Ok((lock(&file)?, file)));
        let (is_first, file) = opened.map_err(|errno| io_error(&path, errno))?;
        Ok(Joined { root: root.to_owned(), path, name, file, is_first })
    }
}

/// Locks the file of a directory; exclusively if no other process has.
fn lock(file: &OwnedFd) -> Result<bool, Errno> {
    if FileType::from_raw_mode(fstat(file)?.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        // Its users share the lock; it is exclusive only while one holds the gate.
        Err(Errno::WOULDBLOCK) => {
            flock(file, FlockOperation::NonBlockingLockShared).map(|()| false)
        }
        Err(errno) => Err(errno),
    }
}

impl Joined {
    fn read(&self) -> Result<Vec<u8>, Unshared> {
        let read = || {
            let mut file = File::from(self.file.try_clone()?);
            let mut bytes = Vec::new();
            file.rewind()?;
            file.take(BYTES_MAX).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|source| self.error(source))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Unshared> {
        let write = || {
            let mut file = File::from(self.file.try_clone()?);
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(bytes)
        };
        write().map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> Unshared {
        Unshared::Io { place: self.path.clone(), source }
    }
}

fn encoding_error(root: &Path, source: serde_json::Error) -> Unshared {
    Unshared::Encoding { root: root.to_owned(), source }
}

fn io_error(place: &Path, errno: Errno) -> Unshared {
    Unshared::Io { place: place.to_owned(), source: errno.into() }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

//! Several processes that run commands over the same directory.
//!
//! A process that begins while commands of another one run there cannot tell what they
//! changed. So the first one writes down how the directory was, and the others take it
//! from there until the last has ended.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, mkdir, open, openat, stat,
    unlinkat,
};
use rustix::io::Errno;

/// The folder that it is written down in; the user's number follows.
const NAME: &str = "legwork-kept-";
/// The file that is locked while a process joins or leaves.
const GATE: &str = "gate";
/// How often, and after which pause, the gate is tried: whoever holds it looks through a
/// directory.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(5);
/// How a file there is opened.
const OPENED: OFlags =
    OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
/// Most bytes that are read.
const MOST: u64 = 256 << 20;

/// A folder that only this user can enter.
#[derive(Debug)]
struct Place(OwnedFd);

/// The gate, locked.
struct Gate(OwnedFd);

/// This process among those that run commands over some directories.
#[derive(Debug)]
pub(super) struct Shared {
    place: Place,
    files: Vec<Joined>,
}

/// What is written down of one.
#[derive(Debug)]
struct Joined {
    root: PathBuf,
    name: String,
    /// Locked: by this process alone while it writes, else together with others.
    file: OwnedFd,
    is_first: bool,
}

/// On the way to it: nobody else comes or goes.
pub(super) struct Joining {
    // Dropped first: who leaves passes the gate, too.
    _gate: Gate,
    shared: Shared,
}

impl Shared {
    /// Joins those that run commands over some directories; none where there is no place for
    /// what they share.
    pub(super) fn join(roots: &[PathBuf]) -> Option<Joining> {
        let place = Place::open(roots)?;
        let gate = place.gate()?;
        place.sweep();
        let files = roots.iter().map(|root| place.join(root)).collect::<Result<_, _>>().ok()?;
        Some(Joining { _gate: gate, shared: Self { place, files } })
    }
}

impl Joining {
    /// The directories that others were first in, with what they wrote down.
    pub(super) fn others(&self) -> impl Iterator<Item = (&Path, Vec<u8>)> {
        let others = self.shared.files.iter().filter(|file| !file.is_first);
        others.filter_map(|file| Some((file.root.as_path(), file.read()?)))
    }

    /// Writes down the directories that this process is first in, and has joined.
    pub(super) fn finish(mut self, how: impl Fn(&Path) -> Option<Vec<u8>>) -> Option<Shared> {
        for file in self.shared.files.iter_mut().filter(|file| file.is_first) {
            file.write(&how(&file.root)?);
            flock(&file.file, FlockOperation::NonBlockingLockShared).ok()?;
        }
        Some(self.shared)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(_gate) = self.place.gate() else { return };
        for file in &self.files {
            // Where it is still used it stays.
            if flock(&file.file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = unlinkat(&self.place.0, &file.name, AtFlags::empty());
            }
            // Closing it would not do while a child that is just being made has it, too.
            let _ = flock(&file.file, FlockOperation::Unlock);
        }
    }
}

/// Where it is written down: a place that is kept from all commands, like a secret.
///
/// Of an ordinary user where nobody else can make it before, if there is such a place.
pub(crate) fn place() -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    let own = if user == 0 { PathBuf::from("/run") } else { format!("/run/user/{user}").into() };
    let is_own = stat(&own).is_ok_and(|found| found.st_uid == user && found.st_mode & 0o022 == 0);
    let above = if is_own { own } else { PathBuf::from("/tmp") };
    above.join(format!("{NAME}{user}"))
}

impl Place {
    /// Removes what processes left that were killed; the gate is this one's.
    fn sweep(&self) {
        let Ok(listing) = Dir::read_from(&self.0) else { return };
        for entry in listing.flatten() {
            let name = entry.file_name();
            if !name.to_bytes().contains(&b'-') {
                continue;
            }
            let Ok(file) = openat(&self.0, name, OPENED, Mode::empty()) else { continue };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = unlinkat(&self.0, name, AtFlags::empty());
            }
        }
    }

    /// None where it cannot be made, is another user's, or lies in what commands may write.
    fn open(roots: &[PathBuf]) -> Option<Self> {
        let user = rustix::process::geteuid().as_raw();
        let path = place();
        if roots.iter().any(|root| path.starts_with(root)) {
            return None;
        }
        match mkdir(&path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(_) => return None,
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let place = open(&path, flags, Mode::empty()).ok()?;
        let found = fstat(&place).ok()?;
        (found.st_uid == user && found.st_mode & 0o077 == 0).then_some(Self(place))
    }

    fn file(&self, name: &str) -> Result<OwnedFd, Errno> {
        openat(&self.0, name, OPENED | OFlags::CREATE, Mode::RUSR | Mode::WUSR)
    }

    /// Waits for the gate; none if it does not open.
    fn gate(&self) -> Option<Gate> {
        let gate = self.file(GATE).ok()?;
        for _ in 0..TRIES {
            match flock(&gate, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Some(Gate(gate)),
                Err(Errno::WOULDBLOCK | Errno::INTR) => sleep(PAUSE),
                Err(_) => return None,
            }
        }
        None
    }

    /// The file of a directory, locked.
    fn join(&self, root: &Path) -> Result<Joined, Errno> {
        let found = stat(root)?;
        let name = format!("{:x}-{:x}", found.st_dev, found.st_ino);
        let file = self.file(&name)?;
        if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(Errno::INVAL);
        }
        let is_first = match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => true,
            Err(Errno::WOULDBLOCK) => false,
            Err(errno) => return Err(errno),
        };
        if !is_first {
            // Held together by those that use it: alone only while they write, by the gate.
            flock(&file, FlockOperation::NonBlockingLockShared)?;
        }
        Ok(Joined { root: root.to_owned(), name, file, is_first })
    }
}

impl Joined {
    fn read(&self) -> Option<Vec<u8>> {
        let mut file = File::from(self.file.try_clone().ok()?);
        let mut bytes = Vec::new();
        file.rewind().ok()?;
        file.take(MOST).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// What cannot be written they cannot read, and look themselves.
    fn write(&mut self, bytes: &[u8]) {
        let Ok(file) = self.file.try_clone() else { return };
        let mut file = File::from(file);
        let written = file.set_len(0).and_then(|()| file.rewind());
        if written.and_then(|()| file.write_all(bytes)).is_err() {
            let _ = file.set_len(0);
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

//! Locks of the operating system: they die with the process that holds them.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use legwork_core::{Digest, SessionId};
use legwork_port::store::{Error, Holder};
use tokio::sync::oneshot;

use super::fault::Name;
use super::kind::{check_folder, check_lock};
use super::sibling;

/// A lock that is held until it is dropped, or the process dies.
///
/// The file is removed while the lock is held. A process that had opened it before then locks
/// a file without a name, notices that, and opens the new one.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    // Closing it gives the lock back.
    file: File,
}

impl Lock {
    /// Locks a session of the store in `store`.
    ///
    /// # Errors
    /// [`Error::Held`] with the process that holds it.
    pub(super) async fn claim(
        name: &Name,
        store: &Path,
        session: &SessionId,
    ) -> Result<Self, Error> {
        let key = key(session);
        let taken = match take(store, &key, Wait::No) {
            Ok(Err(Held { by })) if is_dead(&by) => take_from_dead(store, key).await,
            taken => taken,
        };
        match taken {
            Ok(Ok(lock)) => Ok(lock),
            Ok(Err(Held { by })) => Err(Error::Held { session: session.clone(), by: held_by(&by) }),
            Err(error) => Err(name.failed(format!("the claim cannot be taken: {error}"))),
        }
    }

    /// Whether a session of the store in `store` is locked, without locking it.
    pub(super) fn is_held(name: &Name, store: &Path, session: &SessionId) -> Result<bool, Error> {
        let failed = |error| name.failed(format!("the claim cannot be looked at: {error}"));
        look(store, &key(session)).map_err(failed)
    }

    /// Locks the creation of the store itself, waiting for a process that is creating it.
    pub(super) fn creation(name: &Name, store: &Path) -> Result<Self, Error> {
        let failed = |error| name.unusable(format!("it cannot be made: {error}"));
        match take(store, "new", Wait::Yes).map_err(failed)? {
            Ok(lock) => Ok(lock),
            Err(Held { by }) => Err(name.failed(held_by(&by).to_string())),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Another file may have the name by now, if this one was removed from outside.
        if is_named(&self.file, &self.path).is_ok_and(|named| named) {
            // If it stays, it is a file without a lock and does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The name of a session's lock: a session's name may hold anything, a file's may not.
fn key(session: &SessionId) -> String {
    Digest::of_bytes(session.as_str().as_bytes()).to_string()
}

fn path_of(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.lock"))
}

/// Whether a lock is held.
fn look(store: &Path, key: &str) -> io::Result<bool> {
    let path = path_of(&sibling(store, "-claims"), key);
    check_lock(&path)?;
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    // Trying the lock could make another process that takes it now fail, unless its last holder is
    // dead: then that process tries again.
    if !is_dead(&holder(&mut file)) {
        return Ok(true);
    }
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

struct Held {
    by: String,
}

#[derive(Clone, Copy)]
enum Wait {
    Yes,
    No,
}

fn held_by(process: &str) -> Holder {
    match process.parse::<u32>() {
        Ok(id) if id == std::process::id() => Holder::ThisProcess,
        Ok(id) => Holder::Process(id),
        Err(_) => Holder::Unknown,
    }
}

fn take(store: &Path, key: &str, wait: Wait) -> io::Result<Result<Lock, Held>> {
    let folder = sibling(store, "-claims");
    let path = path_of(&folder, key);
    loop {
        let mut file = open(&folder, &path)?;
        match wait {
            Wait::Yes => file.lock()?,
            Wait::No => match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Ok(Err(Held { by: holder(&mut file) }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            },
        }
        if is_named(&file, &path)? {
            owner_only(&file)?;
            sign(&mut file);
            return Ok(Ok(Lock { path, file }));
        }
    }
}

/// How often, and how far apart, a lock is tried again whose holder is dead.
///
/// A child that the holder was just making has its open files until it closes them; such
/// a child lives for milliseconds.
const LOOKS: u32 = 2_500;
const LOOK: Duration = Duration::from_millis(2);

/// Takes a lock whose holder is dead once it is free. A thread waits for that.
async fn take_from_dead(store: &Path, key: String) -> io::Result<Result<Lock, Held>> {
    let (reply, answer) = oneshot::channel();
    let store = store.to_owned();
    thread::Builder::new().name("legwork-store-l".into()).spawn(move || {
        let taken = outwait(&store, &key, || reply.is_closed());
        // A lock that nobody waits for any more is given back.
        let _ = reply.send(taken);
    })?;
    answer.await.unwrap_or_else(|_| Err(io::Error::other("the thread that waits has ended")))
}

fn outwait(store: &Path, key: &str, given_up: impl Fn() -> bool) -> io::Result<Result<Lock, Held>> {
    for _ in 1..LOOKS {
        thread::sleep(LOOK);
        match take(store, key, Wait::No)? {
            Err(Held { by }) if is_dead(&by) && !given_up() => {}
            taken => return Ok(taken),
        }
    }
    take(store, key, Wait::No)
}

/// Whether the process that signed a lock is gone; false where the system does not say.
fn is_dead(process: &str) -> bool {
    let Ok(id) = process.parse::<u32>() else { return false };
    if !Path::new("/proc/self/stat").exists() {
        return false;
    }
    // The state of the process follows the command's name in parentheses.
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    state.is_empty() || state.starts_with('Z')
}

fn open(folder: &Path, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A link could lead to any file: others may be able to write next to the store.
    check_folder(folder)?;
    check_lock(path)?;
    options.open(path).or_else(|_| {
        // The folder may be missing; anything else that is wrong shows again.
        make_folder(folder)?;
        options.open(path)
    })
}

/// Makes a folder for the owner alone, if it is missing.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no such rights"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    }
    // The process's umask may have taken away the owner's own rights.
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Makes a file the owner's alone, whatever the process's umask is.
#[cfg(unix)]
pub(super) fn owner_only(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

/// Other systems have no such rights.
#[cfg(not(unix))]
pub(super) fn owner_only(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    // Itself, not what it may lead to.
    match fs::symlink_metadata(path) {
        Ok(named) => Ok(named.ino() == held.ino() && named.dev() == held.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot be taken away.
#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Writes down which process holds it. It is for messages only: the lock holds without it.
fn sign(file: &mut File) {
    let _ = file.set_len(0);
    let _ = file.write_all(std::process::id().to_string().as_bytes());
}

/// The process that holds it; empty if that is not known.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(20).read_to_string(&mut text);
    text
}

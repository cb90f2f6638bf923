//! Locks of the operating system: they die with the process that holds them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use legwork_core::{Digest, SessionId};
use legwork_port::store::{Error, Holder};
use tokio::sync::oneshot;

use crate::name::Name;
use crate::private::{self, check_file, check_folder, make_folder, owner_only};

/// A lock that is held until it is dropped, or the process dies.
///
/// The file is removed while the lock is held. A process that had opened it before then locks
/// a file without a name, notices that, and opens the new one.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    // Closing it gives the lock back.
    file: File,
}

impl Lock {
    /// Locks a session of a store whose locks are in `folder`.
    ///
    /// # Errors
    /// [`Error::Held`] with the process that holds it.
    pub(crate) async fn claim(
        name: &Name,
        folder: &Path,
        session: &SessionId,
    ) -> Result<Self, Error> {
        let key = key(session);
        let taken = match take(folder, &key, Wait::No) {
            Ok(Err(Held { by })) if is_dead(&by) => take_from_dead(folder, key).await,
            taken => taken,
        };
        match taken {
            Ok(Ok(lock)) => Ok(lock),
            Ok(Err(Held { by })) => Err(Error::Held { session: session.clone(), by: held_by(&by) }),
            Err(error) => Err(name.failed(format!("the claim cannot be taken: {error}"))),
        }
    }

    /// Whether a session is locked, without locking it.
    pub(crate) fn is_held(name: &Name, folder: &Path, session: &SessionId) -> Result<bool, Error> {
        let failed = |error| name.failed(format!("the claim cannot be looked at: {error}"));
        look(folder, &key(session)).map_err(failed)
    }

    /// Locks something that is not a session by its name, waiting for a process that has it.
    pub(crate) fn wait(folder: &Path, key: &str) -> io::Result<Self> {
        match take(folder, key, Wait::Yes)? {
            Ok(lock) => Ok(lock),
            Err(Held { by }) => Err(io::Error::other(held_by(&by).to_string())),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Another file may have the name by now, if this one was removed from outside.
        if private::is_named(&self.file, &self.path).is_ok_and(|named| named) {
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
fn look(folder: &Path, key: &str) -> io::Result<bool> {
    let path = path_of(folder, key);
    check_file(&path)?;
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

fn take(folder: &Path, key: &str, wait: Wait) -> io::Result<Result<Lock, Held>> {
    let path = path_of(folder, key);
    loop {
        let mut file = open(folder, &path)?;
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
        if private::is_named(&file, &path)? {
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
async fn take_from_dead(folder: &Path, key: String) -> io::Result<Result<Lock, Held>> {
    let (reply, answer) = oneshot::channel();
    let folder = folder.to_owned();
    thread::Builder::new().name("legwork-store-l".into()).spawn(move || {
        let taken = outwait(&folder, &key, || reply.is_closed());
        // A lock that nobody waits for any more is given back.
        let _ = reply.send(taken);
    })?;
    answer.await.unwrap_or_else(|_| Err(io::Error::other("the thread that waits has ended")))
}

fn outwait(
    folder: &Path,
    key: &str,
    given_up: impl Fn() -> bool,
) -> io::Result<Result<Lock, Held>> {
    for _ in 1..LOOKS {
        thread::sleep(LOOK);
        match take(folder, key, Wait::No)? {
            Err(Held { by }) if is_dead(&by) && !given_up() => {}
            taken => return Ok(taken),
        }
    }
    take(folder, key, Wait::No)
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
    check_file(path)?;
    options.open(path).or_else(|_| {
        // The folder may be missing; anything else that is wrong shows again.
        make_folder(folder)?;
        options.open(path)
    })
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

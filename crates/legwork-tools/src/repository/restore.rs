//! Putting back what commands changed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Uid, fchmod, fchown, mkdirat, openat, renameat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::entry::{Entry, Kind};
use super::folder::Folder;
use super::snapshot::{Change, Snapshot};
use crate::workspace::line;

/// What was done about a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be put back; as a sentence.
    Failed(String),
    /// It was put back, or there is nothing to put back; as a sentence.
    Done(String),
}

/// Puts back all that changed; those that could not be put back first.
pub(super) fn changes(before: &Snapshot, now: &Snapshot) -> Vec<Outcome> {
    let mut moved: Vec<PathBuf> = Vec::new();
    let mut outcomes = Vec::new();
    for change in before.changes(now) {
        let path = change.root.join(change.path);
        if moved.iter().any(|moved| path.starts_with(moved)) {
            continue;
        }
        let shown = line(&path);
        outcomes.push(match put_back(&change) {
            Ok(Done::PutBack) => Outcome::Done(format!(
                "a command changed {shown}, which makes Git run programs: it was put back"
            )),
            Ok(Done::Gone(repository)) => {
                let repository = change.root.join(repository);
                let shown = line(&repository);
                moved.push(repository);
                Outcome::Done(format!(
                    "a command moved or removed the repository {shown}: it is not put back"
                ))
            }
            Err(error) => Outcome::Failed(format!(
                "a command changed {shown}, which makes Git run programs, and it cannot be put \
                 back ({error}): look at it before you use Git there"
            )),
        });
    }
    for rebase in before.rebases(now) {
        let shown = line(&rebase.path());
        outcomes.push(match rebase.put_back() {
            Ok(()) => Outcome::Done(format!(
                "a command put commands into what the stopped rebase or cherry-pick of {shown} is to do \
                 next, which would run with your rights: they were taken out"
            )),
            Err(error) => Outcome::Failed(format!(
                "a command put commands into what the stopped rebase or cherry-pick of {shown} is to do \
                 next, and they cannot be taken out ({error}): look at it before it goes on"
            )),
        });
    }
    outcomes.sort();
    outcomes
}

enum Done<'s> {
    PutBack,
    /// What it lay in is not there any more, and so Git does not find it either.
    Gone(&'s Path),
}

fn put_back<'s>(change: &Change<'s>) -> io::Result<Done<'s>> {
    let is_git = change.path.file_name() == Some(OsStr::new(".git"));
    if is_git && change.before.is_some_and(|before| before.kind == Kind::Directory) {
        // Its objects are not kept. What took its name is no repository that the person made.
        let root = Folder::root(change.root)?;
        if let (Some(_), Ok(above)) = (change.now, root.below(above(change.path))) {
            remove(&above, OsStr::new(".git"))?;
        }
        return Ok(Done::Gone(change.path));
    }
    let root = Folder::root(change.root)?;
    let folder = match root.below(above(change.path)) {
        Ok(folder) => folder,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
            return Ok(Done::Gone(above(change.path)));
        }
        Err(errno) => return Err(errno.into()),
    };
    let name = change.path.file_name().unwrap_or_default();
    match change.before {
        None => remove(&folder, name)?,
        Some(before) => restore(&folder, name, before, change.now)?,
    }
    Ok(Done::PutBack)
}

fn above(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn restore(folder: &Folder, name: &OsStr, before: &Entry, now: Option<&Entry>) -> io::Result<()> {
    let is_directory = now.is_some_and(|now| now.kind == Kind::Directory);
    match &before.kind {
        Kind::Directory => {
            if now.is_some() && !is_directory {
                remove(folder, name)?;
            }
            match mkdirat(folder.handle(), name, Mode::from_raw_mode(before.mode())) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        }
        Kind::File(Some(content)) => {
            if is_directory {
                remove(folder, name)?;
            }
            write(folder, name, before, content.bytes())
        }
        Kind::Link(target) => {
            remove(folder, name)?;
            Ok(symlinkat(target.path(), folder.handle(), name)?)
        }
        Kind::File(None) => Err(io::Error::other("it is too large to be kept")),
        Kind::Other => Err(io::Error::other("it was not a regular file")),
    }
}

/// Writes a file as a whole, and replaces what has its name.
pub(super) fn write(
    folder: &Folder,
    name: &OsStr,
    before: &Entry,
    content: &[u8],
) -> io::Result<()> {
    let mut draft = OsString::from(".legwork-");
    draft.push(name);
    draft.push(".tmp");
    remove(folder, &draft)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder.handle(), &draft, flags, Mode::from_raw_mode(0o600))?;
    if rustix::process::geteuid().is_root() {
        let (user, group) = (before.stat.user, before.stat.group);
        fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
    }
    fchmod(&file, Mode::from_raw_mode(before.mode()))?;
    let mut file = File::from(file);
    file.write_all(content)?;
    file.sync_all()?;
    Ok(renameat(folder.handle(), &draft, folder.handle(), name)?)
}

/// Removes what has a name, with all that lies in it; links are not followed.
pub(super) fn remove(folder: &Folder, name: &OsStr) -> io::Result<()> {
    match unlinkat(folder.handle(), name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {
            let held = PathBuf::from(format!("/proc/self/fd/{}", folder.handle().as_raw_fd()));
            match std::fs::remove_dir_all(held.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        }
        Err(errno) => Err(errno.into()),
    }
}

//! A directory that tools may touch, and nothing beyond it.

mod allowed;
mod attributes;
mod change;
mod create;
mod draft;
mod error;
mod kept_out;
mod path;
mod place;
mod replace;
mod stale;
mod walk;

pub(crate) use change::{Changed, Leave, change};
pub(crate) use draft::{Draft, Form, is_draft};
pub use error::Error;
pub(crate) use kept_out::{KeptOut, reopened};
pub(crate) use place::Current;
pub(crate) use stale::sweep_now;

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, fstatfs, openat2};
use rustix::io::Errno;

use crate::secret::Secrets;

/// How many names of a directory an error or a listing gives.
const NAMES_TOLD: usize = 40;

/// How many names of a directory are compared with one that is not there.
const NAMES_COMPARED: usize = 100_000;

/// What to do about a file whose name cannot be asked for.
const BROKEN: &str = "a file there has a name that is not UTF-8 and is only shown like this; no \
    tool can name it: give it another name in the shell first, by a glob such as mv caf? cafe";

/// How many characters an error gives of a path that is too long.
const PATH_TOLD: usize = 60;

/// How often a path is resolved again after a rename on the way.
const RESOLVED_AGAIN: usize = 16;

/// File systems whose files are windows into the kernel, not data: procfs,
/// sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, configfs, efivarfs,
/// bpf, selinuxfs (`linux/magic.h`).
const KERNEL_FILE_SYSTEMS: [i64; 11] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0x6265_6570,
    0xde5e_81e4,
    0xcafe_4a11,
    0xf97c_ff8c,
];

/// A directory and everything beneath it; cheap to clone.
///
/// Paths are resolved by the kernel against the opened root, so a symlink that
/// is swapped between a check and its use cannot lead outside.
#[derive(Clone, Debug)]
pub struct Workspace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// As it was given, made absolute; what a person would type.
    given: PathBuf,
    /// With its symlinks resolved.
    root: PathBuf,
    handle: OwnedFd,
    /// What may be done beneath a path that was allowed in addition to a workspace; none for the
    /// workspace itself.
    access: Option<Access>,
    allowed: Vec<Workspace>,
    secrets: Arc<Secrets>,
}

/// What may be done beneath a path that is allowed in addition to a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Files may be read.
    ReadOnly,
    /// Files may be read, changed and created.
    ReadWrite,
}

impl Workspace {
    /// Opens a directory as a workspace; its symlinks are resolved now.
    ///
    /// # Errors
    /// [`Error::Root`] when it is missing, no directory, or cannot be entered.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_as(dir.as_ref(), None)
    }

    fn open_as(given: &Path, access: Option<Access>) -> Result<Self, Error> {
        let open = || -> io::Result<Inner> {
            let root = given.canonicalize()?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Inner {
                given: std::path::absolute(given)?,
                handle: rustix::fs::open(&root, flags, Mode::empty())?,
                root,
                access,
                allowed: Vec::new(),
                secrets: Arc::default(),
            })
        };
        let inner = open().map_err(|source| Error::Root { path: given.to_owned(), source })?;
        Ok(Self(Arc::new(inner)))
    }

    /// The root, absolute and with its symlinks resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// One that says what the path is instead, fit for a model to read.
    pub fn open_file(&self, asked: &str) -> Result<File, Error> {
        self.home_of(asked).file(asked)
    }

    fn file(&self, asked: &str) -> Result<File, Error> {
        let relative = self.relative(asked)?;
        let opened = |flags: OFlags| {
            self.resolve(&relative, flags | OFlags::CLOEXEC)
                .map_err(|errno| self.explain(asked, &relative, errno))
        };
        // Looked at first: opening a device may do something, and opening a pipe lets
        // a process that waits to write into it go on, only to be killed when it is closed.
        let seen = opened(OFlags::PATH)?;
        self.check_regular(asked, &relative, &seen)?;
        self.check_secret(asked, &seen)?;
        let handle = reopened(&seen).map_err(|errno| self.explain(asked, &relative, errno))?;
        Ok(File::from(handle))
    }

    /// Opens a directory.
    ///
    /// # Errors
    /// One that says what the path is instead, fit for a model to read.
    pub fn open_dir(&self, asked: &str) -> Result<OwnedFd, Error> {
        self.home_of(asked).dir(asked)
    }

    fn dir(&self, asked: &str) -> Result<OwnedFd, Error> {
        let relative = self.relative(asked)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = self.resolve(&relative, flags).map_err(|errno| match errno {
            Errno::NOTDIR => Error::NoDirectory { path: asked.to_owned() },
            errno => self.explain(asked, &relative, errno),
        })?;
        self.check_secret(asked, &handle)?;
        Ok(handle)
    }

    /// The path below the root that was asked for, by its spelling alone.
    fn relative(&self, asked: &str) -> Result<PathBuf, Error> {
        if asked.is_empty() || asked.contains('\0') {
            return Err(Error::NotAPath { path: asked.to_owned() });
        }
        path::below(&[&self.0.root, &self.0.given], Path::new(asked))
            .ok_or_else(|| Error::Outside { path: asked.to_owned() })
    }

    fn resolve(&self, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let opened = || openat2(&self.0.handle, relative, flags, Mode::empty(), beneath);
        // The kernel gives up on a `..` while anybody renames anything.
        let busy = |result: &Result<_, _>| matches!(result, Err(Errno::AGAIN));
        let tried = (0..RESOLVED_AGAIN).map(|_| opened()).find(|result| !busy(result));
        let tried = match tried.unwrap_or(Err(Errno::AGAIN)) {
            // An old kernel or a container's filter may not know the call; and where another process
            // renames all the time it never comes to an end.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {
                walk::beneath(&self.0.handle, relative, flags)
            }
            other => other,
        };
        match tried {
            // A symlink with an absolute target may still end inside.
            Err(Errno::XDEV) => walk::open(&self.0.handle, &self.0.root, relative, flags),
            other => other,
        }
    }

    fn check_regular(&self, asked: &str, relative: &Path, handle: &OwnedFd) -> Result<(), Error> {
        let io = |errno: Errno| Error::Io { path: asked.to_owned(), source: errno.into() };
        let kind = FileType::from_raw_mode(fstat(handle).map_err(io)?.st_mode);
        if kind == FileType::Directory {
            return Err(Error::Directory { path: asked.to_owned(), hint: self.contents(relative) });
        }
        let special = |kind| Err(Error::Special { path: asked.to_owned(), kind });
        if kind != FileType::RegularFile {
            return special(name_of(kind));
        }
        check_system(asked, handle)
    }

    fn explain(&self, asked: &str, relative: &Path, errno: Errno) -> Error {
        let path = asked.to_owned();
        match errno {
            Errno::XDEV => Error::Outside { path },
            Errno::NOENT | Errno::NOTDIR => Error::Missing { path, hint: self.nearest(relative) },
            Errno::ACCESS | Errno::PERM => Error::Denied { path },
            Errno::NAMETOOLONG => too_long(asked),
            Errno::LOOP => Error::Loop { path },
            Errno::NXIO => Error::Special { path, kind: "a socket" },
            other => Error::Io { path, source: other.into() },
        }
    }

    /// What the nearest directory above a missing path holds.
    fn nearest(&self, relative: &Path) -> String {
        if self.has_broken_twin(relative) {
            return BROKEN.to_owned();
        }
        let above = relative.ancestors().skip(1);
        above
            .filter_map(|dir| self.names(dir).map(|names| similar_names(dir, &names)))
            .next()
            .unwrap_or_else(|| "look for it with another path".to_owned())
    }

    /// Whether a file has a name that is not UTF-8 and is shown like this one.
    fn has_broken_twin(&self, relative: &Path) -> bool {
        let name = relative.file_name().and_then(OsStr::to_str);
        let Some(name) = name.filter(|name| name.contains(char::REPLACEMENT_CHARACTER)) else {
            return false;
        };
        let above = relative.parent().filter(|above| !above.as_os_str().is_empty());
        let names = self.some_names(above.unwrap_or(Path::new(".")), NAMES_COMPARED);
        let twin = |other: &OsString| other.to_str().is_none() && other.to_string_lossy() == name;
        names.is_some_and(|names| names.iter().any(twin))
    }

    fn contents(&self, relative: &Path) -> String {
        match self.names(relative) {
            Some(names) => similar_names(relative, &names),
            None => "it cannot be listed".to_owned(),
        }
    }

    fn names(&self, relative: &Path) -> Option<Vec<OsString>> {
        self.some_names(relative, NAMES_TOLD)
    }

    fn some_names(&self, relative: &Path, limit: usize) -> Option<Vec<OsString>> {
        let place = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = self.resolve(place, flags).ok()?;
        self.check_secret("", &handle).ok()?;
        walk::names(handle, limit).ok()
    }
}

/// Whether it lies on a file system of the kernel's own.
pub(crate) fn is_kernel(handle: &OwnedFd) -> Result<bool, Errno> {
    #[allow(clippy::unnecessary_cast, reason = "the width of f_type differs by architecture")]
    let system = fstatfs(handle)?.f_type as i64;
    Ok(KERNEL_FILE_SYSTEMS.contains(&system))
}

/// Refuses what lies on a file system of the kernel's own.
fn check_system(asked: &str, handle: &OwnedFd) -> Result<(), Error> {
    let io = |errno: Errno| Error::Io { path: asked.to_owned(), source: errno.into() };
    if is_kernel(handle).map_err(io)? {
        return Err(Error::Special { path: asked.to_owned(), kind: "a window into the kernel" });
    }
    Ok(())
}

fn too_long(asked: &str) -> Error {
    Error::TooLong { start: asked.chars().take(PATH_TOLD).collect() }
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    }
}

fn similar_names(dir: &Path, names: &[OsString]) -> String {
    let place = match dir.to_str() {
        Some("" | ".") => "the root of the workspace".to_owned(),
        _ => line(dir),
    };
    if names.is_empty() {
        return format!("{place} is empty");
    }
    let more = if names.len() >= NAMES_TOLD { ", and more" } else { "" };
    let names: Vec<_> = names.iter().map(|name| line(Path::new(name))).collect();
    format!("{place} holds {}{more}", names.join(", "))
}

/// A path as one line of text, whatever bytes it holds.
pub(crate) fn line(path: &Path) -> String {
    let text = path.to_string_lossy();
    if !text.contains(char::is_control) {
        return text.into_owned();
    }
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(escape).collect()
}

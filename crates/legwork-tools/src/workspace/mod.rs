//! A directory that tools may touch, and nothing beyond it.

mod path;
mod walk;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, fstatfs, openat2};
use rustix::io::Errno;

/// How many names of a directory an error or a listing tells.
const NAMES_TOLD: usize = 40;

/// File systems whose files are windows into the kernel, not data: procfs,
/// sysfs, debugfs, tracefs, securityfs (`linux/magic.h`).
const KERNEL_FILE_SYSTEMS: [i64; 5] = [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163, 0x7363_6673];

/// Why a path of the workspace could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory that was to be the workspace cannot be used as one.
    #[error("cannot use {} as the workspace: {source}; give a directory that exists and can be entered", path.display())]
    Root {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The path leads out of the workspace, by itself or through a symlink.
    #[error(
        "{path} is outside the workspace; only paths beneath it can be used, give one relative to its root"
    )]
    Outside {
        /// The path as it was asked for.
        path: String,
    },
    /// There is nothing at the path.
    #[error("there is no file {path}; {hint}")]
    Missing {
        /// The path as it was asked for.
        path: String,
        /// What is there in its place.
        hint: String,
    },
    /// The path is a directory, where a file was needed.
    #[error("{path} is a directory, not a file; {hint}")]
    Directory {
        /// The path as it was asked for.
        path: String,
        /// What the directory holds.
        hint: String,
    },
    /// The path is a pipe, a socket, a device or a window into the kernel.
    #[error("{path} is {kind}, not a regular file, and is not opened")]
    Special {
        /// The path as it was asked for.
        path: String,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The path is empty or holds a NUL byte.
    #[error("{path:?} is not a path; give one relative to the root of the workspace")]
    NotAPath {
        /// The path as it was asked for.
        path: String,
    },
    /// The process may not read the path.
    #[error("no permission to open {path}; change its mode or owner, or do without it")]
    Denied {
        /// The path as it was asked for.
        path: String,
    },
    /// Anything else that the operating system said.
    #[error("cannot open {path}: {source}")]
    Io {
        /// The path as it was asked for.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

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
}

impl Workspace {
    /// Opens a directory as a workspace; its symlinks are resolved now.
    ///
    /// # Errors
    /// [`Error::Root`] when it is missing, no directory, or cannot be entered.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, Error> {
        let given = dir.as_ref();
        let open = || -> io::Result<Inner> {
            let root = given.canonicalize()?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Inner {
                given: std::path::absolute(given)?,
                handle: rustix::fs::open(&root, flags, Mode::empty())?,
                root,
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
    /// One that says what the path is instead, fit to be told to a model.
    pub fn open_file(&self, asked: &str) -> Result<File, Error> {
        let relative = self.relative(asked)?;
        // Non-blocking, so that a pipe without a writer cannot hold us up.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let handle = self
            .resolve(&relative, flags)
            .map_err(|errno| self.explain(asked, &relative, errno))?;
        self.check_regular(asked, &relative, &handle)?;
        Ok(File::from(handle))
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
        match openat2(&self.0.handle, relative, flags, Mode::empty(), beneath) {
            // A symlink with an absolute target may still end inside; an old
            // kernel or a container's filter may not know the call at all.
            Err(Errno::XDEV | Errno::NOSYS | Errno::PERM) => {
                walk::open(&self.0.handle, &self.0.root, relative, flags)
            }
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
        #[allow(clippy::unnecessary_cast, reason = "the width of f_type differs by architecture")]
        let system = fstatfs(handle).map_err(io)?.f_type as i64;
        if KERNEL_FILE_SYSTEMS.contains(&system) {
            return special("a window into the kernel");
        }
        Ok(())
    }

    fn explain(&self, asked: &str, relative: &Path, errno: Errno) -> Error {
        let path = asked.to_owned();
        match errno {
            Errno::XDEV => Error::Outside { path },
            Errno::NOENT | Errno::NOTDIR => Error::Missing { path, hint: self.nearest(relative) },
            Errno::ACCESS | Errno::PERM => Error::Denied { path },
            Errno::NXIO => Error::Special { path, kind: "a socket" },
            other => Error::Io { path, source: other.into() },
        }
    }

    /// What the nearest directory above a missing path holds.
    fn nearest(&self, relative: &Path) -> String {
        let above = relative.ancestors().skip(1);
        above
            .filter_map(|dir| self.names(dir).map(|names| told(dir, &names)))
            .next()
            .unwrap_or_else(|| "look for it with another path".to_owned())
    }

    fn contents(&self, relative: &Path) -> String {
        match self.names(relative) {
            Some(names) => told(relative, &names),
            None => "it cannot be listed".to_owned(),
        }
    }

    fn names(&self, relative: &Path) -> Option<Vec<OsString>> {
        let place = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        walk::names(self.resolve(place, flags).ok()?, NAMES_TOLD).ok()
    }
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    }
}

fn told(dir: &Path, names: &[OsString]) -> String {
    let place = match dir.to_str() {
        Some("" | ".") => "the root of the workspace".to_owned(),
        _ => dir.display().to_string(),
    };
    if names.is_empty() {
        return format!("{place} is empty");
    }
    let more = if names.len() >= NAMES_TOLD { ", and more" } else { "" };
    let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    format!("{place} holds {}{more}", names.join(", "))
}

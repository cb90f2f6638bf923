//! Why a path was not opened or not changed; each fit for a model to read.

use std::io;
use std::path::PathBuf;

/// Why a path of the workspace could not be opened or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory that was to be the workspace cannot be used as one.
    #[error("cannot work in {}: {source}; give a directory that exists and can be entered", path.display())]
    Root {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A path that was to be allowed leads through a link that commands can change.
    #[error("cannot allow {}: it leads through the link {}, which commands can change; allow what it leads to by its own path", path.display(), link.display())]
    Movable {
        /// The path that was to be allowed.
        path: PathBuf,
        /// The link.
        link: PathBuf,
    },
    /// The path holds keys or private records.
    #[error(
        "{path} holds keys or private records, and no tool opens it; if the task needs it, ask the user to allow it by its own path"
    )]
    Secret {
        /// The path as it was asked for.
        path: String,
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
    /// The path is a file, where a directory was needed.
    #[error("{path} is not a directory; give one, or leave the path out for the whole workspace")]
    NoDirectory {
        /// The path as it was asked for.
        path: String,
    },
    /// The path is a pipe, a socket, a device or a window into the kernel.
    #[error("{path} is {kind}, not a regular file, and is not opened")]
    Special {
        /// The path as it was asked for.
        path: String,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The symlinks of the path lead in a circle.
    #[error(
        "cannot open {path}: it leads through a circle of symlinks, or through more than 40 of them; give the path of a real file or directory"
    )]
    Loop {
        /// The path as it was asked for.
        path: String,
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
    /// The path, or one name in it, is longer than any file system takes.
    #[error(
        "the path {start}… is too long: a name has at most 255 bytes and a path 4,095; give a shorter one"
    )]
    TooLong {
        /// How the path begins.
        start: String,
    },
    /// Something on the way to the path is not a directory.
    #[error("{path} cannot be made, since {part} is not a directory; give another path")]
    InTheWay {
        /// The path as it was asked for.
        path: String,
        /// What is in the way, from the root of the workspace.
        part: String,
    },
    /// The process may not change the path.
    #[error(
        "no permission to change {path}; change the mode or owner of it or of its directory, or do without it"
    )]
    WriteDenied {
        /// The path as it was asked for.
        path: String,
    },
    /// The path is meant not to be changed.
    #[error("{path} was not changed, since {why}")]
    ReadOnly {
        /// The path as it was asked for.
        path: String,
        /// What says so, and what can be done.
        why: &'static str,
    },
    /// The file has other names, which would be left with the old content.
    #[error(
        "{path} was not changed: the file has {names} names (hard links), and another may lie outside the workspace; make it a file of its own first: cp -p FILE FILE.new && mv FILE.new FILE"
    )]
    Linked {
        /// The path as it was asked for.
        path: String,
        /// How many names there are.
        names: u64,
    },
    /// A new file in the place of this one would belong to another user.
    #[error(
        "{path} was not changed: it belongs to another user or group, and a new version could not be given to them"
    )]
    Owner {
        /// The path as it was asked for.
        path: String,
    },
    /// The file is not what it was when it was looked at.
    #[error(
        "{path} was changed by another process meanwhile; nothing was written; read it again, then repeat what still applies"
    )]
    Changed {
        /// The path as it was asked for.
        path: String,
    },
    /// The call was ended before it changed anything.
    #[error("{path} was not changed: the call was ended before")]
    Ended {
        /// The path as it was asked for.
        path: String,
    },
    /// The disk has no room for it.
    #[error(
        "{path} was not written: its file system is full, or the quota on it is used up; nothing was changed; free some space, then repeat it"
    )]
    Full {
        /// The path as it was asked for.
        path: String,
    },
    /// Writing failed; what was there is still there.
    #[error("cannot write {path}: {source}; nothing was changed")]
    Write {
        /// The path as it was asked for.
        path: String,
        /// What the operating system said.
        source: io::Error,
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

//! What a process on Linux does to itself before it becomes a command.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// What a process does to itself before it becomes a command, in this order: the files in
/// `inherited` are kept open, the network of `loopback` is entered, `mounts` are made,
/// privileges are given up where `privileges` says so, `ruleset` is put on, then `filter`.
///
/// A [sandbox](legwork_port::Sandbox) puts it in the
/// [`restrictions`](legwork_port::sandbox::Confined::restrictions) of a command.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Restrictions {
    /// Files that stay open under the numbers that they have here.
    pub inherited: Vec<OwnedFd>,
    /// Mounts in a mount namespace of the command's own, made in this order; where
    /// there are none, no namespace is made. Where one is [`Writable`](Cover::Writable),
    /// all that no such mount covers is read-only.
    pub mounts: Vec<Mount>,
    /// A network of the command's own; none where the command keeps the one of the process
    /// that starts it.
    pub loopback: Option<Loopback>,
    /// What it keeps of the privileges of the process that starts it.
    pub privileges: Privileges,
    /// A Landlock ruleset to restrict the process with.
    pub ruleset: Option<OwnedFd>,
    /// A seccomp program: `struct sock_filter` after `struct sock_filter`, as the kernel
    /// takes them. Empty: none.
    pub filter: Vec<u8>,
}

/// A network of the command's own with nothing but a loopback, on which a socket listens
/// that is served from outside of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loopback {
    /// The port of 127.0.0.1 that it listens on, in the network of the command.
    pub port: u16,
    /// The Unix socket that the listening one is sent to (`SCM_RIGHTS`) before the command
    /// starts.
    pub server: OwnedFd,
}

impl Loopback {
    /// A network whose `port` is served by what holds the other end of `server`.
    #[must_use]
    pub fn new(port: u16, server: OwnedFd) -> Self {
        Self { port, server }
    }
}

/// A mount over a file or directory, which protects it from the command.
///
/// It is made by descriptor: no symbolic link on the way is followed, and what
/// is found has to be the same file or directory as when it was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mount {
    /// What is protected: absolute, without symbolic links.
    pub place: PathBuf,
    /// The device that it is on (`st_dev`).
    pub device: u64,
    /// Its inode (`st_ino`).
    pub inode: u64,
    /// How the mount covers it.
    pub cover: Cover,
    /// What is done where `place` is something else by then.
    pub if_moved: IfMoved,
}

impl Mount {
    /// A mount over a place that must still be there when it is made.
    #[must_use]
    pub fn new(place: impl Into<PathBuf>, device: u64, inode: u64, cover: Cover) -> Self {
        Self { place: place.into(), device, inode, cover, if_moved: IfMoved::Refuse }
    }
}

/// What a mount does to the place that it covers.
///
/// With each, the covered place can be neither renamed nor removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cover {
    /// It stays writable while all around it is read-only.
    Writable,
    /// It is only mounted, so that it cannot be moved; its rights stay as they are.
    Fixed,
    /// It can be read, not written, with all that lies in it.
    ReadOnly,
    /// It is an empty directory, or a file that cannot be read.
    Hidden,
}

/// What is done where a place that is to be covered is something else by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMoved {
    /// The command is not started (`ESTALE`).
    Refuse,
    /// The mount is left out; something else holds what it would have held.
    Skip,
}

/// What a command keeps of the privileges of the process that starts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Privileges {
    /// All; what `command` names gives them up itself.
    #[default]
    Kept,
    /// None: no capability, and no program gives it any.
    Dropped,
}

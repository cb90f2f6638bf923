//! Mounts that protect places from a command, made in a namespace of its own.
//!
//! They are made before the sandbox's own program starts, which takes them over
//! together with the directory that they lie in, and cannot take them off. So no
//! path inside of what a command may write is handed to a program that follows
//! symbolic links. And since all else is read-only here already, such a program
//! cannot make it writable, even if it mistakes one path for another.
//!
//! Unsafe code: this runs between `fork` and `exec`, where only calls that are
//! safe in a signal handler may be made. Nothing here allocates or locks.
#![allow(unsafe_code, reason = "namespaces and attributes of mounts have no safe wrapper")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};
use rustix::thread::UnshareFlags;

use super::namespaces;
use crate::linux::{Cover, IfMoved, Mount};

/// Flag of `mount_setattr`: with all mounts below (`AT_RECURSIVE`).
const RECURSIVE: libc::c_uint = 0x8000;
/// Of `mount_setattr`: nothing can be written (`MOUNT_ATTR_RDONLY`).
const READ_ONLY: u64 = 1;

/// Mounts, prepared before the fork.
#[derive(Debug, Default)]
pub(crate) struct Mounts(Vec<Prepared>);

#[derive(Debug)]
struct Prepared {
    place: CString,
    identity: (u64, u64),
    cover: Cover,
    if_moved: IfMoved,
    /// The mount while it is made; its number, for nothing may be allocated then.
    made: AtomicI32,
}

/// No file.
const NONE: i32 = -1;

impl Mounts {
    /// Prepares them.
    ///
    /// # Errors
    /// When a place has a NUL in its name.
    pub(crate) fn new(mounts: &[Mount]) -> io::Result<Self> {
        let prepared = mounts.iter().map(|mount| {
            let place = CString::new(mount.place.as_os_str().as_bytes())?;
            let identity = (mount.device, mount.inode);
            let (cover, if_moved) = (mount.cover, mount.if_moved);
            Ok(Prepared { place, identity, cover, if_moved, made: AtomicI32::new(NONE) })
        });
        prepared.collect::<io::Result<_>>().map(Self)
    }

    /// Lets a command start behind them.
    pub(crate) fn install(self, command: &mut Command) {
        // SAFETY: `make` keeps to calls that are safe after `fork`, see above.
        unsafe {
            command.pre_exec(move || {
                namespaces::enter(self.namespaces())?;
                self.make()
            });
        }
    }

    /// The namespace that they need; none if there are none.
    pub(super) fn namespaces(&self) -> UnshareFlags {
        if self.0.is_empty() { UnshareFlags::empty() } else { UnshareFlags::NEWNS }
    }

    /// Makes them, in the mount namespace that this process has entered.
    ///
    /// # Errors
    /// `ESTALE` when a place is another than it was; else what the kernel said.
    pub(super) fn make(&self) -> io::Result<()> {
        let writable = || self.0.iter().filter(|one| one.cover == Cover::Writable);
        // What is taken before is not made read-only with the rest.
        for one in writable() {
            one.take()?;
        }
        if writable().next().is_some() {
            all_read_only()?;
        }
        self.0.iter().try_for_each(Prepared::make)
    }
}

impl Prepared {
    /// Takes the place, to be put where it was.
    fn take(&self) -> io::Result<()> {
        let mount = tree(&self.open()?)?;
        self.made.store(mount.into_raw_fd(), Ordering::Relaxed);
        Ok(())
    }

    fn make(&self) -> io::Result<()> {
        let place = match self.open() {
            Ok(place) => place,
            Err(Errno::STALE) if self.if_moved == IfMoved::Skip => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let mount = match self.cover {
            Cover::Writable => self.taken()?,
            Cover::Hidden => hidden(&place)?,
            Cover::Fixed | Cover::ReadOnly => tree(&place)?,
        };
        if matches!(self.cover, Cover::ReadOnly | Cover::Hidden) {
            set(&mount, RECURSIVE, Attributes { set: READ_ONLY, clear: 0 })?;
        }
        let both =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        Ok(move_mount(&mount, c"", &place, c"", both)?)
    }

    fn taken(&self) -> io::Result<OwnedFd> {
        match self.made.swap(NONE, Ordering::Relaxed) {
            NONE => Err(Errno::STALE.into()),
            // SAFETY: the number is of a file that was let go of, and is taken once.
            file => Ok(unsafe { OwnedFd::from_raw_fd(file) }),
        }
    }

    /// Opens what has the name now, if it is what had it then.
    fn open(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let moved = |errno| match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Errno::STALE,
            errno => errno,
        };
        let place = openat2(CWD, &*self.place, flags, Mode::empty(), resolve).map_err(moved)?;
        let stat = fstat(&place)?;
        if (stat.st_dev, stat.st_ino) == self.identity { Ok(place) } else { Err(Errno::STALE) }
    }
}

/// The place itself, with what is mounted in it, as a mount of its own.
fn tree(place: &OwnedFd) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(place.as_fd(), c"", flags)
}

/// What is mounted over a hidden place: an empty directory, or a device that cannot be opened.
fn hidden(place: &OwnedFd) -> Result<OwnedFd, Errno> {
    if FileType::from_raw_mode(fstat(place)?.st_mode) != FileType::Directory {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        return open_tree(CWD, c"/dev/null", flags);
    }
    let made = fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(made.as_fd(), c"mode", c"0755")?;
    fsconfig_create(made.as_fd())?;
    fsmount(made.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

/// Makes read-only all that is mounted, but for processes: what builds the walls maps its
/// user there.
fn all_read_only() -> io::Result<()> {
    let open = |path: &CStr| rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    set(&open(c"/")?, RECURSIVE, Attributes { set: READ_ONLY, clear: 0 })?;
    set(&open(c"/proc")?, 0, Attributes { set: 0, clear: READ_ONLY })
}

/// What is changed of a mount, by the bits of `mount_setattr`.
#[derive(Clone, Copy)]
struct Attributes {
    set: u64,
    clear: u64,
}

fn set(mount: &OwnedFd, how: libc::c_uint, attributes: Attributes) -> io::Result<()> {
    // As `struct mount_attr`: what is set, what is cleared, propagation, a user namespace.
    let attributes = [attributes.set, attributes.clear, 0, 0];
    let empty = libc::c_uint::from_ne_bytes(libc::AT_EMPTY_PATH.to_ne_bytes());
    // SAFETY: the path is a string that ends, and the attributes live through the call and
    // have as many bytes as the call is given.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            empty | how,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

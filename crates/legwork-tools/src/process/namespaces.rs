//! Namespaces of a command's own, entered before it starts.
//!
//! Unsafe code: this runs between `fork` and `exec`, where only calls that are
//! safe in a signal handler may be made. Nothing here allocates or locks.
#![allow(unsafe_code, reason = "namespaces have no safe wrapper")]

use std::ffi::CStr;
use std::io::{self, Write as _};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{DumpableBehavior, getegid, geteuid, set_dumpable_behavior};
use rustix::thread::UnshareFlags;

/// Enters namespaces of the kinds in `flags`; nothing if there are none.
///
/// A process without privileges enters a user namespace too, as the same user. What is
/// mounted in a mount namespace does not get back to the one of before.
///
/// # Errors
/// What the kernel said.
pub(super) fn enter(flags: UnshareFlags) -> io::Result<()> {
    if flags.is_empty() {
        return Ok(());
    }
    match unshare(flags) {
        Err(Errno::PERM) => become_owner(flags)?,
        outcome => outcome?,
    }
    if flags.contains(UnshareFlags::NEWNS) {
        mount_change(c"/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    }
    Ok(())
}

fn become_owner(flags: UnshareFlags) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | flags)?;
    // Else these files belong to root.
    set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    write(c"/proc/self/setgroups", b"deny")?;
    map(c"/proc/self/uid_map", user)?;
    map(c"/proc/self/gid_map", group)?;
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

fn map(file: &CStr, id: u32) -> io::Result<()> {
    let mut text = [0_u8; 64];
    let mut rest = &mut text[..];
    write!(rest, "{id} {id} 1")?;
    let unused = rest.len();
    let length = text.len().saturating_sub(unused);
    write(file, text.get(..length).unwrap_or_default())
}

fn write(file: &CStr, text: &[u8]) -> io::Result<()> {
    let file = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text)?;
    Ok(())
}

fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: this process has one thread, and no file descriptor is unshared.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

//! What a process gives up before it becomes the command.
//!
//! Unsafe code: it runs between `fork` and `exec`, where only calls that are
//! safe in a signal handler may be made. Nothing here allocates or locks.
#![allow(unsafe_code, reason = "privileges, Landlock and seccomp by bare system calls")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::UnshareFlags;

use super::mounts::Mounts;
use super::{loopback, namespaces};
use crate::linux::{Loopback, Privileges};
use crate::sandbox::Limits;

/// Version of `capset` with two words a set (`_LINUX_CAPABILITY_VERSION_3`).
const CAPABILITIES: u32 = 0x2008_0522;
/// Bytes of a step of a seccomp program (`struct sock_filter`).
const STEP: usize = 8;

/// What a process gives up, and what it keeps open, prepared before the fork.
#[derive(Debug)]
pub(super) struct Restriction {
    pub(super) inherited: Vec<OwnedFd>,
    pub(super) mounts: Mounts,
    pub(super) loopback: Option<Loopback>,
    pub(super) privileges: Privileges,
    pub(super) ruleset: Option<OwnedFd>,
    pub(super) filter: Vec<u8>,
    pub(super) limits: Limits,
    /// Tasks that its user may have in all.
    pub(super) tasks: u64,
    /// The group that bounds its tasks, to be joined.
    pub(super) group: Option<File>,
}

impl Restriction {
    /// Puts it on; the process cannot take it off.
    pub(super) fn put_on(&self) -> io::Result<()> {
        if let Some(group) = &self.group {
            rustix::io::write(group, b"0")?;
        }
        for file in &self.inherited {
            rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty())?;
        }
        // Before there is a limit on files, and a privilege too few.
        let network =
            self.loopback.as_ref().map_or(UnshareFlags::empty(), |_| UnshareFlags::NEWNET);
        namespaces::enter(network | self.mounts.namespaces())?;
        if let Some(loopback) = &self.loopback {
            loopback::serve(loopback)?;
        }
        self.mounts.make()?;
        self.limit()?;
        if self.privileges == Privileges::Dropped {
            drop_privileges()?;
        }
        if let Some(ruleset) = &self.ruleset {
            gain_nothing()?;
            // SAFETY: the file is a ruleset that is open; no memory is passed.
            check(unsafe {
                libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0)
            })?;
        }
        // Last: what it refuses may be needed above.
        if self.filter.is_empty() { Ok(()) } else { install(&self.filter) }
    }

    fn limit(&self) -> io::Result<()> {
        at_most(Resource::Core, 0)?;
        at_most(Resource::Fsize, self.limits.file.min(self.limits.written))?;
        at_most(Resource::Nofile, self.limits.open_files)?;
        at_most(Resource::Nproc, self.tasks)
    }
}

/// Lowers a limit for good; one that is lower already stays.
fn at_most(resource: Resource, most: u64) -> io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(resource);
    let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    let limit = Rlimit { current: lower(current), maximum: lower(maximum) };
    Ok(setrlimit(resource, limit)?)
}

/// From here on no program gains privileges, not even one that is set-user-id.
fn gain_nothing() -> io::Result<()> {
    // SAFETY: a plain call that passes no memory.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())
}

fn drop_privileges() -> io::Result<()> {
    gain_nothing()?;
    // SAFETY: plain calls; the header and the sets live through `capset`, and
    // are laid out as `struct __user_cap_header_struct` and two of
    // `struct __user_cap_data_struct`.
    unsafe {
        for capability in 0..64 {
            // Refused to who has no privileges to give up, and past the last one.
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        let header = [CAPABILITIES, 0];
        let sets = [0_u32; 6];
        check(libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()))
    }
}

fn install(filter: &[u8]) -> io::Result<()> {
    let length = u16::try_from(filter.len() / STEP).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = libc::sock_fprog {
        len: length,
        filter: filter.as_ptr().cast_mut().cast::<libc::sock_filter>(),
    };
    gain_nothing()?;
    // SAFETY: the kernel copies `length` steps of 8 bytes and writes nothing;
    // it takes them from any address.
    let outcome = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program)
    };
    check(outcome)
}

fn check(outcome: libc::c_long) -> io::Result<()> {
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

//! The descendants of this process and what they use, read from `/proc`.
//!
//! It is taken between `fork` and `exec`, so nothing here allocates, locks or
//! panics: its room is mapped once, and touched only as far as it is used.
#![allow(unsafe_code, reason = "room for it cannot come from the allocator after `fork`")]

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{Mode, OFlags, RawDir, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process};

use super::stat::{Stat, number};

/// Most processes of the machine that are read; on a system with more, the oldest.
const MOST: usize = 1 << 16;

/// One process of the machine.
#[derive(Clone, Copy)]
#[repr(C)]
struct Member {
    stat: Stat,
    /// Whether it is a descendant of this process.
    is_descendant: bool,
}

/// A snapshot of all processes, with the descendants of this one marked.
pub(super) struct Census {
    room: &'static mut [Member],
    count: usize,
}

impl Census {
    /// Maps the room for it; empty yet.
    pub(super) fn new() -> Result<Self, Errno> {
        // SAFETY: the pages are new, zeroed and ours until the process ends,
        // and a `Member` of zeros is one.
        let room = unsafe {
            let bytes = MOST * size_of::<Member>();
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let start = libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(Errno::NOMEM);
            }
            std::slice::from_raw_parts_mut(start.cast::<Member>(), MOST)
        };
        Ok(Self { room, count: 0 })
    }

    /// Reads every process and marks the descendants.
    pub(super) fn take(&mut self) -> Result<(), Errno> {
        self.count = 0;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open(c"/proc", flags, Mode::empty())?;
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut entries = RawDir::new(&proc, &mut space);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            if number(entry.file_name().to_bytes()).is_none() {
                continue;
            }
            // It may have ended in between.
            let Some(stat) = stat_of(proc.as_fd(), entry.file_name()) else { continue };
            let Some(free) = self.room.get_mut(self.count) else { break };
            *free = Member { stat, is_descendant: false };
            self.count += 1;
        }
        self.mark();
        Ok(())
    }

    /// Marks until none is added: a child may have a lower number than its parent.
    fn mark(&mut self) {
        let ancestor = getpid().as_raw_pid();
        let members = self.room.get_mut(..self.count).unwrap_or_default();
        members.sort_unstable_by_key(|member| member.stat.process);
        let mut added = true;
        while added {
            added = false;
            for at in 0..members.len() {
                let Some(member) = members.get(at).filter(|member| !member.is_descendant) else {
                    continue;
                };
                let parent = member.stat.parent;
                let of_descendant = || {
                    let found = members.binary_search_by_key(&parent, |one| one.stat.process);
                    found.ok().and_then(|at| members.get(at)).is_some_and(|one| one.is_descendant)
                };
                if parent == ancestor || of_descendant() {
                    if let Some(member) = members.get_mut(at) {
                        member.is_descendant = true;
                    }
                    added = true;
                }
            }
        }
    }

    /// The descendants that live.
    pub(super) fn living(&self) -> impl Iterator<Item = &Stat> {
        let members = self.room.get(..self.count).unwrap_or_default();
        members
            .iter()
            .filter(|member| member.is_descendant && !member.stat.dead)
            .map(|member| &member.stat)
    }

    /// How many descendants live.
    pub(super) fn count(&self) -> usize {
        self.living().count()
    }

    /// Bytes of memory that the descendants have in use, with the tables of its pages; pages that
    /// several share are counted for each.
    pub(super) fn memory(&self) -> u64 {
        let page = rustix::param::page_size() as u64;
        let one =
            |stat: &Stat| stat.pages.saturating_mul(page).saturating_add(tables(stat.process));
        self.living().map(one).fold(0, u64::saturating_add)
    }

    /// The same with each shared page counted once; takes a while.
    pub(super) fn exact_memory(&self) -> u64 {
        let page = rustix::param::page_size() as u64;
        let one = |stat: &Stat| {
            let pages = proportional(stat.process).unwrap_or(stat.pages.saturating_mul(page));
            pages.saturating_add(tables(stat.process))
        };
        self.living().map(one).fold(0, u64::saturating_add)
    }

    /// Bytes that the descendants have written to a disk, those that have ended included: a
    /// process takes over the count of the children that it waited for.
    pub(super) fn written(&self) -> u64 {
        let living = self.living().map(|one| one.process);
        let all = living.chain([getpid().as_raw_pid()]);
        all.filter_map(written_by).fold(0, u64::saturating_add)
    }

    /// Sends all descendants a signal.
    pub(super) fn signal(&self, signal: Signal) {
        for pid in self.living().filter_map(|one| Pid::from_raw(one.process)) {
            // It may have ended in between.
            let _ = kill_process(pid, signal);
        }
    }
}

fn stat_of(proc: BorrowedFd<'_>, process: &CStr) -> Option<Stat> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let place = openat(proc, process, flags, Mode::empty()).ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let stat = openat(&place, c"stat", flags, Mode::empty()).ok()?;
    let mut line = [0_u8; 512];
    let length = rustix::io::read(&stat, &mut line).ok()?;
    Stat::of(line.get(..length)?)
}

/// Bytes of a process, with its share of shared pages.
fn proportional(process: i32) -> Option<u64> {
    field(process, "smaps_rollup", b"Pss:").map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// Bytes of the tables of a process's pages: where it only reads, it may have many of them
/// for one page of zeros.
fn tables(process: i32) -> u64 {
    field(process, "status", b"VmPTE:").map_or(0, |kilobytes| kilobytes.saturating_mul(1024))
}

/// Bytes that a process caused to be written, and those children that it waited for.
fn written_by(process: i32) -> Option<u64> {
    field(process, "io", b"write_bytes:")
}

/// The number after a name in a file of a process, without its unit.
fn field(process: i32, file: &str, name: &[u8]) -> Option<u64> {
    let mut path = [0_u8; 40];
    let path = path_of(&mut path, process, file)?;
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0_u8; 4096];
    let length = rustix::io::read(&file, &mut text).ok()?;
    let mut lines = text.get(..length)?.split(|&byte| byte == b'\n');
    let behind = lines.find_map(|line| line.strip_prefix(name))?.trim_ascii();
    let number = behind.strip_suffix(b" kB").unwrap_or(behind);
    std::str::from_utf8(number).ok()?.trim().parse().ok()
}

fn path_of<'s>(space: &'s mut [u8; 40], process: i32, file: &str) -> Option<&'s CStr> {
    use std::io::Write as _;
    let mut rest = &mut space[..];
    write!(rest, "/proc/{process}/{file}\0").ok()?;
    CStr::from_bytes_until_nul(space).ok()
}

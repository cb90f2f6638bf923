//! Watches that a command takes no more than its limits.

use std::os::fd::OwnedFd;

use rustix::event::Timespec;
use rustix::fs::{Mode, OFlags};

use super::census::Census;
use super::private::Private;
use crate::sandbox::Limits;

/// How often it is looked whether a closer look is due.
pub(super) const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// After so many ticks the descendants are counted in any case.
const PATIENCE: u32 = 50;

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    Processes,
    Memory,
    Written,
}

impl Excess {
    /// How the guard reports it.
    pub(super) fn as_byte(self) -> u8 {
        match self {
            Self::Processes => b'p',
            Self::Memory => b'm',
            Self::Written => b'w',
        }
    }

    pub(super) fn of(byte: u8) -> Option<Self> {
        [Self::Processes, Self::Memory, Self::Written]
            .into_iter()
            .find(|excess| excess.as_byte() == byte)
    }
}

/// What the guard knows of the machine from the last time it counted.
///
/// To count is to read a file of every process. So that is done when the
/// machine's own figures say that there may be reason to, and once a second.
pub(super) struct Watch<'p> {
    census: Census,
    limits: Limits,
    private: &'p Private,
    load: Option<OwnedFd>,
    tasks: u64,
    free: u64,
    ticks: u32,
}

impl<'p> Watch<'p> {
    pub(super) fn new(census: Census, limits: Limits, private: &'p Private) -> Self {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let load = rustix::fs::open(c"/proc/loadavg", flags, Mode::empty()).ok();
        let mut watch = Self { census, limits, private, load, tasks: 0, free: 0, ticks: 0 };
        watch.remember();
        watch
    }

    /// Whether a limit is passed.
    pub(super) fn excess(&mut self) -> Option<Excess> {
        self.ticks += 1;
        let more = self.tasks().saturating_sub(self.tasks);
        let less = self.free.saturating_sub(free());
        let due = more > u64::from(self.limits.processes / 4) || less > self.limits.memory / 8;
        if !due && self.ticks < PATIENCE {
            return None;
        }
        self.remember();
        self.census.take().ok()?;
        if self.census.count() > self.limits.processes as usize {
            return Some(Excess::Processes);
        }
        if self.census.written() > self.limits.written {
            return Some(Excess::Written);
        }
        let kept =
            self.census.living().map(|one| one.process).find_map(|one| self.private.kept(one));
        let most = self.limits.memory.saturating_sub(kept.unwrap_or_default());
        let much = self.census.memory() > most && self.census.exact_memory() > most;
        much.then_some(Excess::Memory)
    }

    /// Returns the census, to end the descendants with.
    pub(super) fn into_census(self) -> Census {
        self.census
    }

    fn remember(&mut self) {
        (self.tasks, self.free, self.ticks) = (self.tasks(), free(), 0);
    }

    fn tasks(&self) -> u64 {
        let mut text = [0_u8; 128];
        let read = self.load.as_ref().and_then(|load| rustix::io::pread(load, &mut text, 0).ok());
        read.and_then(|length| tasks_in(text.get(..length)?)).unwrap_or_default()
    }
}

/// The tasks of the machine in `/proc/loadavg`: `0.1 0.2 0.3 running/all last`.
pub(super) fn tasks_in(load: &[u8]) -> Option<u64> {
    let both = load.split(|&byte| byte == b' ').nth(3)?;
    let all = both.split(|&byte| byte == b'/').nth(1)?;
    std::str::from_utf8(all).ok()?.parse().ok()
}

fn free() -> u64 {
    let info = rustix::system::sysinfo();
    info.freeram.saturating_mul(u64::from(info.mem_unit.max(1)))
}

//! How much a command may take of the machine, in whatever sandbox, or in none.

use crate::process;

/// Bytes of the largest file that a command may write.
const FILE: u64 = 16 << 30;
/// Processes that may come of a command at a time.
const PROCESSES: u32 = 512;
/// Bytes that a command may write to a disk.
const WRITTEN: u64 = 2 << 30;
/// Files that a process of a command may have open.
const OPEN_FILES: u64 = 65_536;

/// How much a command may take of the machine, with everything that came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Processes at a time; past it, all are killed. 512 by default.
    pub processes: u32,
    /// Bytes of memory in use by all of them; past it, all are killed. Three
    /// quarters of the machine's memory by default.
    pub memory: u64,
    /// Bytes of a file; a process that writes more is ended by SIGXFSZ. 16 GiB
    /// by default.
    pub file: u64,
    /// Bytes that all of them write to a disk; past it, all are killed. 2 GiB by default.
    ///
    /// It is looked at once a second, and where the kernel counts it
    /// (`CONFIG_TASK_IO_ACCOUNTING`); so more may be written before.
    pub written: u64,
    /// Open files of a process. At most 65,536 by default.
    pub open_files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: PROCESSES,
            memory: installed() / 4 * 3,
            file: FILE,
            written: WRITTEN,
            open_files: OPEN_FILES,
        }
    }
}

impl Limits {
    /// The same with another number of processes.
    #[must_use]
    pub fn with_processes(self, processes: u32) -> Self {
        Self { processes, ..self }
    }

    /// The same with another number of bytes that may be written.
    #[must_use]
    pub fn with_written(self, written: u64) -> Self {
        Self { written, ..self }
    }

    /// The same with another number of bytes of memory.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }
}

/// Backs up the guard, which counts processes and kills when there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// A control group, in which the kernel refuses more.
    ControlGroup,
    /// The user's own limit of processes, past which the kernel refuses more.
    User,
    /// Nothing: root has no such limit, and no control group can be made.
    Nothing,
}

impl Bound {
    /// What bounds processes here; a control group is made to try it, and removed.
    #[must_use]
    pub fn here() -> Self {
        match rustix::process::geteuid().is_root() {
            false => Self::User,
            true if process::has_group() => Self::ControlGroup,
            true => Self::Nothing,
        }
    }
}

/// Bytes of memory in this machine.
fn installed() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram.saturating_mul(u64::from(info.mem_unit.max(1)))
}

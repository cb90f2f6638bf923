//! A control group that bounds the processes of a command, where one can be made.
//!
//! For root, whom no other limit on processes holds.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where control groups are mounted.
const MOUNTED: &str = "/sys/fs/cgroup";

/// A group that was made for one command; removed when dropped.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// A new group of at most `tasks`, and the file by which a process joins it.
    pub(super) fn new(tasks: u64) -> Option<(Self, File)> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        own.lines().filter_map(place).find_map(|place| Self::below(&place, tasks))
    }

    fn below(place: &Path, tasks: u64) -> Option<(Self, File)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        sweep(place);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = place.join(format!("legwork-{}-{number}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = Self { path };
        let write = |name| OpenOptions::new().write(true).open(group.path.join(name)).ok();
        // Not there where the group has no controller of processes.
        std::io::Write::write_all(&mut write("pids.max")?, tasks.to_string().as_bytes()).ok()?;
        // Writing to `tasks` (version 1) moves one thread, all that the process has, and skips
        // the kernel's global lock of thread groups; `cgroup.procs` waits milliseconds for it.
        let joined = write("tasks").or_else(|| write("cgroup.procs"))?;
        Some((group, joined))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // If a process in it could not be killed, a later sweep removes it.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Where a group can be made, by a line of `/proc/self/cgroup`: below our own
/// in version 1; in version 2 next to it, since ours holds processes.
fn place(line: &str) -> Option<PathBuf> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, own) = rest.split_once(':')?;
    let mounted = Path::new(MOUNTED);
    let below = |mounted: &Path, own: &Path| mounted.join(own.strip_prefix("/").unwrap_or(own));
    if controllers.split(',').any(|name| name == "pids") {
        return Some(below(&mounted.join(controllers), Path::new(own)));
    }
    let own = Path::new(own);
    controllers.is_empty().then(|| below(mounted, own.parent().unwrap_or(own)))
}

/// Removes what processes left behind that were killed.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix("legwork-")?.split('-').next());
        if maker.is_some_and(|maker| !Path::new("/proc").join(maker).exists()) {
            // Not empty: a process in it still runs, and a later sweep removes it.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

//! The descendants of a process, read from `/proc`.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;

use rustix::process::{Pid, Signal, kill_process};

use super::stat::{Stat, number};

/// Asks the descendants of `ancestor` to end, but for those named `spared`.
///
/// Only a request: a process that ignores it, or is started meanwhile, is killed later.
pub(super) fn ask_to_end(ancestor: u32, spared: Option<&[u8]>) {
    let Ok(ancestor) = i32::try_from(ancestor) else {
        return;
    };
    let processes = processes();
    for (&process, found) in &processes {
        let asked = spared != Some(&*found.name) && descends(&processes, process, ancestor);
        if let Some(pid) = Pid::from_raw(process).filter(|_| asked) {
            // It may have ended by itself in between.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

/// A process as `/proc` describes it.
struct Process {
    parent: i32,
    name: Vec<u8>,
}

fn descends(processes: &HashMap<i32, Process>, process: i32, ancestor: i32) -> bool {
    let above = |&process: &i32| processes.get(&process).map(|found| found.parent);
    // A snapshot taken while processes come and go might hold a circle.
    std::iter::successors(above(&process), above)
        .take(processes.len())
        .any(|process| process == ancestor)
}

fn processes() -> HashMap<i32, Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return HashMap::new();
    };
    entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let process = number(entry.file_name().as_bytes())?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            let name = std::fs::read(entry.path().join("comm")).ok()?;
            let name = name.strip_suffix(b"\n").map(<[u8]>::to_vec)?;
            Some((process, Process { parent: Stat::of(&stat)?.parent, name }))
        })
        .collect()
}

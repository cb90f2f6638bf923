//! How a command ended, in words.

use crate::process::{End, Excess};
use crate::sandbox::Limits;

/// How it ended by itself or at a limit of what it takes; none if it was
/// stopped.
pub(crate) fn by_itself(end: End, limits: Limits) -> Option<String> {
    Some(match end {
        End::Exited(code) => format!("exit code {code}{}", by_signal(code)),
        End::Signalled(signal) => format!("killed by signal {signal}{}", name(signal)),
        End::Exceeded(Excess::Processes) => {
            format!("killed: more than {} processes", limits.processes)
        }
        End::Exceeded(Excess::Memory) => {
            format!("killed: more than {} MiB of memory", limits.memory >> 20)
        }
        End::Exceeded(Excess::Written) => {
            format!("killed: wrote more than {} MiB to a disk", limits.written >> 20)
        }
        End::Asked | End::Killed | End::Stuck => return None,
    })
}

/// How it ended at its limit of time, in seconds.
pub(super) fn timed_out(end: End, limit: u64) -> String {
    let how = match end {
        End::Killed => " and was killed, with all it had started",
        End::Stuck => "; some of it could not be killed and may still run",
        _ => ", asked to end and did",
    };
    format!("timed out after {limit} s{how}")
}

/// The text with a note behind it, on a line of its own.
pub(super) fn with_note(mut text: String, note: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text + note
}

/// A shell reports a child that was killed as 128 and the signal.
fn by_signal(code: i32) -> String {
    match code.checked_sub(128).filter(|signal| (1..=31).contains(signal)) {
        Some(signal) if !name(signal).is_empty() => {
            format!(": killed by signal {signal}{}", name(signal))
        }
        _ => String::new(),
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => ", SIGHUP",
        libc::SIGINT => ", SIGINT",
        libc::SIGQUIT => ", SIGQUIT",
        libc::SIGABRT => ", SIGABRT",
        libc::SIGKILL => ", SIGKILL",
        libc::SIGSEGV => ", SIGSEGV",
        libc::SIGPIPE => ", SIGPIPE",
        libc::SIGTERM => ", SIGTERM",
        libc::SIGXCPU => ", SIGXCPU",
        _ => "",
    }
}

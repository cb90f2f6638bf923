//! `strace`: system calls as they were made, or a kill at one of them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether processes can be traced here; says so if not.
pub(crate) fn works() -> bool {
    let tried = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: strace is not there or may not trace");
    }
    works
}

/// The command under `strace`, its children too.
pub(crate) fn under(options: &[&str], log: &Path, command: &Command) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(log).args(options).arg("--");
    strace.arg(command.get_program()).args(command.get_args());
    strace.current_dir(command.get_current_dir().unwrap());
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    strace.env_clear().envs(set);
    strace
}

/// A system call began or ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    /// Bytes were written into a file at an offset.
    Wrote { path: PathBuf, at: usize, bytes: Vec<u8> },
    /// A thread began to sync a file.
    SyncBegun { thread: u32, path: PathBuf },
    /// The sync that the thread had begun succeeded.
    Synced { thread: u32 },
    /// A file was removed.
    Removed(PathBuf),
    /// A program is about to be executed.
    Exec(Vec<OsString>),
}

/// What to trace so that [`read`] sees it: with names of files, and all strings in full.
pub(crate) const WRITES_AND_EXECS: &[&str] =
    &["-y", "-xx", "-s", "10000000", "-e", "trace=pwrite64,fsync,fdatasync,unlink,execve"];

/// Reads a log of [`WRITES_AND_EXECS`].
pub(crate) fn read(log: &Path) -> Vec<Seen> {
    let text = fs::read_to_string(log).unwrap();
    let mut open = BTreeMap::new();
    text.lines().flat_map(|line| seen(line, &mut open)).collect()
}

/// What a line shows. A call that another thread's line cut in two has two lines.
fn seen<'a>(line: &'a str, open: &mut BTreeMap<u32, &'a str>) -> Vec<Seen> {
    let (thread, call) = line.split_once(' ').unwrap();
    let (thread, call) = (thread.parse().unwrap(), call.trim_start());
    if let Some(begun) = call.strip_suffix("<unfinished ...>") {
        open.insert(thread, begun);
        return began(thread, begun).into_iter().collect();
    }
    if call.starts_with("<... ") {
        let begun = open.remove(&thread).unwrap();
        return done(thread, begun, call).into_iter().collect();
    }
    began(thread, call).into_iter().chain(done(thread, call, call)).collect()
}

fn began(thread: u32, call: &str) -> Option<Seen> {
    match call.split_once('(')? {
        ("fsync" | "fdatasync", _) => Some(Seen::SyncBegun { thread, path: path(call) }),
        ("execve", rest) => Some(Seen::Exec(strings(rest).skip(1).map(text).collect())),
        _ => None,
    }
}

/// What is true now that a call ended, if it did what it should.
fn done(thread: u32, call: &str, end: &str) -> Option<Seen> {
    let result: usize = end.rsplit_once(" = ")?.1.split(' ').next()?.parse().ok()?;
    match call.split_once('(')? {
        ("fsync" | "fdatasync", _) => Some(Seen::Synced { thread }),
        ("unlink", rest) => Some(Seen::Removed(text(strings(rest).next()?).into())),
        ("pwrite64", rest) => {
            let mut bytes = decoded(strings(rest).next()?);
            bytes.truncate(result);
            let arguments = rest.rsplit_once('"')?.1;
            let at = arguments.split([',', ')']).nth(2)?.trim().parse().ok()?;
            Some(Seen::Wrote { path: path(call), at, bytes })
        }
        _ => None,
    }
}

/// The path of the file that a call is about.
fn path(call: &str) -> PathBuf {
    let (_, rest) = call.split_once('<').unwrap();
    text(rest.split_once('>').unwrap().0).into()
}

/// The strings in arguments, encoded as they stand there.
fn strings(arguments: &str) -> impl Iterator<Item = &str> {
    arguments.split('"').skip(1).step_by(2)
}

fn text(encoded: &str) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(decoded(encoded))
}

/// `\x41\x42` is `AB`.
fn decoded(encoded: &str) -> Vec<u8> {
    let byte = |hex: &str| u8::from_str_radix(hex, 16).unwrap();
    encoded.split("\\x").skip(1).map(byte).collect()
}

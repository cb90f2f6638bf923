//! This test program once more, as another user, with other walls or alone in its process.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;
/// Set for the process that runs the body of a test.
const INSIDE: &str = "LEGWORK_TOOLS_TEST_INSIDE";

/// Which process a test runs in.
pub(super) struct Child {
    test: String,
    command: Command,
}

impl Child {
    /// A process of its own for a test, named by its path with the crate's name.
    pub(super) fn of(test: &str) -> Self {
        // Reached by this name whatever folder it lies in.
        Self::by(test, Command::new("/proc/self/exe"))
    }

    /// The same, started by a command that is given this program's name and arguments.
    pub(super) fn by(test: &str, mut command: Command) -> Self {
        let (_, test) = test.split_once("::").expect("a path");
        command.args(["--exact", test, "--nocapture"]).env(INSIDE, "1").env("TMPDIR", "/tmp");
        Self { test: test.to_owned(), command }
    }

    /// As a user who is refused things, where this one is not.
    pub(super) fn by_nobody(mut self) -> Self {
        if rustix::process::geteuid().is_root() {
            self.command.uid(NOBODY).gid(NOBODY).current_dir("/");
        }
        self
    }

    pub(super) fn with(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs the body there; here, when this is that process.
    pub(super) fn run(self, body: impl FnOnce()) {
        if is_inside() {
            return body();
        }
        let test = self.test.clone();
        let output = self.output();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        print!("{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && text.contains("1 passed"), "{test}");
    }

    /// Runs it to whatever end it comes.
    pub(super) fn output(mut self) -> Output {
        self.command.output().expect("started")
    }
}

pub(super) fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Most memory that this process had at once, in bytes.
pub(super) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("procfs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024
}

//! What some tests and measurements want from the system.

use std::process::{Command, Stdio};

use crate::system;

/// A program, the Debian package that has it, and what is skipped without it.
pub(crate) type Need = (&'static str, &'static str, &'static str);

/// What tests want.
const PROGRAMS: &[Need] = &[
    ("bwrap", "bubblewrap", "tests of the shell tool's sandbox"),
    ("tmux", "tmux", "tests of what a terminal shows"),
    ("strace", "strace", "tests that watch a write reach the disk"),
    ("valgrind", "valgrind", "tests that count instructions"),
];

/// Installs what tests want.
pub(crate) fn install() {
    install_for(PROGRAMS);
}

/// Installs what is missing where that is possible, else says what is skipped.
pub(crate) fn install_for(programs: &[Need]) {
    let missing = || programs.iter().filter(|(program, ..)| !system::has(program));
    let packages: Vec<_> = missing().map(|(_, package, _)| *package).collect();
    if packages.is_empty() {
        println!("all there");
        return;
    }
    if system::is_root() && system::has("apt-get") {
        println!("installing {}", packages.join(" "));
        // An old list of packages may name files that are gone; a failed update may still do.
        apt(&["update", "--quiet=2"]);
        apt(&[&["install", "--quiet=2", "--yes", "--no-install-recommends"], &packages[..]]
            .concat());
    }
    for (program, package, what) in missing() {
        println!("no `{program}` (package {package}): skipping {what}");
    }
}

fn apt(args: &[&str]) {
    let status = Command::new("apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        println!("`apt-get {}` failed", args.join(" "));
    }
}

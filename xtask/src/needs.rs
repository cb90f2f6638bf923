//! What some tests and measurements want from the system.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
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

/// Servers whose private ones are for tests and measurements of stores.
const SERVERS: &[Need] = &[
    ("postgres", "postgresql", "tests and measurements of the Postgres store"),
    ("redis-server", "redis-server", "tests and measurements of the Redis store"),
];

/// Installs what tests want.
pub(crate) fn install() {
    install_for(PROGRAMS);
    install_servers();
}

/// Installs servers, without those that their packages would start for all of the machine.
pub(crate) fn install_servers() {
    let is_missing = |need: &&Need| !system::has(need.0) && !has_postgres(need.0);
    let missing: Vec<_> = SERVERS.iter().filter(is_missing).copied().collect();
    if !missing.is_empty() {
        let _quiet = Quiet::new();
        install_for(&missing);
    }
}

/// Whether it is Postgres, whose programs Debian keeps in a folder for each version.
fn has_postgres(program: &str) -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
    program == "postgres" && folders.iter().any(|folder| folder.join("initdb").is_file())
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
    for (program, package, what) in missing().filter(|(program, ..)| !has_postgres(program)) {
        println!("no `{program}` (package {package}): skipping {what}");
    }
}

/// Files that keep packages from making or starting servers, as long as it lives. Those that are
/// there already stay as they are.
struct Quiet(Vec<PathBuf>);

impl Quiet {
    fn new() -> Self {
        let no_cluster = "create_main_cluster = false\n";
        // Debian asks this program before it starts a service; 101 forbids it.
        let no_service = "#!/bin/sh\nexit 101\n";
        let files = [
            ("/etc/postgresql-common/createcluster.d/legwork.conf", no_cluster, 0o644),
            ("/usr/sbin/policy-rc.d", no_service, 0o755),
        ];
        let made = files.into_iter().filter_map(|(path, text, mode)| write_new(path, text, mode));
        Self(if system::is_root() { made.collect() } else { Vec::new() })
    }
}

/// Writes a file if there is none of this name.
fn write_new(path: &str, text: &str, mode: u32) -> Option<PathBuf> {
    let path = PathBuf::from(path);
    fs::create_dir_all(path.parent()?).ok()?;
    fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).ok()?;
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).ok()?;
    Some(path)
}

impl Drop for Quiet {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
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

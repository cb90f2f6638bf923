//! `cargo xtask stranger`: a crate outside the workspace, as somebody else would write it.
//!
//! `tests/stranger` implements a tool, a store, a lifecycle and a sandbox on `legwork-port` alone.
//! It is built from a copy, so that no lock file or `target` is left beside its sources.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{cargo, no_arguments};

const SOURCES: &str = "tests/stranger";

/// Runs the stranger's own tests.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    no_arguments(args)?;
    let status = tests()?.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("a test of the stranger's crate failed; its messages stand above".to_owned())
}

/// Copies the crate, and gives the command that runs its tests there.
pub(crate) fn tests() -> Result<Command, String> {
    let root = cargo::root();
    let target = cargo::metadata()?.target_directory.join("stranger");
    let folder = target.join("crate");
    copy(&root.join(SOURCES), &folder)?;
    let manifest = folder.join("Cargo.toml");
    let text = read(&manifest)?.replace("\"../../", &format!("\"{}/", root.display()));
    write(&manifest, &text)?;
    // The workspace's versions: what is tested is then what is shipped.
    write(&folder.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
    let cargo = || {
        let mut command = cargo::command();
        command.current_dir(&folder).env("CARGO_TARGET_DIR", &target);
        command
    };
    let mut command = cargo();
    command.args(["test", "--no-fail-fast"]);
    if is_fetched(cargo()) {
        command.arg("--offline");
    }
    Ok(command)
}

/// Whether all that it needs is on this machine, so that no network is asked.
fn is_fetched(mut cargo: Command) -> bool {
    cargo.args(["fetch", "--offline", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null());
    cargo.status().is_ok_and(|status| status.success())
}

/// Makes `to` a copy of the folder `from`, without what Git ignores there.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let cannot = |error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    if to.exists() {
        fs::remove_dir_all(to).map_err(cannot)?;
    }
    fs::create_dir_all(to).map_err(cannot)?;
    for entry in fs::read_dir(from).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            if entry.file_name() != "target" {
                copy(&path, &copied)?;
            }
        } else {
            fs::copy(&path, &copied).map_err(cannot)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

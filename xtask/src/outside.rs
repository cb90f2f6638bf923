//! Crates outside the workspace, built as somebody else would build them.
//!
//! Each folder of `tests` is one. It is built from a copy, so that no lock file or `target` is
//! left beside its sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo;

#[cfg(test)]
mod tests;

/// Where they are.
const FOLDER: &str = "tests";

/// A copy of a crate outside the workspace.
pub(crate) struct Outside {
    folder: PathBuf,
    target: PathBuf,
    is_fetched: bool,
}

impl Outside {
    /// Copies a crate of `tests` to where it is built.
    pub(crate) fn copy_of(name: &str) -> Result<Self, String> {
        let root = cargo::root();
        let target = cargo::metadata()?.target_directory.join(name);
        let folder = target.join("crate");
        copy(&root.join(FOLDER).join(name), &folder)?;
        let manifest = folder.join("Cargo.toml");
        let text = read(&manifest)?.replace("\"../../", &format!("\"{}/", root.display()));
        write(&manifest, &text)?;
        // The workspace's versions: what is tested is then what is shipped.
        write(&folder.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
        let mut outside = Self { folder, target, is_fetched: false };
        outside.is_fetched = outside.fetch().is_ok_and(|status| status.success());
        Ok(outside)
    }

    /// Cargo, working on the copy; it uses no network if all is on this machine.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = cargo::command();
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.target);
        if self.is_fetched {
            command.env("CARGO_NET_OFFLINE", "true");
        }
        command
    }

    fn fetch(&self) -> std::io::Result<std::process::ExitStatus> {
        let mut fetch = self.cargo();
        fetch.args(["fetch", "--offline", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null());
        fetch.status()
    }
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

//! Packages of npm, in a folder of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs packages unless these very ones are there; no script of theirs runs.
pub(crate) fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    let (mark, wanted) = (folder.join("installed.txt"), packages.join(" "));
    if fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        return Ok(());
    }
    let at = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(at)?;
    println!("installing {wanted} into {}", folder.display());
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
    succeeds(npm.arg(folder).args(packages), "npm could not install them")?;
    fs::write(&mark, wanted).map_err(at)
}

/// Runs a command to its end.
pub(crate) fn succeeds(command: &mut Command, why: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(why.to_owned()),
        Err(error) => Err(format!("{why}: {error}")),
    }
}

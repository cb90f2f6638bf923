//! A copy of the workspace that follows it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Makes `to` hold the files of `from`, but for `.git` and `target`.
///
/// Only what differs is written: what stays keeps its time, and Cargo builds it not again.
pub(super) fn mirror(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|error| cannot("make", to, &error))?;
    let wanted = files(from)?;
    for extra in files(to)?.difference(&wanted) {
        let path = to.join(extra);
        fs::remove_file(&path).map_err(|error| cannot("remove", &path, &error))?;
        // A folder goes with its last file; one that holds more refuses.
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != to);
        let _ = folders.map(fs::remove_dir).find(Result::is_err);
    }
    for file in &wanted {
        copy(&from.join(file), &to.join(file))?;
    }
    Ok(())
}

/// Writes a file of the copy.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| cannot("write", path, &error))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let read = |path: &Path| fs::read(path).map_err(|error| cannot("read", path, &error));
    if to.exists() && read(from)? == read(to)? {
        let mode = fs::metadata(from).map_err(|error| cannot("read", from, &error))?.permissions();
        return fs::set_permissions(to, mode).map_err(|error| cannot("write", to, &error));
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))?;
    }
    fs::copy(from, to).map(drop).map_err(|error| cannot("copy to", to, &error))
}

/// The files below a folder, relative to it.
fn files(root: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let unlisted = |error| cannot("list", &path, &error);
        for entry in fs::read_dir(&path).map_err(unlisted)? {
            let entry = entry.map_err(unlisted)?;
            let (kind, name) = (entry.file_type().map_err(unlisted)?, entry.file_name());
            if name == ".git" || name == "target" {
                continue;
            }
            match kind {
                kind if kind.is_dir() => folders.push(folder.join(name)),
                // A link to a file is that file; one to a folder could lead anywhere.
                _ if entry.path().is_file() => {
                    found.insert(folder.join(name));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {what} {}: {error}", path.display())
}

//! The Rust files of the project, and which of them are tests.

use std::path::{Path, PathBuf};

use crate::cargo;

/// One Rust file.
pub(crate) struct Source {
    /// Relative to the workspace, for people.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// Whether the file holds tests only: `tests.rs`, or under `tests/`.
    pub(crate) fn is_test(&self) -> bool {
        let path = Path::new(&self.path);
        path.file_name().is_some_and(|name| name == "tests.rs")
            || path.components().any(|part| part.as_os_str() == "tests")
    }
}

/// All Rust files of `crates/`, `tests/` and `xtask/`, by path.
pub(crate) fn all() -> Result<Vec<Source>, String> {
    let root = cargo::root();
    let mut files = Vec::new();
    for folder in ["crates", "tests", "xtask"] {
        walk(&root.join(folder), &mut files)?;
    }
    files.sort();
    files.iter().map(|file| read(&root, file)).collect()
}

fn read(root: &Path, file: &Path) -> Result<Source, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let path = file.strip_prefix(root).unwrap_or(file);
    Ok(Source { path: path.to_string_lossy().into_owned(), text })
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let cannot = |error| format!("cannot list {}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.is_dir() {
            // A crate that someone built on its own has a `target` too.
            if path.file_name().is_some_and(|name| name != "target") {
                walk(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

//! Where files are looked for.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_core::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::file::{self, Links};
use crate::problem::Problem;

/// The most files that one folder is read for.
const MAX_FILES: usize = 1_000;
/// Bytes of the agents that are read of one folder.
const MAX_FOLDER_BYTES: u64 = 8 << 20;

/// Whose a location is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's, for all projects.
    User,
    /// The project's: who wrote the project wrote it.
    Project,
    /// Named for this one time.
    Given,
}

/// A folder or a file to look into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Whose it is.
    pub origin: Origin,
    /// The folder or file.
    pub path: PathBuf,
    /// The files that may be used, with the digest that each must have; none = all.
    only: Option<Arc<BTreeMap<PathBuf, Digest>>>,
}

impl Location {
    /// A location of the user's; nothing need be there.
    pub fn user(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::User, path)
    }

    /// A location of the project's; nothing need be there.
    pub fn project(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::Project, path)
    }

    /// A location named for this one time; a problem if nothing is there.
    pub fn given(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::Given, path)
    }

    /// A location of any origin.
    pub fn of(origin: Origin, path: impl Into<PathBuf>) -> Self {
        Self { origin, path: path.into(), only: None }
    }

    /// The same location, restricted to some files, each with the digest of its content.
    ///
    /// Other files are ignored; a file whose content has changed by the time it is read is a
    /// problem. So the content that is used is the content that was checked.
    #[must_use]
    pub fn only(self, files: BTreeMap<PathBuf, Digest>) -> Self {
        Self { only: Some(Arc::new(files)), ..self }
    }

    /// Whether a file may be used.
    pub(crate) fn has(&self, file: &Path) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains_key(file))
    }

    /// The digest that a file must have, if there is one.
    pub(crate) fn content(&self, file: &Path) -> Option<&Digest> {
        self.only.as_ref()?.get(file)
    }

    /// What is found at this location.
    pub(crate) fn look(&self) -> Result<Look, Problem> {
        match fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => Ok(Look::Folder),
            Ok(_) => Ok(Look::File),
            Err(error) if absent(error.kind()) && self.origin != Origin::Given => Ok(Look::Nothing),
            Err(error) => Err(file::unreadable(&error).in_file(&self.path)),
        }
    }

    /// How a file that is this location itself is opened.
    pub(crate) fn links(&self) -> Links {
        match self.origin {
            // A project may have been written by a stranger.
            Origin::Project => Links::Refuse,
            Origin::User | Origin::Given => Links::Follow,
        }
    }
}

/// What is found at a location.
pub(crate) enum Look {
    Nothing,
    Folder,
    File,
}

fn absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The entries of a folder that are wanted and not hidden, sorted by name.
///
/// What cannot be listed is a problem, and so is more than a thousand.
pub(crate) fn entries(
    folder: &Path,
    wanted: fn(&Path) -> bool,
    problems: &mut Vec<Problem>,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) => {
            problems.push(file::unreadable(&error).in_file(folder));
            return found;
        }
    };
    for entry in listed {
        match entry {
            Ok(entry) if hidden(&entry.path()) || !wanted(&entry.path()) => {}
            Ok(entry) => found.push(entry.path()),
            Err(error) => problems.push(file::unreadable(&error).in_file(folder)),
        }
    }
    found.sort();
    if found.len() > MAX_FILES {
        let message = format!("there are {} in one folder, {MAX_FILES} are read", found.len());
        problems.push(Problem::new(message, "remove those that are not needed").in_file(folder));
        found.truncate(MAX_FILES);
    }
    found
}

/// The first files of a folder, up to the total size that is read.
///
/// Definitions are kept in memory: many small files may add up to too much.
pub(crate) fn small_together(
    folder: &Path,
    mut files: Vec<PathBuf>,
    problems: &mut Vec<Problem>,
) -> Vec<PathBuf> {
    let mut left = MAX_FOLDER_BYTES;
    let mut read = 0;
    for file in &files {
        let bytes = fs::symlink_metadata(file).map_or(0, |found| found.len());
        let Some(rest) = left.checked_sub(bytes) else { break };
        (left, read) = (rest, read + 1);
    }
    if read < files.len() {
        let most = MAX_FOLDER_BYTES >> 20;
        let message =
            format!("its files are larger than {most} MiB together, the first {read} are read");
        problems.push(Problem::new(message, "remove those that are not needed").in_file(folder));
        files.truncate(read);
    }
    files
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

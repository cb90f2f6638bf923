//! Compares repositories with how they were before a command.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::bound::Allowance;
use super::entry::{Entry, Kind};
use super::find::NESTED;
use super::folder::{Folder, is_absent};
use super::look::INFO;
use super::snapshot::Root;

/// A place that is not as it was.
#[derive(Debug)]
pub(super) struct Change<'b> {
    /// Below the root.
    pub(super) path: &'b Path,
    pub(super) before: Option<&'b Entry>,
    pub(super) now: Option<Entry>,
}

/// A folder of hooks, or of what else Git takes all files of, and names that are new in it.
#[derive(Debug)]
pub(super) struct NewNames {
    pub(super) folder: Folder,
    pub(super) names: Vec<OsString>,
    /// Whether there are more.
    pub(super) is_flood: bool,
}

/// Most new names of a folder that are moved one by one.
const NAMES_MAX: usize = 10_000;

/// Most folders on a way that are held open.
const HELD_MAX: usize = 8;

/// The way to the last place: the next one, in the order of paths, lies near it.
pub(super) struct OpenFolders<'r> {
    root: &'r Folder,
    held: VecDeque<(PathBuf, Folder)>,
}

impl<'r> OpenFolders<'r> {
    pub(super) fn new(root: &'r Folder) -> Self {
        Self { root, held: VecDeque::new() }
    }

    /// Opens the folder of a place.
    pub(super) fn to(&mut self, path: &Path) -> Result<&Folder, Errno> {
        let above = path.parent().unwrap_or(Path::new(""));
        while self.held.back().is_some_and(|(held, _)| !above.starts_with(held)) {
            self.held.pop_back();
        }
        if self.held.back().is_none_or(|(held, _)| held != above) {
            let opened = match self.held.back() {
                Some((held, folder)) => {
                    folder.below_with_rights(above.strip_prefix(held).unwrap_or(above))?
                }
                None => self.root.below_with_rights(above)?,
            };
            self.held.push_back((above.to_owned(), opened));
            if self.held.len() > HELD_MAX {
                self.held.pop_front();
            }
        }
        self.held.back().map(|(_, folder)| folder).ok_or(Errno::NOENT)
    }
}

/// How one place is now, compared with how it was.
///
/// # Errors
/// When it cannot be looked at.
pub(super) fn place<'b>(
    way: &mut OpenFolders<'_>,
    path: &'b Path,
    before: Option<&'b Entry>,
) -> Result<Option<Change<'b>>, Errno> {
    let name = path.file_name().unwrap_or(OsStr::new("."));
    let look = |above: &Folder| above.with_rights(|| Entry::look_again(above, name, before));
    let now = match way.to(path).and_then(look) {
        Ok(now) => Some(now),
        Err(errno) if is_absent(errno) => None,
        Err(errno) => return Err(errno),
    };
    let is_same = match (before, &now) {
        (None, None) => true,
        // Git makes the folder for other things, too.
        (None, Some(now)) if is_made_by_git(path) => now.kind == Kind::Directory,
        (Some(before), Some(now)) => before.is_as(now),
        _ => false,
    };
    Ok((!is_same).then_some(Change { path, before, now }))
}

/// Whether Git makes a folder of this name in a repository.
fn is_made_by_git(path: &Path) -> bool {
    path.ends_with(INFO) || NESTED.iter().any(|name| path.ends_with(name))
}

/// The next names that are new in a folder of which all names were known.
///
/// # Errors
/// When it cannot be listed.
pub(super) fn new_names(
    root: &Folder,
    before: &Root,
    path: &Path,
) -> Result<Option<NewNames>, Errno> {
    let folder = match root.below_with_rights(path) {
        Ok(folder) => folder,
        Err(errno) if is_absent(errno) => return Ok(None),
        Err(errno) => return Err(errno),
    };
    // Without the right to list it, new names would not be found.
    folder.with_rights(|| folder.is_listable())?;
    let mut all = Allowance::new(usize::MAX);
    let (mut names, mut is_flood) = (Vec::new(), false);
    for entry in folder.entries(&mut all) {
        let (name, _) = entry?;
        if before.entries.contains_key(&path.join(&name)) {
            continue;
        }
        is_flood = names.len() >= NAMES_MAX;
        if is_flood {
            break;
        }
        names.push(name);
    }
    Ok((!names.is_empty()).then_some(NewNames { folder, names, is_flood }))
}

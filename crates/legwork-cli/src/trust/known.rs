//! Which contents the user approved, and which files a run may have written.
//!
//! Changes during a run have to be confirmed; changes between runs are the user's own. So
//! each run records the digests of the files that instruct an agent before its first command,
//! and again at its end. A run that was killed has no end: all changes since its beginning
//! count as its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use legwork::core::digest::Digest;

use super::file;
use super::name::Name;
use super::records::{Known, Records};
use super::surface;

impl Records {
    /// Records the files that a run could write to, after it ended or was killed; returns
    /// those that now have to be confirmed.
    pub(super) fn settle(&mut self, places: &[PathBuf]) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for folder in self.folders_in(places) {
            for path in surface::of_folder(&folder) {
                let none = Known { own: None, left: None };
                self.files.entry(Name(path)).or_insert(none);
            }
        }
        for (name, known) in &mut self.files {
            if is_below(&name.0, places) {
                let was_own = known.own == known.left;
                known.left = now(&name.0);
                if was_own && known.left.is_some() && known.own != known.left {
                    changed.push(name.0.clone());
                }
            }
        }
        changed
    }

    /// Records the files of a folder, as a run does before its first command; `live` are the
    /// places of the runs in progress.
    pub(super) fn look(&mut self, folder: &Path, live: &[PathBuf]) {
        let is_known = self.folders.contains(&Name(folder.to_owned()));
        let places: Vec<_> = self.places.iter().map(|name| name.0.clone()).collect();
        let known = self.files.range(Name(folder.to_owned())..).map(|(name, _)| name.0.clone());
        let known = known.take_while(|path| path.starts_with(folder));
        let mut paths: BTreeSet<_> = known.filter(|path| surface::is_of(path, folder)).collect();
        paths.extend(surface::of_folder(folder));
        for path in paths {
            let (now, is_live) = (now(&path), is_below(&path, live));
            // Without a record from before a run could write here, it may be the run's.
            let is_own = is_known || !is_below(&path, &places);
            let name = Name(path);
            let before = self.files.get(&name).cloned();
            let own = match &before {
                // Only the user can have changed it since.
                Some(known) if known.own == known.left && !is_live => now.clone(),
                // The user removed what a run had written.
                Some(known) if now.is_none() && known.left.is_some() && !is_live => None,
                Some(known) => known.own.clone(),
                None if is_own && !is_live => now.clone(),
                None => None,
            };
            // A file that has its approved content again needs no confirmation.
            let left = match before {
                Some(known) if !is_live && own != now => known.left,
                _ => now,
            };
            self.files.insert(name, Known { own, left });
        }
        self.folders.insert(Name(folder.to_owned()));
    }

    /// Records where a run can write from now on.
    pub(super) fn write(&mut self, places: &[PathBuf]) {
        for place in places {
            if !self.is_written(place) {
                self.places.retain(|known| !known.0.starts_with(place));
                self.places.insert(Name(place.clone()));
            }
        }
    }

    /// Removes the records of folders that no longer exist.
    pub(super) fn tidy(&mut self) {
        self.places.retain(|name| name.0.is_dir());
        self.folders.retain(|name| name.0.is_dir());
        let folders = &self.folders;
        let is_of = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.any(|folder| {
                folders.contains(&Name(folder.to_owned())) && surface::is_of(path, folder)
            })
        };
        self.files
            .retain(|name, known| is_of(&name.0) && (known.own.is_some() || known.left.is_some()));
    }

    /// Records that the user approves this content of a file.
    pub(super) fn confirm(&mut self, path: &Path, says: Option<Digest>) {
        self.files.insert(Name(path.to_owned()), Known { own: says.clone(), left: says });
    }

    /// Whether the user approved this content of a file.
    pub(super) fn is_own(&self, path: &Path, content: Option<&Digest>) -> bool {
        let known = self.files.get(&Name(path.to_owned()));
        known.is_some_and(|known| known.own.as_ref() == content)
    }

    /// The content of a file that the user approved.
    pub(super) fn own(&self, path: &Path) -> Option<&Digest> {
        self.files.get(&Name(path.to_owned()))?.own.as_ref()
    }

    /// Whether any run could write to a path.
    pub(super) fn is_written(&self, path: &Path) -> bool {
        self.places.iter().any(|place| path.starts_with(&place.0))
    }

    /// The recorded folders that lie in some places, or contain them.
    pub(super) fn folders_in(&self, places: &[PathBuf]) -> Vec<PathBuf> {
        let folders = self.folders.iter().map(|name| name.0.clone());
        let touches = |folder: &PathBuf| {
            places.iter().any(|place| folder.starts_with(place) || place.starts_with(folder))
        };
        folders.filter(touches).collect()
    }
}

/// Whether a path, or the target of its links, lies in some places.
fn is_below(path: &Path, places: &[PathBuf]) -> bool {
    let real = path.canonicalize().ok();
    let paths = [Some(path), real.as_deref()];
    paths.into_iter().flatten().any(|path| places.iter().any(|place| path.starts_with(place)))
}

/// The digest of a file now; none if it does not exist.
pub(super) fn now(path: &Path) -> Option<Digest> {
    digest(&file::read(path, None))
}

/// The digest of what was read; none if there is no file.
pub(super) fn digest(read: &Result<Option<file::Content>, file::Skipped>) -> Option<Digest> {
    match read {
        Ok(content) => content.as_ref().map(|content| content.digest.clone()),
        Err(why) => Some(Digest::of_bytes(why.to_string().as_bytes())),
    }
}

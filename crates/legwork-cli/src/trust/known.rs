//! What the person answers for, and what a run may have written.
//!
//! What changes while a run is under way has to be confirmed; what changes between runs is
//! the person's own doing. So each run notes, before its first command, what the files say
//! that tell an agent what to do, and at its end what they say then. A run that was killed
//! has no end: whatever changed since it began counts as changed by it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use legwork::core::digest::Digest;

use super::file;
use super::name::Name;
use super::records::{Known, Records};
use super::surface;

impl Records {
    /// Notes what is there where a run could write, when it ends or was killed; the files that
    /// have to be confirmed since.
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

    /// Looks at a folder, as a run does before its first command; in `live` places other
    /// runs are under way.
    pub(super) fn look(&mut self, folder: &Path, live: &[PathBuf]) {
        let is_known = self.folders.contains(&Name(folder.to_owned()));
        let places: Vec<_> = self.places.iter().map(|name| name.0.clone()).collect();
        let known = self.files.range(Name(folder.to_owned())..).map(|(name, _)| name.0.clone());
        let known = known.take_while(|path| path.starts_with(folder));
        let mut paths: BTreeSet<_> = known.filter(|path| surface::is_of(path, folder)).collect();
        paths.extend(surface::of_folder(folder));
        for path in paths {
            let (now, is_live) = (now(&path), is_below(&path, live));
            // Nobody looked here before a run could write it.
            let is_own = is_known || !is_below(&path, &places);
            let name = Name(path);
            let before = self.files.get(&name).cloned();
            let own = match &before {
                // Nobody but the person changed it since.
                Some(known) if known.own == known.left && !is_live => now.clone(),
                // The person took away what a run had made of it.
                Some(known) if now.is_none() && known.left.is_some() && !is_live => None,
                Some(known) => known.own.clone(),
                None if is_own && !is_live => now.clone(),
                None => None,
            };
            // What is back as it was is confirmed by that.
            let left = match before {
                Some(known) if !is_live && own != now => known.left,
                _ => now,
            };
            self.files.insert(name, Known { own, left });
        }
        self.folders.insert(Name(folder.to_owned()));
    }

    /// Notes where a run can write from now on.
    pub(super) fn write(&mut self, places: &[PathBuf]) {
        for place in places {
            if !self.is_written(place) {
                self.places.retain(|known| !known.0.starts_with(place));
                self.places.insert(Name(place.clone()));
            }
        }
    }

    /// Forgets what is about folders that are not there any more.
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

    /// The person answers for what a file says.
    pub(super) fn confirm(&mut self, path: &Path, says: Option<Digest>) {
        self.files.insert(Name(path.to_owned()), Known { own: says.clone(), left: says });
    }

    /// Whether the person answers for a file with this content.
    pub(super) fn is_own(&self, path: &Path, content: Option<&Digest>) -> bool {
        let known = self.files.get(&Name(path.to_owned()));
        known.is_some_and(|known| known.own.as_ref() == content)
    }

    /// What a file said when the person answered for it.
    pub(super) fn own(&self, path: &Path) -> Option<&Digest> {
        self.files.get(&Name(path.to_owned()))?.own.as_ref()
    }

    /// Whether runs could write to a path.
    pub(super) fn is_written(&self, path: &Path) -> bool {
        self.places.iter().any(|place| path.starts_with(&place.0))
    }

    /// The folders that were looked at and lie in some places, or hold them.
    pub(super) fn folders_in(&self, places: &[PathBuf]) -> Vec<PathBuf> {
        let folders = self.folders.iter().map(|name| name.0.clone());
        let touches = |folder: &PathBuf| {
            places.iter().any(|place| folder.starts_with(place) || place.starts_with(folder))
        };
        folders.filter(touches).collect()
    }
}

/// Whether a path, or what it leads to, lies in some places.
fn is_below(path: &Path, places: &[PathBuf]) -> bool {
    let real = path.canonicalize().ok();
    let paths = [Some(path), real.as_deref()];
    paths.into_iter().flatten().any(|path| places.iter().any(|place| path.starts_with(place)))
}

/// What a file says now; none where there is none.
pub(super) fn now(path: &Path) -> Option<Digest> {
    digest(&file::read(path, None))
}

/// The digest of what was read; none where there is no file.
pub(super) fn digest(read: &Result<Option<file::Content>, file::Skipped>) -> Option<Digest> {
    match read {
        Ok(content) => content.as_ref().map(|content| content.digest.clone()),
        Err(why) => Some(Digest::of_bytes(why.to_string().as_bytes())),
    }
}

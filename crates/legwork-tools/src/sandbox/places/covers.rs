//! What is protected inside of what commands may write, as mounts over it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat2};

use crate::linux::{Cover, Mount};
use crate::sandbox::error::Error;

/// What may only be read, and what is secret.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct Covers {
    writable: Vec<PathBuf>,
    /// What may only be read, as it was when it was resolved.
    kept: BTreeMap<PathBuf, Mount>,
    /// What is hidden if it is there when a command begins.
    secret: Vec<PathBuf>,
}

impl Covers {
    /// Over `kept`, which may only be read, and `secret`.
    ///
    /// # Errors
    /// [`Error::Moved`] when something of `kept` is not there any more.
    pub(in crate::sandbox) fn new(
        writable: &[PathBuf],
        kept: &[PathBuf],
        secret: Vec<PathBuf>,
    ) -> Result<Self, Error> {
        let mut covers = Self { writable: writable.to_vec(), kept: BTreeMap::new(), secret };
        let mut all = BTreeMap::new();
        for place in kept {
            if !covers.add(&mut all, place, Cover::ReadOnly) {
                return Err(Error::Moved { place: place.clone() });
            }
        }
        covers.kept = all;
        Ok(covers)
    }

    /// The mounts over what is there now, an outer one first.
    pub(in crate::sandbox) fn now(&self) -> Vec<Mount> {
        let mut all = self.kept.clone();
        // What is secret may be a link by now, and come, go and be replaced.
        for place in self.secret.iter().filter_map(|place| place.canonicalize().ok()) {
            self.add(&mut all, &place, Cover::Hidden);
        }
        let hidden = all.values().filter(|mount| mount.cover == Cover::Hidden);
        let hidden: BTreeSet<_> = hidden.map(|mount| mount.place.clone()).collect();
        let below = |place: &Path| place.ancestors().skip(1).any(|above| hidden.contains(above));
        all.into_values().filter(|mount| !below(&mount.place)).collect()
    }

    /// Covers a place if it lies in what may be written and is there; whether it is covered.
    ///
    /// The folders on the way are fixed, or they could be renamed and others put in their
    /// place.
    fn add(&self, all: &mut BTreeMap<PathBuf, Mount>, place: &Path, cover: Cover) -> bool {
        let Some(root) = self.writable.iter().find(|root| place.starts_with(root)) else {
            return true;
        };
        let way = place.ancestors().take_while(|above| *above != root);
        let found: Option<Vec<_>> = way.map(|above| Some((above, look(above)?))).collect();
        let Some(found) = found else { return false };
        for (path, stat) in found {
            let cover = if path == place { cover } else { Cover::Fixed };
            let mount = Mount::new(path, stat.st_dev, stat.st_ino, cover);
            let strongest = all.entry(path.to_owned()).or_insert_with(|| mount.clone());
            strongest.cover = strongest.cover.max(cover);
        }
        true
    }
}

/// What has a path without symlinks.
fn look(path: &Path) -> Option<Stat> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let found = openat2(CWD, path, flags, Mode::empty(), resolve).ok()?;
    fstat(&found).ok()
}

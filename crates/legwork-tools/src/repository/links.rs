//! What is kept and leads elsewhere, by way of what commands may write.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::bound::Allowance;
use super::entry::{Entry, Kind};
use super::pointer;
use super::resolve::resolve;
use super::snapshot::Root;

/// Most names on the ways that links lead.
const STEPS: usize = 1_000_000;

/// A link, or a file that leads to a repository, by its absolute path, and the name on its way
/// that commands may change; none where the way is too long.
pub(super) type Lead = (PathBuf, Option<PathBuf>);

/// What is kept and leads elsewhere, by way of what commands may write and is not kept.
pub(super) fn leads(roots: &[Root], closed: &[PathBuf]) -> Vec<Lead> {
    let mut steps = Allowance::new(STEPS);
    let mut kept = None;
    let mut leads = Vec::new();
    for root in roots {
        for (path, entry) in &root.entries {
            let Some(target) = entry.as_ref().and_then(|entry| target(path, entry)) else {
                continue;
            };
            let kept = kept.get_or_insert_with(|| Protected::of(roots, closed));
            let link = root.absolute(path);
            let from = link.parent().unwrap_or(Path::new("/"));
            match resolve(from, &target, &mut steps) {
                Some(way) => {
                    let free = way.names.into_iter().find(|name| kept.is_free(name));
                    leads.extend(free.map(|free| (link, Some(free))));
                }
                None => leads.push((link, None)),
            }
        }
    }
    leads
}

/// The path that a link or a pointer file contains.
fn target(path: &Path, entry: &Entry) -> Option<PathBuf> {
    match &entry.kind {
        Kind::Link(target) => Some(target.path().to_owned()),
        Kind::File(content) if path.ends_with(".git") => pointer::target(content.bytes()),
        Kind::File(content) if path.file_name() == Some(OsStr::new("commondir")) => {
            Some(pointer::line(content.bytes()))
        }
        _ => None,
    }
}

/// What commands may write, and what of it is kept.
struct Protected<'r> {
    roots: &'r [Root],
    closed: &'r [PathBuf],
    /// Repositories, and the folders above them, by absolute paths.
    folders: HashSet<PathBuf>,
}

impl<'r> Protected<'r> {
    fn of(roots: &'r [Root], closed: &'r [PathBuf]) -> Self {
        let mut folders = HashSet::new();
        for root in roots {
            for path in root.repositories.iter().chain(root.entries.keys()) {
                let above = path.ancestors().skip(usize::from(!root.repositories.contains(path)));
                for folder in above.map(|above| root.absolute(above)) {
                    if !folders.insert(folder) {
                        break;
                    }
                }
            }
        }
        Self { roots, closed, folders }
    }

    /// Whether commands may write what has a name, and it is not kept.
    fn is_free(&self, name: &Path) -> bool {
        let is_closed = self.closed.iter().any(|closed| name.starts_with(closed));
        let mut writable = self.roots.iter().filter(|root| name.starts_with(&root.path)).peekable();
        if is_closed || writable.peek().is_none() || self.folders.contains(name) {
            return false;
        }
        !writable.any(|root| {
            let Ok(path) = name.strip_prefix(&root.path) else { return false };
            let is_listed = path.parent().is_some_and(|above| root.listed.contains(above));
            is_listed || matches!(root.entries.get(path), Some(Some(_)))
        })
    }
}

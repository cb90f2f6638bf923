//! Where a path leads to, by the links on its way, in bounded time.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::bound::Allowance;

/// Most links on the way of one path, as for Linux.
const LINKS_MAX: usize = 40;
/// Most names on the way of one path, those in links too.
const NAMES_MAX: usize = 4096;

/// The path without links that a path leads to, if something is there; none beyond a bound.
///
/// `from` is an absolute path without links. `left` is how many names may still be looked at.
pub(super) fn resolve(from: &Path, path: &Path, left: &mut Allowance) -> Option<PathBuf> {
    let (mut links, mut names) = (LINKS_MAX, NAMES_MAX);
    let mut done = from.to_owned();
    let mut rest = parts(path);
    while let Some(part) = rest.pop_front() {
        names = names.checked_sub(1)?;
        if !left.take(1) {
            return None;
        }
        match part {
            Part::Root => done = PathBuf::from("/"),
            Part::Above => drop(done.pop()),
            Part::Name(name) => {
                let next = done.join(&name);
                if !next.symlink_metadata().ok()?.is_symlink() {
                    done = next;
                    continue;
                }
                links = links.checked_sub(1)?;
                let mut inner = parts(&next.read_link().ok()?);
                inner.append(&mut rest);
                rest = inner;
            }
        }
    }
    Some(done)
}

/// A part of a path that is still to be walked.
enum Part {
    Root,
    Above,
    Name(OsString),
}

fn parts(path: &Path) -> VecDeque<Part> {
    let part = |component: Component<'_>| match component {
        Component::RootDir | Component::Prefix(_) => Some(Part::Root),
        Component::ParentDir => Some(Part::Above),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
        Component::CurDir => None,
    };
    path.components().filter_map(part).collect()
}

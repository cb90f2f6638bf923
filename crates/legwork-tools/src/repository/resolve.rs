//! Where a path leads to, by the links on its way, in bounded time.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::bound::Allowance;

/// Most links on the way of one path, as for Linux.
const LINKS_MAX: usize = 40;
/// Most names on the way of one path, those in links too.
const NAMES_MAX: usize = 1024;

/// Where a path leads to.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The path without links, if something is there.
    pub(super) end: Option<PathBuf>,
    /// The names that were looked up on the way, without links before them.
    pub(super) names: Vec<PathBuf>,
}

/// Where a path leads to; none where a bound is reached first.
///
/// `from` is an absolute path without links. `left` is how many names may still be walked, those
/// on the way to each name too.
pub(super) fn resolve(from: &Path, path: &Path, left: &mut Allowance) -> Option<Resolved> {
    let (mut links, mut most) = (LINKS_MAX, NAMES_MAX);
    let mut way = Resolved { end: None, names: Vec::new() };
    let mut done = from.to_owned();
    let mut rest = parts(path);
    while let Some(part) = rest.pop_front() {
        most = most.checked_sub(1)?;
        if !left.take(done.components().count()) {
            return None;
        }
        match part {
            Part::Root => done = PathBuf::from("/"),
            Part::Above => drop(done.pop()),
            Part::Name(name) => {
                let next = done.join(&name);
                way.names.push(next.clone());
                let Ok(found) = next.symlink_metadata() else { return Some(way) };
                if !found.is_symlink() {
                    done = next;
                    continue;
                }
                links = links.checked_sub(1)?;
                let Ok(target) = next.read_link() else { return Some(way) };
                let mut inner = parts(&target);
                inner.append(&mut rest);
                rest = inner;
            }
        }
    }
    way.end = Some(done);
    Some(way)
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

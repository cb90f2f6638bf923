//! Paths by their spelling alone, before the file system is asked.

use std::path::{Component, Path, PathBuf};

/// The path relative to the first root that it lies under.
///
/// None when it climbs out or is absolute elsewhere. A `..` is kept in place:
/// only the kernel knows what it means behind a symlink.
pub(super) fn below(roots: &[&Path], asked: &Path) -> Option<PathBuf> {
    let inner = if asked.is_absolute() {
        roots.iter().find_map(|root| asked.strip_prefix(root).ok())?
    } else {
        asked
    };
    let mut depth = 0_usize;
    for part in inner.components() {
        match part {
            Component::Normal(_) => depth = depth.saturating_add(1),
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let plain: PathBuf = inner.components().filter(|part| *part != Component::CurDir).collect();
    Some(if plain.as_os_str().is_empty() { PathBuf::from(".") } else { plain })
}

/// Whether it is `.git` or lies in it, in any spelling that a file system may take for it.
pub(super) fn is_gits(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

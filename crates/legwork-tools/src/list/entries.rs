//! The entries of one page of a listing, as lines of text.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, readlinkat, statat};

use crate::blocking::Stop;
use crate::tree::{Rules, Tree, shown};

/// Most entries of one page.
const ENTRIES_MAX: usize = 1_000;

/// Which entries of a walk to show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The first one, counted from 1.
    pub(super) first: usize,
    /// How many levels to go down.
    depth: u64,
}

impl Window {
    pub(super) fn new(offset: Option<u64>, depth: u64) -> Self {
        let first = usize::try_from(offset.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
        Self { first, depth }
    }
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// Those in the window, sorted; paths are relative to the workspace.
    pub(super) entries: Vec<(PathBuf, FileType)>,
    /// How many were passed, those before the window included.
    pub(super) seen: usize,
    /// Whether the window ended before the walk.
    pub(super) more: bool,
    /// How many were hidden or ignored in the directories gone through.
    pub(super) left_out: usize,
    /// How many directories could not be read.
    pub(super) unreadable: usize,
}

/// Walks down from a directory, each one's entries sorted, until the window ends.
///
/// # Errors
/// When the directory itself cannot be read; those beneath it are counted.
pub(super) fn collect(
    tree: &Tree,
    start: &Path,
    rules: &Rules,
    window: Window,
    stop: &Stop,
) -> io::Result<Listed> {
    let mut listed = Listed::default();
    let mut waiting = Vec::new();
    descend(tree, start, rules, 1, &mut waiting, &mut listed)?;
    while let Some((path, kind, rules, depth)) = waiting.pop() {
        if stop.is_raised() {
            break;
        }
        if listed.entries.len() == ENTRIES_MAX {
            listed.more = true;
            break;
        }
        listed.seen = listed.seen.saturating_add(1);
        let is_dir = kind == FileType::Directory && !path.ends_with(".git");
        if is_dir && depth < window.depth {
            let below = depth.saturating_add(1);
            if descend(tree, &path, &rules, below, &mut waiting, &mut listed).is_err() {
                listed.unreadable = listed.unreadable.saturating_add(1);
            }
        }
        if listed.seen >= window.first {
            listed.entries.push((path, kind));
        }
    }
    Ok(listed)
}

/// An entry that is still to be passed, with the rules around it and its depth.
type Waiting = (PathBuf, FileType, Rules, u64);

fn descend(
    tree: &Tree,
    path: &Path,
    rules: &Rules,
    depth: u64,
    waiting: &mut Vec<Waiting>,
    listed: &mut Listed,
) -> io::Result<()> {
    let contents = tree.contents(path, rules)?;
    listed.left_out = listed.left_out.saturating_add(contents.left_out);
    let rules = contents.rules;
    // The last one waits longest.
    let entries = contents.entries.into_iter().rev();
    waiting.extend(entries.map(|entry| (path.join(entry.name), entry.kind, rules.clone(), depth)));
    Ok(())
}

/// One line for each entry; its path is relative to the directory listed.
pub(super) fn lines(tree: &Tree, start: &Path, entries: &[(PathBuf, FileType)]) -> String {
    let mut text = String::new();
    let mut above: Option<(&Path, OwnedFd)> = None;
    for (path, kind) in entries {
        let parent = path.parent().unwrap_or(Path::new(""));
        if above.as_ref().is_none_or(|(held, _)| *held != parent) {
            above = tree.handle(parent).ok().map(|handle| (parent, handle));
        }
        let relative = path.strip_prefix(start).unwrap_or(path);
        let handle = above.as_ref().map(|(_, handle)| handle);
        text.push_str(&shown(relative));
        text.push_str(&detail(handle, path, *kind));
        if path.file_name().is_some_and(|name| name.to_str().is_none()) {
            text.push_str("  [name is not UTF-8]");
        }
        text.push('\n');
    }
    text
}

/// What follows the name.
fn detail(above: Option<&OwnedFd>, path: &Path, kind: FileType) -> String {
    let name = path.file_name().unwrap_or_default();
    let size = || {
        let found = statat(above?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(found.st_size).ok()
    };
    let target = || readlinkat(above?, name, Vec::new()).ok();
    match kind {
        FileType::Directory => "/".to_owned(),
        FileType::RegularFile => {
            size().map(|size| format!("  {}", short(size))).unwrap_or_default()
        }
        FileType::Symlink => target()
            .map(|target| format!(" -> {}", shown(Path::new(&*target.to_string_lossy()))))
            .unwrap_or_default(),
        FileType::Fifo => "  [named pipe]".to_owned(),
        FileType::Socket => "  [socket]".to_owned(),
        _ => "  [device]".to_owned(),
    }
}

/// A size with its unit; one place after the point below ten.
pub(super) fn short(bytes: u64) -> String {
    let mut tenths = u128::from(bytes).saturating_mul(10);
    let mut unit = "B";
    for larger in ["KB", "MB", "GB", "TB", "PB", "EB"] {
        if tenths < 10_240 {
            break;
        }
        tenths = tenths.div_ceil(1024);
        unit = larger;
    }
    match (unit, tenths) {
        ("B", _) | (_, 100..) => format!("{} {unit}", tenths / 10),
        _ => format!("{}.{} {unit}", tenths / 10, tenths % 10),
    }
}

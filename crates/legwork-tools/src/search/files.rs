//! All files beneath a directory, walked with several threads.

use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

use rustix::fs::FileType;

use super::glob::Globs;
use crate::blocking::Stop;
use crate::tree::Rules;
use crate::tree::Tree;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Regular files, relative to the workspace, sorted part by part.
    pub(super) paths: Vec<PathBuf>,
    /// How many directories could not be read.
    pub(super) unreadable: usize,
}

/// What the threads of a walk share.
struct Walk<'a> {
    tree: &'a Tree,
    globs: &'a Globs,
    stop: &'a Stop,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<(PathBuf, Rules)>,
    busy: usize,
}

/// A thread at work on a directory, whose others may have to wait for it.
struct Busy<'a>(&'a Walk<'a>);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.busy = queue.busy.saturating_sub(1);
        self.0.changed.notify_all();
    }
}

/// Walks down from a directory, past what rules and globs leave out.
///
/// Symlinks, pipes, sockets and devices are passed by; so is `.git`.
pub(super) fn collect(
    tree: &Tree,
    start: (PathBuf, Rules),
    globs: &Globs,
    threads: usize,
    stop: &Stop,
) -> Files {
    let queue = Mutex::new(Queue { waiting: vec![start], busy: 0 });
    let walk = Walk { tree, globs, stop, queue, changed: Condvar::new() };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| walk.work())).collect();
        let mut all = walk.work();
        for other in others {
            // A thread that panicked walked on nothing: its files are missing.
            let found = other.join().unwrap_or_default();
            all.paths.extend(found.paths);
            all.unreadable = all.unreadable.saturating_add(found.unreadable);
        }
        all
    });
    all.paths.sort_unstable_by(|a, b| order(a, b));
    all
}

impl Walk<'_> {
    fn work(&self) -> Files {
        let mut found = Files::default();
        while let Some((path, rules)) = self.next() {
            let _busy = Busy(self);
            let below = self.directory(&path, &rules, &mut found);
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).waiting.extend(below);
        }
        found
    }

    /// The next directory; none when all are done or the caller has stopped waiting.
    fn next(&self) -> Option<(PathBuf, Rules)> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.stop.is_raised() {
                self.changed.notify_all();
                return None;
            }
            if let Some(next) = queue.waiting.pop() {
                queue.busy = queue.busy.saturating_add(1);
                return Some(next);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn directory(&self, path: &Path, rules: &Rules, found: &mut Files) -> Vec<(PathBuf, Rules)> {
        let Ok(contents) = self.tree.contents(path, rules) else {
            found.unreadable = found.unreadable.saturating_add(1);
            return Vec::new();
        };
        let mut below = Vec::new();
        for entry in contents.entries {
            let path = path.join(&entry.name);
            if entry.name == ".git" || !self.globs.takes(&path, entry.is_dir()) {
                continue;
            }
            match entry.kind {
                FileType::Directory => below.push((path, contents.rules.clone())),
                FileType::RegularFile => found.paths.push(path),
                _ => {}
            }
        }
        below
    }
}

/// By the names along the way: what is in `a/` comes before `a.rs`.
fn order(a: &Path, b: &Path) -> Ordering {
    let part = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    let (a, b) = (a.as_os_str().as_bytes(), b.as_os_str().as_bytes());
    a.iter().map(part).cmp(b.iter().map(part))
}

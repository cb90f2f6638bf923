//! Folders for files that inputs make.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, open, openat, symlinkat};
use rustix::io::Errno;
use tempfile::TempDir;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder of its own, in memory where the system has such a place.
pub(super) fn folder() -> TempDir {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.unwrap_or_else(|error| panic!("no folder for files: {error}"))
}

/// A folder in which an input makes things. Nothing is made, and nothing removed, by a link.
pub(super) struct Ground {
    root: OwnedFd,
    /// Where it is, without links.
    pub(super) path: PathBuf,
    /// Where links lead that would lead to the root of the file system.
    outside: PathBuf,
}

impl Ground {
    pub(super) fn new(path: &Path, outside: &Path) -> Result<Self, Errno> {
        let (path, outside) = (path.to_owned(), outside.to_owned());
        Ok(Self { root: open(&path, DIRECTORY, Mode::empty())?, path, outside })
    }

    /// The folder that holds a path, made if it is not there, and the name in it.
    fn above<'p>(&self, path: &'p str) -> Result<(OwnedFd, &'p Path), Errno> {
        let mut names: Vec<_> = Path::new(path).components().filter_map(name).collect();
        let last = names.pop().ok_or(Errno::INVAL)?;
        let mut held = openat(&self.root, ".", DIRECTORY, Mode::empty())?;
        for name in names.into_iter().take(40) {
            match mkdirat(&held, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            held = openat(&held, name, DIRECTORY, Mode::empty())?;
        }
        Ok((held, last))
    }

    pub(super) fn dir(&self, path: &str) -> Result<(), Errno> {
        let (above, name) = self.above(path)?;
        mkdirat(&above, name, Mode::RWXU)
    }

    pub(super) fn file(&self, path: &str, content: &[u8]) -> Result<(), Errno> {
        let (above, name) = self.above(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
        let file = openat(&above, name, flags | OFlags::NONBLOCK, Mode::RWXU)?;
        rustix::io::write(&file, content).map(|_| ())
    }

    /// A link; one that would lead far up leads to the place outside.
    pub(super) fn link(&self, path: &str, target: &str) -> Result<(), Errno> {
        let (above, at) = self.above(path)?;
        let up = Path::new(target).components().filter(|part| *part == Component::ParentDir);
        match target.starts_with('/') || up.count() > 3 {
            true => {
                let names: PathBuf = Path::new(target).components().filter_map(name).collect();
                symlinkat(self.outside.join(names), &above, at)
            }
            false => symlinkat(target, &above, at),
        }
    }

    pub(super) fn remove(&self, path: &str) -> std::io::Result<()> {
        let names: PathBuf = Path::new(path).components().filter_map(name).collect();
        let (above, last) = self.above(path)?;
        drop((above, last));
        let whole = self.path.join(&names);
        let real = whole.parent().unwrap_or(&self.path).canonicalize()?;
        match real.starts_with(&self.path) && !names.as_os_str().is_empty() {
            true if whole.symlink_metadata()?.is_dir() => std::fs::remove_dir_all(whole),
            true => std::fs::remove_file(whole),
            false => Ok(()),
        }
    }
}

fn name(part: Component<'_>) -> Option<&Path> {
    match part {
        Component::Normal(name) => Some(Path::new(name)),
        _ => None,
    }
}

/// All that lies in a folder: paths, and what files hold and links say.
pub(super) fn listed(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut all, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let content = match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    left.push(path.clone());
                    Vec::new()
                }
                Ok(kind) if kind.is_symlink() => std::fs::read_link(&path)
                    .map_or(Vec::new(), |target| target.into_os_string().into_encoded_bytes()),
                Ok(kind) if kind.is_file() => std::fs::read(&path).unwrap_or_default(),
                _ => Vec::new(),
            };
            all.push((path, content));
        }
    }
    all.sort();
    all
}

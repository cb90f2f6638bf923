//! One file of a project, read as untrusted input.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use legwork::core::digest::Digest;
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::owner::{self, Owners};

/// Bytes of a file that are kept.
pub(crate) const KEPT: u64 = 1 << 20;
/// Bytes of a file that are read, for its digest.
const MOST: u64 = 16 << 20;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    /// Its path, with links resolved.
    pub(crate) path: PathBuf,
    /// Its first bytes, a mebibyte at most.
    pub(crate) bytes: Vec<u8>,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// The digest of the whole file.
    pub(crate) digest: Digest,
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Skipped {
    /// A device, pipe or folder: reading it might never end.
    #[error("it is {0}, not a file")]
    NoFile(&'static str),
    /// Its target could be any file of this machine.
    #[error("it is a link that leads out of the repository, to {}", .0.display())]
    LeadsOut(PathBuf),
    /// Another user can change it at any time.
    #[error("{} belongs to {}", .0.display(), owner::name(*.1))]
    Foreign(PathBuf, u32),
    /// It is too large to be reviewed.
    #[error("it is larger than {} MB", MOST >> 20)]
    TooLarge,
    /// The operating system reported an error.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl From<io::Error> for Skipped {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Where a file may be, and which users may own it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds<'a> {
    pub(crate) root: &'a Path,
    pub(crate) owners: &'a Owners,
}

/// Reads a file; none if it does not exist.
///
/// # Errors
/// Why it cannot be used.
pub(crate) fn read(path: &Path, bounds: Option<Bounds<'_>>) -> Result<Option<Content>, Skipped> {
    let real = match fs::canonicalize(path) {
        Err(error) if is_missing(&error) => return Ok(None),
        real => real?,
    };
    if let Some(bounds) = bounds {
        bounds.check(path)?;
        bounds.check(&real)?;
    }
    // Opening a pipe would wait for a writer.
    is_file(&fs::metadata(&real)?)?;
    let file = open(&real, bounds.map(|bounds| bounds.root))?;
    let about = file.metadata()?;
    is_file(&about)?;
    if let Some(bounds) = bounds {
        bounds.allows(&real, about.uid())?;
    }
    all(file, real).map(Some)
}

/// Opens a file without following links, as far as the system can guarantee that.
fn open(real: &Path, root: Option<&Path>) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let below = root.and_then(|root| Some((File::open(root).ok()?, real.strip_prefix(root).ok()?)));
    if let Some((root, below)) = below {
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
        match openat2(&root, below, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(File::from(opened?)),
        }
    }
    let flags = (flags | OFlags::NOFOLLOW).bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(real)
}

fn all(file: File, path: PathBuf) -> Result<Content, Skipped> {
    let mut file = file.take(MOST + 1);
    let mut bytes = Vec::new();
    file.by_ref().take(KEPT).read_to_end(&mut bytes)?;
    let (mut digest, mut length) = (Digest::of_bytes(&bytes), bytes.len() as u64);
    loop {
        let mut more = digest.as_str().as_bytes().to_vec();
        let read = file.by_ref().take(KEPT).read_to_end(&mut more)? as u64;
        match length + read {
            whole if whole > MOST => return Err(Skipped::TooLarge),
            _ if read == 0 => return Ok(Content { path, bytes, length, digest }),
            whole => (digest, length) = (Digest::of_bytes(&more), whole),
        }
    }
}

impl Bounds<'_> {
    /// Checks that a path lies within the root, and who owns it and each folder on the way.
    fn check(&self, path: &Path) -> Result<(), Skipped> {
        if !path.starts_with(self.root) {
            return Err(Skipped::LeadsOut(path.to_owned()));
        }
        for part in path.ancestors().take_while(|part| part.starts_with(self.root)) {
            self.allows(part, part.symlink_metadata()?.uid())?;
        }
        Ok(())
    }

    fn allows(&self, path: &Path, user: u32) -> Result<(), Skipped> {
        match self.owners.has(user) {
            true => Ok(()),
            false => Err(Skipped::Foreign(path.to_owned(), user)),
        }
    }
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    // A component of the path may be a file.
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn is_file(about: &fs::Metadata) -> Result<(), Skipped> {
    match about.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(Skipped::NoFile("a directory")),
        _ => Err(Skipped::NoFile("a pipe, socket or device")),
    }
}

//! What effects change: a file outside of the store.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use legwork::core::EffectKey;

/// A line of it: the key of a call, and what it did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Effect {
    pub(crate) key: String,
    pub(crate) what: String,
}

/// The file, open to append.
///
/// It is written by `writev` with `O_DSYNC`, since the calls of the store are those that fail.
#[derive(Debug)]
pub(crate) struct World {
    path: PathBuf,
    file: File,
}

impl World {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let synced = rustix::fs::OFlags::DSYNC.bits().cast_signed();
        let file = OpenOptions::new().append(true).create(true).custom_flags(synced).open(path)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// An effect happens, durably.
    pub(crate) fn happens(&self, key: &EffectKey, what: &str) {
        let line = format!("{key}\t{what}\n");
        let written = (&self.file).write_vectored(&[IoSlice::new(line.as_bytes())]).unwrap();
        assert_eq!(written, line.len());
    }

    /// What the call of a key did, if it did it.
    pub(crate) fn done(&self, key: &str) -> Option<String> {
        let effects = read(&self.path);
        effects.into_iter().find(|effect| effect.key == key).map(|effect| effect.what)
    }
}

/// All effects, in the order that they happened.
pub(crate) fn read(path: &Path) -> Vec<Effect> {
    // The first attempt may be a call that fails on purpose.
    let text = std::fs::read_to_string(path).or_else(|_| std::fs::read_to_string(path));
    let effect = |line: &str| {
        let (key, what) = line.split_once('\t').unwrap();
        Effect { key: key.to_owned(), what: what.to_owned() }
    };
    text.unwrap_or_default().lines().map(effect).collect()
}

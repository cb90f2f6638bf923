//! The effects of calls, each a line in a file that no store knows of.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use legwork_core::EffectKey;

/// An effect that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) tool: String,
    pub(super) key: EffectKey,
}

/// The file with the effects of all workers.
#[derive(Debug, Clone)]
pub(super) struct Ledger(PathBuf);

impl Ledger {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Adds an effect; it is durable when this returns.
    pub(super) fn add(&self, tool: &str, key: &EffectKey) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        // A single write, so that lines of several processes do not mix.
        file.write_all(format!("{tool} {key}\n").as_bytes()).unwrap();
        file.sync_data().unwrap();
    }

    /// All effects, in the order in which they happened.
    pub(super) fn all(&self) -> Vec<Effect> {
        let text = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.unwrap(),
        };
        let effect = |line: &str| {
            let (tool, key) = line.split_once(' ').unwrap();
            Effect { tool: tool.to_owned(), key: key.parse().unwrap() }
        };
        text.lines().map(effect).collect()
    }
}

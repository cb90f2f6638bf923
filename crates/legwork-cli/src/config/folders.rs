//! Folders whose projects are trusted, as git's `safe.directory` names them.

use std::path::{Path, PathBuf};

use super::locate::expanded;

/// Folders whose projects are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Folders {
    /// This one.
    One(PathBuf),
    /// All below this one.
    Below(PathBuf),
    All,
}

impl Folders {
    /// Reads `PATH`, `PATH/*` or `*`; what is relative is so to a folder.
    ///
    /// # Errors
    /// In words, when it is none of them.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::All);
        }
        let below = text.strip_suffix("/*");
        let path = below.map(|path| if path.is_empty() { "/" } else { path }).unwrap_or(text);
        if path.contains('*') {
            return Err("only * alone, or /* at the end, stands for folders".to_owned());
        }
        let path = expanded(path, folder)?;
        let path = path.canonicalize().unwrap_or(path);
        Ok(if below.is_some() { Self::Below(path) } else { Self::One(path) })
    }

    /// Whether a folder, whose path has no links in it, is one of them.
    pub(crate) fn has(&self, folder: &Path) -> bool {
        match self {
            Self::One(path) => folder == path,
            Self::Below(path) => folder.starts_with(path) && folder != path,
            Self::All => true,
        }
    }

    /// How it is written.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::One(path) => path.display().to_string(),
            Self::Below(path) => path.join("*").display().to_string(),
            Self::All => "*".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;

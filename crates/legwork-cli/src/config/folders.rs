//! Folders whose projects are trusted, in the notation of git's `safe.directory`.

use std::path::{Path, PathBuf};

use super::locate::expanded;

/// Folders whose projects are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Folders {
    /// One folder.
    One(PathBuf),
    /// All folders below one.
    Below(PathBuf),
    All,
}

impl Folders {
    /// Parses `PATH`, `PATH/*` or `*`; a relative path is relative to `folder`.
    ///
    /// # Errors
    /// A message, when it is none of these.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::All);
        }
        let below = text.strip_suffix("/*");
        let path = below.map(|path| if path.is_empty() { "/" } else { path }).unwrap_or(text);
        if path.contains('*') {
            return Err("* is allowed alone, or as /* at the end".to_owned());
        }
        let path = expanded(path, folder)?;
        let path = path.canonicalize().unwrap_or(path);
        Ok(if below.is_some() { Self::Below(path) } else { Self::One(path) })
    }

    /// Whether it covers a folder, whose path has no links in it.
    pub(crate) fn has(&self, folder: &Path) -> bool {
        match self {
            Self::One(path) => folder == path,
            Self::Below(path) => folder.starts_with(path) && folder != path,
            Self::All => true,
        }
    }

    /// Its notation.
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

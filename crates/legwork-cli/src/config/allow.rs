//! A path beside the working directory that the agent may use.

use std::fmt;
use std::path::{Path, PathBuf};

use legwork::tools::workspace::Access;

use super::locate::expanded;

/// A path beside the working directory that the agent may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowPath {
    /// Absolute; whether anything is there is not checked.
    pub(crate) path: PathBuf,
    pub(crate) access: Access,
}

impl AllowPath {
    /// Reads `PATH` or `PATH:ro`; what is relative is so to a folder.
    ///
    /// # Errors
    /// In words, when it is no path.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let (path, access) = match text.strip_suffix(":ro") {
            Some(path) => (path, Access::ReadOnly),
            None => (text, Access::ReadWrite),
        };
        let path = expanded(path, folder)?;
        Ok(Self { path: std::path::absolute(&path).unwrap_or(path), access })
    }

    /// Whether it may be written to.
    pub(crate) fn is_written(&self) -> bool {
        self.access == Access::ReadWrite
    }
}

impl fmt::Display for AllowPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)?;
        match self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => f.write_str(":ro"),
        }
    }
}

#[cfg(test)]
mod tests;

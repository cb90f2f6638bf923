//! Where the files are: the user's, and that of a project.

use std::path::{Path, PathBuf};

use crate::display::text::visible;
use crate::settings::variable;

/// The name of both files.
pub(crate) const NAME: &str = "legwork.toml";

/// The user's file: its path, and who named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UserFile {
    /// It is where it always is, if there is one.
    Usual(PathBuf),
    /// Somebody named it, so it has to be there.
    Named(PathBuf),
}

impl UserFile {
    /// The file that a flag names, else the environment, else the usual one; none where
    /// there is no home.
    pub(crate) fn find(flag: Option<&Path>) -> Option<Self> {
        let named = flag.map(Path::to_owned);
        let named = named.or_else(|| std::env::var_os("LEGWORK_CONFIG").map(PathBuf::from));
        match named.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) => Some(Self::Named(std::path::absolute(&path).unwrap_or(path))),
            None => usual().map(Self::Usual),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Usual(path) | Self::Named(path) => path,
        }
    }
}

fn usual() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| home().map(|home| home.join(".config")));
    config.map(|config| config.join("legwork").join(NAME))
}

/// The user's home.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// A path as people read it: in one line, the home as `~`.
pub(crate) fn shown(path: &Path) -> String {
    let short = home().and_then(|home| Some(Path::new("~").join(path.strip_prefix(home).ok()?)));
    let text = short.as_deref().unwrap_or(path).to_string_lossy();
    visible(&text.replace('\r', "\u{fffd}")).replace('\n', "\\n").replace('\t', "\\t")
}

/// A path of a file or flag: `~` is the home, and what is relative is so to a folder.
pub(crate) fn expanded(text: &str, folder: &Path) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("the path is empty".to_owned());
    }
    if text.contains('\0') {
        return Err("the path has a NUL character in it".to_owned());
    }
    let Some(rest) = text.strip_prefix('~') else { return Ok(folder.join(text)) };
    let Some(rest) = rest.strip_prefix('/').or(rest.is_empty().then_some("")) else {
        return Err("only ~ and ~/... are known, not the homes of others".to_owned());
    };
    let home = home().ok_or_else(|| "~ is not known: HOME is not set".to_owned())?;
    Ok(if rest.is_empty() { home } else { home.join(rest) })
}

#[cfg(test)]
mod tests;

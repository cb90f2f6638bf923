//! Where the files of a project's context are looked for.

use std::path::PathBuf;

use crate::settings::variable;

/// The name of the files.
pub(crate) const NAME: &str = "AGENTS.md";

/// Where the user keeps files of their own for this command.
pub(crate) fn home() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    Some(config.or_else(home)?.join("legwork"))
}

//! Where files may be put back, which the journal does not decide (S13.9).

use std::path::{Component, Path, PathBuf};

use crate::workspace::{Error, Workspace};

/// Why a path outside of the workspace is not put back.
pub(super) const OUTSIDE: &str = "it lies outside of the workspace";
const GITS: &str = "files in .git are not put back";

/// Refuses a path outside of a workspace, and what no file tool may write: secrets, and what
/// repositories are made of.
///
/// # Errors
/// Why it is not put back.
pub(super) fn check(workspace: &Workspace, path: &Path) -> Result<(), String> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
    let real = real(path).filter(|_| path.is_absolute() && path.components().all(plain));
    let Some(real) = real else { return Err(OUTSIDE.to_owned()) };
    if is_gits(path) {
        return Err(GITS.to_owned());
    }
    workspace.check_write(&real).map_err(|error| match error {
        Error::Outside { .. } => OUTSIDE.to_owned(),
        _ if is_gits(&real) => GITS.to_owned(),
        error => error.to_string(),
    })
}

fn is_gits(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// The path with the links in its parent resolved; parts that do not exist stay as they are.
fn real(path: &Path) -> Option<PathBuf> {
    let (above, name) = (path.parent()?, path.file_name()?);
    match above.canonicalize() {
        Ok(above) => Some(above.join(name)),
        Err(_) => Some(real(above)?.join(name)),
    }
}

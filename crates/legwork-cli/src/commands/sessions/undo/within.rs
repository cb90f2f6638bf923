//! Where files may be put back, which the journal does not decide (S13.9).

use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// The directories that the user named, or the current one.
pub(super) struct Within(Vec<PathBuf>);

impl Within {
    /// # Errors
    /// When one does not exist.
    pub(super) fn of(dir: Option<&Path>, more: &[PathBuf]) -> Result<Self, Error> {
        let dir = dir.unwrap_or(Path::new("."));
        let all = std::iter::once(dir).chain(more.iter().map(PathBuf::as_path));
        let whole = |path: &Path| {
            path.canonicalize().map_err(|source| {
                let message = format!("{} cannot be entered: {source}", path.display());
                Error::usage(message, "name a directory with --dir, and others with --allow-path")
            })
        };
        all.map(whole).collect::<Result<_, _>>().map(Self)
    }

    /// Refuses a path outside of them, or in `.git`.
    ///
    /// # Errors
    /// Why it is not put back.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
        let real = real(path).filter(|_| path.is_absolute() && path.components().all(plain));
        let inside = |path: &Path| self.0.iter().any(|dir| path != dir && path.starts_with(dir));
        match real.filter(|real| inside(real)) {
            None => Err("it lies elsewhere: change to its directory, or name that with --dir or \
                 --allow-path"
                .to_owned()),
            Some(real) if is_gits(&real) || is_gits(path) => {
                Err("files in .git are not put back".to_owned())
            }
            Some(_) => Ok(()),
        }
    }
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

//! Where files may be put back: a journal does not say where to write (S13.9).

use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// The directories that the person named, or the current one.
pub(super) struct Within(Vec<PathBuf>);

impl Within {
    /// # Errors
    /// When one is not there.
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

    /// Refuses a path that lies in none of them, or that is Git's own.
    ///
    /// # Errors
    /// Why it is not put back.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
        let real = real(path).filter(|_| path.is_absolute() && path.components().all(plain));
        let inside = |path: &Path| self.0.iter().any(|dir| path != dir && path.starts_with(dir));
        match real.filter(|real| inside(real)) {
            None => Err("it lies elsewhere: go there, or name the directory with --dir, or with \
                 --allow-path"
                .to_owned()),
            Some(real) if is_gits(&real) || is_gits(path) => {
                Err("what lies in .git is git's own".to_owned())
            }
            Some(_) => Ok(()),
        }
    }
}

fn is_gits(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// The path with the links on the way resolved, itself not; what is not there yet as it is
/// named.
fn real(path: &Path) -> Option<PathBuf> {
    let (above, name) = (path.parent()?, path.file_name()?);
    match above.canonicalize() {
        Ok(above) => Some(above.join(name)),
        Err(_) => Some(real(above)?.join(name)),
    }
}

//! Where files may be put back, which the journal does not decide (S13.9).

use std::path::{Component, Path, PathBuf};

use legwork::tools::Workspace;
use legwork::tools::secret::Secrets;
use legwork::tools::workspace::{self, Access};

use crate::error::Error;

/// The directories that the user named, or the current one, without what is secret in them.
pub(super) struct Within(Workspace);

impl Within {
    /// # Errors
    /// When one does not exist.
    pub(super) fn of(
        dir: Option<&Path>,
        more: &[PathBuf],
        secrets: &Secrets,
    ) -> Result<Self, Error> {
        let open = |opened: Result<Workspace, workspace::Error>| {
            opened.map_err(|error| {
                let hint = "name a directory with --dir, and others with --allow-path";
                Error::usage(error.to_string(), hint)
            })
        };
        let dir = open(Workspace::open(dir.unwrap_or(Path::new("."))))?;
        let wider = |workspace: Workspace, path| open(workspace.allow(path, Access::ReadWrite));
        let all = more.iter().try_fold(dir, wider)?;
        open(all.keep_out(secrets)).map(Self)
    }

    /// Refuses a path outside of them, and what no file tool may write: secrets, and what
    /// repositories are made of.
    ///
    /// # Errors
    /// Why it is not put back.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        const ELSEWHERE: &str = "it lies elsewhere: change to its directory, or name that with \
                                 --dir or --allow-path";
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
        let real = real(path).filter(|_| path.is_absolute() && path.components().all(plain));
        let Some(real) = real else { return Err(ELSEWHERE.to_owned()) };
        if is_gits(path) {
            return Err("files in .git are not put back".to_owned());
        }
        self.0.check_write(&real).map_err(|error| match error {
            workspace::Error::Outside { .. } => ELSEWHERE.to_owned(),
            _ if is_gits(&real) => "files in .git are not put back".to_owned(),
            error => error.to_string(),
        })
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

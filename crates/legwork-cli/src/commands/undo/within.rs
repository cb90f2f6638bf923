//! Where files may be put back, which the journal does not decide (S13.9).

use std::path::{Path, PathBuf};

use legwork::tools::Workspace;
use legwork::tools::secret::Secrets;
use legwork::tools::workspace::{self, Access};

use crate::error::Error;

/// The directories that the user named, or the current one, without what is secret in them.
///
/// # Errors
/// When one does not exist.
pub(super) fn opened(
    dir: Option<&Path>,
    more: &[PathBuf],
    secrets: &Secrets,
) -> Result<Workspace, Error> {
    let open = |opened: Result<Workspace, workspace::Error>| {
        opened.map_err(|error| {
            let hint = "name a directory with --dir, and others with --allow-path";
            Error::usage(error.to_string(), hint)
        })
    };
    let dir = open(Workspace::open(dir.unwrap_or(Path::new("."))))?;
    let wider = |workspace: Workspace, path| open(workspace.allow(path, Access::ReadWrite));
    let all = more.iter().try_fold(dir, wider)?;
    open(all.keep_out(secrets))
}

//! Where agents and skills are looked for.

use std::path::{Path, PathBuf};

use legwork::definition::{Location, Problem};

use crate::context;
use crate::trust::{Kind, Trust};

/// The places for one kind of file, in rising priority: the user's own files win over those
/// of a project.
pub(super) fn places(kind: Kind, trust: &Trust, problems: &mut Vec<Problem>) -> Vec<Location> {
    let folder = if kind == Kind::Agent { "agents" } else { "skills" };
    let user = context::home().map(|home| Location::user(home.join(folder)));
    project(kind, trust, problems).into_iter().chain(user).collect()
}

/// The place of a project, unless it is a link.
pub(super) fn project(kind: Kind, trust: &Trust, problems: &mut Vec<Problem>) -> Option<Location> {
    trust.place(kind).filter(|place| {
        let Some(link) = link(&place.path) else { return true };
        let mend = "make it a folder: a project may link to files of others";
        problems.push(Problem::new("it is a link, so it is not looked into", mend).in_file(&link));
        false
    })
}

/// The folder, or the one that it is in, if it is a link.
fn link(folder: &Path) -> Option<PathBuf> {
    let is = |path: &&Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    [folder.parent()?, folder].iter().find(|path| is(path)).map(|path| path.to_path_buf())
}

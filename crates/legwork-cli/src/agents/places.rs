//! Where agents and skills are looked for.

use std::path::{Path, PathBuf};

use legwork::definition::{Place, Problem};

use crate::config::locate::of_project;
use crate::context;

/// The folder of a project that holds what is for this command.
const PROJECT: &str = ".legwork";

/// The places for one kind of file, a later one before an earlier one.
pub(super) fn places(kind: &str, dir: &Path, problems: &mut Vec<Problem>) -> Vec<Place> {
    let user = context::home().map(|home| Place::user(home.join(kind)));
    let project = project(dir).map(|folder| folder.join(kind)).filter(|folder| {
        let Some(link) = link(folder) else { return true };
        let mend = "make it a folder: a project may link to files of others";
        problems.push(Problem::new("it is a link, so it is not looked into", mend).in_file(&link));
        false
    });
    user.into_iter().chain(project.map(Place::project)).collect()
}

/// The nearest `.legwork` from a directory up to the root of its repository.
fn project(dir: &Path) -> Option<PathBuf> {
    let folders = of_project(dir).into_iter();
    let mut folders = folders.filter_map(|file| Some(file.parent()?.join(PROJECT)));
    folders.find(|folder| folder.symlink_metadata().is_ok())
}

/// The folder, or the one that it is in, if it is a link.
fn link(folder: &Path) -> Option<PathBuf> {
    let is = |path: &&Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    [folder.parent()?, folder].iter().find(|path| is(path)).map(|path| path.to_path_buf())
}

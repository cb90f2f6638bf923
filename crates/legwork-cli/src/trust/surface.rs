//! The files of a project that need trust: those that instruct an agent or this command.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use legwork::definition::Format;

use super::file::{self, Bounds, Content, Skipped};
use super::owner::Owners;
use super::project::Project;
use crate::config::locate::NAME as SETTINGS;
use crate::context::NAME as INSTRUCTIONS;

/// The folder of a project with files for this command.
pub(crate) const FOLDER: &str = ".legwork";
/// The most entries of a folder, and of a skill, that are read.
const MOST: usize = 1_000;
/// The most folders that are walked through.
const MOST_FOLDERS: usize = 20_000;
/// How deep the files of a skill may be nested.
const DEEPEST: usize = 16;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// `AGENTS.md`.
    Instructions,
    /// `legwork.toml`.
    Settings,
    Agent,
    /// A file of a skill.
    Skill,
    /// A command of a chat.
    Command,
}

/// A file that needs trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    /// Its path, which may be a link.
    pub(crate) path: PathBuf,
    /// The path that is used or left out as a whole: a skill's folder, else the file.
    pub(crate) unit: PathBuf,
    pub(crate) content: Result<Option<Content>, Skipped>,
}

/// The files of some kinds that a project has, the nearest first.
pub(super) fn pieces(project: &Project, owners: &Owners, kinds: &[Kind]) -> Vec<Piece> {
    let bounds = Bounds { root: &project.root, owners };
    let mut pieces = Vec::new();
    for kind in kinds {
        for (path, unit) in paths(*kind, &project.folders) {
            let content = file::read(&path, Some(bounds));
            pieces.push(Piece { kind: *kind, path, unit, content });
        }
    }
    pieces
}

/// The existing paths of a kind, each with its unit.
fn paths(kind: Kind, folders: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let named = |name: &str| {
        let paths = folders.iter().map(|folder| folder.join(name)).filter(|path| is_there(path));
        paths.map(|path| (path.clone(), path)).collect::<Vec<_>>()
    };
    match kind {
        Kind::Instructions => named(INSTRUCTIONS),
        Kind::Settings => named(SETTINGS).into_iter().take(1).collect(),
        Kind::Agent => agents(folders),
        Kind::Command => commands(folders),
        Kind::Skill => skills(folders),
    }
}

/// The files of all kinds in one folder.
pub(super) fn of_folder(folder: &Path) -> Vec<PathBuf> {
    let folders = [folder.to_owned()];
    let paths = super::ALL.into_iter().flat_map(|kind| paths(kind, &folders));
    paths.map(|(path, _)| path).collect()
}

/// Whether a file of some kind is one of a folder.
pub(super) fn is_of(path: &Path, folder: &Path) -> bool {
    path.parent() == Some(folder) || path.starts_with(folder.join(FOLDER))
}

/// The folders below a folder, and itself, that have files of some kind; the search is bounded.
pub(super) fn within(top: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting, mut seen) = (Vec::new(), VecDeque::from([top.to_owned()]), 0);
    // Other file systems are skipped: they may be slow or endless.
    let device = |path: &Path| path.symlink_metadata().map(|found| found.dev()).ok();
    let here = device(top);
    while let Some(folder) = waiting.pop_front() {
        seen += 1;
        if seen > MOST_FOLDERS || found.len() > MOST {
            break;
        }
        if [INSTRUCTIONS, SETTINGS, FOLDER].iter().any(|name| is_there(&folder.join(name))) {
            found.push(folder.clone());
        }
        let below = fs::read_dir(&folder).into_iter().flatten().flatten();
        let below = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let below = below.map(|entry| entry.path()).filter(|path| !path.ends_with(".git"));
        waiting.extend(below.filter(|path| device(path) == here));
    }
    found
}

pub(crate) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The nearest `.legwork`.
pub(crate) fn folder(folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(FOLDER)).find(|path| is_there(path))
}

fn agents(folders: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let Some(folder) = folder(folders).filter(|folder| is_folder(folder)) else {
        return Vec::new();
    };
    let folder = folder.join("agents");
    let files = if is_folder(&folder) { entries(&folder) } else { Vec::new() };
    let files = files.into_iter().filter(|path| !is_hidden(path) && Format::of(path).is_some());
    files.map(|path| (path.clone(), path)).collect()
}

fn commands(folders: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let Some(folder) = folder(folders).filter(|folder| is_folder(folder)) else {
        return Vec::new();
    };
    let folder = folder.join("commands");
    let files = if is_folder(&folder) { entries(&folder) } else { Vec::new() };
    let is_command = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let files = files.into_iter().filter(|path| !is_hidden(path) && is_command(path));
    files.map(|path| (path.clone(), path)).collect()
}

fn skills(folders: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let Some(folder) = folder(folders).filter(|folder| is_folder(folder)) else {
        return Vec::new();
    };
    let folder = folder.join("skills");
    let units = if is_folder(&folder) { entries(&folder) } else { Vec::new() };
    let units = units.into_iter().filter(|path| !is_hidden(path) && is_folder(path));
    let mut files = Vec::new();
    for unit in units {
        let mut of_unit = Vec::new();
        below(&unit, DEEPEST, &mut of_unit);
        files.extend(of_unit.into_iter().map(|path| (path, unit.clone())));
    }
    files
}

/// All entries below a folder that are not folders. Where there are too many, or they are
/// nested too deeply, the folder itself is listed: it is not a file, so the skill is left out.
fn below(folder: &Path, deeper: usize, files: &mut Vec<PathBuf>) {
    if deeper == 0 || files.len() > MOST {
        return files.push(folder.to_owned());
    }
    for path in entries(folder) {
        match is_folder(&path) {
            true => below(&path, deeper - 1, files),
            false => files.push(path),
        }
    }
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = listed.map(|entry| entry.path()).collect();
    paths.sort();
    paths.truncate(MOST + 1);
    paths
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

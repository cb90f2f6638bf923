//! Putting back what commands changed.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode, OFlags, Uid, fchmod, fchown, mkdirat, openat, renameat, symlinkat};
use rustix::io::Errno;

use super::compare::{self, Change, Way};
use super::entry::{Entry, Kind};
use super::folder::{Folder, is_absent};
use super::remove::remove;
use super::snapshot::Root;
use super::todo::Todo;
use crate::workspace::line;

/// How often new names are removed from a folder, some thousands at a time.
const ROUNDS_MAX: usize = 1_000;

/// What was done about a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be put back; as a sentence.
    Failed(String),
    /// It was put back, or there is nothing to put back; as a sentence.
    Done(String),
}

/// Puts back what changed in the repositories of a directory.
pub(super) fn put_back(root: &Folder, before: &Root) -> Vec<Outcome> {
    let mut outcomes = places(root, before);
    for path in &before.listed {
        outcomes.extend(take_out(root, before, path));
    }
    for (git, todo) in &before.todos {
        outcomes.extend(rebase(root, before, git, todo));
    }
    outcomes
}

/// Puts back each place that was known.
fn places(root: &Folder, before: &Root) -> Vec<Outcome> {
    let (mut outcomes, mut hidden) = (Vec::new(), BTreeSet::new());
    let mut gone: Option<PathBuf> = None;
    let mut way = Way::new(root);
    for (path, entry) in &before.entries {
        if gone.as_ref().is_some_and(|gone| path.starts_with(gone)) {
            continue;
        }
        let change = match compare::place(&mut way, path, entry.as_ref()) {
            Ok(None) => continue,
            Ok(Some(change)) => change,
            Err(compare::Hidden { path, errno }) => {
                let above = path.parent().map(Path::to_owned).unwrap_or_default();
                if hidden.insert(above.clone()) {
                    let shown = line(&before.path.join(above));
                    outcomes.push(Outcome::Failed(format!(
                        "{shown} cannot be looked at ({errno}): look at hooks and configuration \
                         there before you use Git"
                    )));
                }
                continue;
            }
        };
        let shown = line(&before.path.join(path));
        outcomes.push(match restore_place(&mut way, &change) {
            Ok(Done::PutBack) => Outcome::Done(format!(
                "a command changed {shown}, which makes Git run programs: it was put back"
            )),
            Ok(Done::Gone(repository)) => {
                let shown = line(&before.path.join(repository));
                gone = Some(repository.to_owned());
                Outcome::Done(format!(
                    "a command moved or removed the repository {shown}: it is not put back"
                ))
            }
            Err(error) => Outcome::Failed(format!(
                "a command changed {shown}, which makes Git run programs, and it cannot be put \
                 back ({error}): look at it before you use Git there"
            )),
        });
    }
    outcomes
}

/// Removes what is new in a folder of hooks.
fn take_out(root: &Folder, before: &Root, path: &Path) -> Option<Outcome> {
    let shown = line(&before.path.join(path));
    let failed = |error: io::Error| {
        Some(Outcome::Failed(format!(
            "a command put files into {shown}, from which Git runs programs, and they cannot be \
             removed ({error}): look at it before you use Git there"
        )))
    };
    let mut count = 0_usize;
    for round in 0_usize.. {
        let Some(news) = compare::news(root, before, path) else { break };
        if round >= ROUNDS_MAX {
            return failed(io::Error::other("a command adds more all the time"));
        }
        for name in &news.names {
            if let Err(error) = remove(&news.folder, name) {
                return failed(error);
            }
        }
        count = count.saturating_add(news.names.len());
    }
    (count > 0).then(|| {
        let files = if count == 1 { "a file" } else { &format!("{count} files") };
        Outcome::Done(format!(
            "a command put {files} into {shown}, from which Git runs programs: removed"
        ))
    })
}

/// Takes out of a stopped rebase what it would run more than before.
fn rebase(root: &Folder, before: &Root, git: &Path, todo: &Todo) -> Option<Outcome> {
    let folder = root.below(git).ok()?;
    if !Todo::now(&folder).runs_more_than(todo) {
        return None;
    }
    let shown = line(&before.path.join(git));
    let what = format!(
        "a command put commands into what the stopped rebase or cherry-pick of {shown} is to do next"
    );
    Some(match todo.keep_in(&folder) {
        Ok(()) => {
            Outcome::Done(format!("{what}, which would run with your rights: they were taken out"))
        }
        Err(error) => Outcome::Failed(format!(
            "{what}, and they cannot be taken out ({error}): look at it before it goes on"
        )),
    })
}

enum Done<'s> {
    PutBack,
    /// What it lay in is not there any more, and so Git does not find it either.
    Gone(&'s Path),
}

fn restore_place<'b>(way: &mut Way<'_>, change: &Change<'b>) -> io::Result<Done<'b>> {
    let is_git = change.path.file_name() == Some(OsStr::new(".git"));
    if is_git && change.before.is_some_and(|before| before.kind == Kind::Directory) {
        // Its objects are not kept. What took its name is no repository that the person made.
        if let (Some(_), Ok(above)) = (&change.now, way.to(change.path)) {
            remove(above, OsStr::new(".git"))?;
        }
        return Ok(Done::Gone(change.path));
    }
    let folder = match way.to(change.path) {
        Ok(folder) => folder,
        Err(errno) if is_absent(errno) => return Ok(Done::Gone(above(change.path))),
        Err(errno) => return Err(errno.into()),
    };
    let name = change.path.file_name().unwrap_or_default();
    match change.before {
        None if is_git => return Err(io::Error::other("it is a repository")),
        None => remove(folder, name)?,
        Some(before) => restore(folder, name, before, change.now.as_ref())?,
    }
    Ok(Done::PutBack)
}

fn above(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn restore(folder: &Folder, name: &OsStr, before: &Entry, now: Option<&Entry>) -> io::Result<()> {
    let is_directory = now.is_some_and(|now| now.kind == Kind::Directory);
    match &before.kind {
        Kind::Directory => {
            if now.is_some() && !is_directory {
                remove(folder, name)?;
            }
            match mkdirat(folder.handle(), name, Mode::from_raw_mode(before.mode())) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        }
        Kind::File(Some(content)) => {
            if is_directory {
                remove(folder, name)?;
            }
            write(folder, name, before, content.bytes())
        }
        Kind::Link(target) => {
            remove(folder, name)?;
            Ok(symlinkat(target.path(), folder.handle(), name)?)
        }
        Kind::File(None) => Err(io::Error::other("it is too large to be kept")),
        Kind::Other => Err(io::Error::other("it was not a regular file")),
    }
}

/// Writes a file as a whole, and replaces what has its name.
pub(super) fn write(
    folder: &Folder,
    name: &OsStr,
    before: &Entry,
    content: &[u8],
) -> io::Result<()> {
    let mut draft = OsString::from(".legwork-");
    draft.push(name);
    draft.push(".tmp");
    remove(folder, &draft)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder.handle(), &draft, flags, Mode::from_raw_mode(0o600))?;
    if rustix::process::geteuid().is_root() {
        let (user, group) = (before.stat.user, before.stat.group);
        fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
    }
    fchmod(&file, Mode::from_raw_mode(before.mode()))?;
    let mut file = File::from(file);
    file.write_all(content)?;
    file.sync_all()?;
    Ok(renameat(folder.handle(), &draft, folder.handle(), name)?)
}

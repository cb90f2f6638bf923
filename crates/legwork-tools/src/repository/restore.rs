//! Putting back what commands changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, Stat, mkdirat, symlinkat};
use rustix::io::Errno;

use super::aside::{Aside, Folders};
use super::compare::{self, Change, OpenFolders};
use super::draft::Draft;
use super::entry::{Entry, Kind};
use super::folder::{Folder, is_absent};
use super::snapshot::Root;
use super::todo::{REBASE, Todo};
use crate::workspace::line;

/// How often something is put back, where something new appears each time.
const TRIES: u32 = 20;

/// What was done about a change, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be put back, at this path below the directory.
    Failed(PathBuf, String),
    /// What is not there any more, at this path, is not put back.
    Gone(PathBuf, String),
    /// It was put back.
    Done(String),
}

/// Puts back what changed in the repositories of a directory.
pub(super) fn put_back(root: &Folder, before: &Root, aside: &mut Folders) -> Vec<Outcome> {
    let mut aside = Aside::new(root, before, aside);
    let mut outcomes = places(root, before, Path::new(""), &mut aside);
    for path in &before.listed {
        outcomes.extend(take_out(root, (before, path), &mut aside));
    }
    for (git, todo) in &before.todos {
        outcomes.extend(rebase(root, (before, git), todo, &mut aside));
    }
    outcomes
}

/// Puts back each place that was known, at a path or below it.
fn places(root: &Folder, before: &Root, top: &Path, aside: &mut Aside<'_>) -> Vec<Outcome> {
    let (mut outcomes, mut hidden) = (Vec::new(), BTreeSet::new());
    let mut gone: Option<&Path> = None;
    let mut way = OpenFolders::new(root);
    let known = before.entries.range(top.to_owned()..);
    for (path, entry) in known.take_while(|(path, _)| path.starts_with(top)) {
        if gone.is_some_and(|gone| path.starts_with(gone)) {
            continue;
        }
        let shown = line(&before.path.join(path));
        outcomes.push(match put_back_place(&mut way, path, entry.as_ref(), aside) {
            Ok(Done::Same) => continue,
            Ok(Done::PutBack(aside)) => Outcome::Done(format!(
                "a command changed {shown}, which makes Git run programs: it was put back{}",
                moved_to(aside.as_deref())
            )),
            Ok(Done::Gone(repository, aside)) => {
                let shown = line(&before.path.join(repository));
                gone = Some(repository);
                let text = format!(
                    "a command moved or removed the repository {shown}: it is not put back{}",
                    moved_to(aside.as_deref())
                );
                Outcome::Gone(repository.to_owned(), text)
            }
            Err(Error::Hidden(errno)) => {
                let above = parent(path).to_owned();
                if !hidden.insert(above.clone()) {
                    continue;
                }
                let shown = line(&before.path.join(&above));
                let text = format!(
                    "{shown} cannot be looked at ({errno}): look at hooks and configuration there \
                     before you use Git"
                );
                Outcome::Failed(above, text)
            }
            Err(error) => {
                let text = format!(
                    "a command changed {shown}, which makes Git run programs, and it cannot be \
                     put back ({error}): look at it before you use Git there"
                );
                Outcome::Failed(path.clone(), text)
            }
        });
    }
    outcomes
}

/// Why a place cannot be put back.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}")]
    Hidden(Errno),
    #[error("it is too large to be kept")]
    Large,
    #[error("it could not be read before")]
    Unread,
    #[error("it was not a regular file")]
    Other,
    #[error("something new appears there all the time")]
    Contended,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// What became of one place.
enum Done<'s> {
    Same,
    /// With the folder that what was there instead was moved to, if it was.
    PutBack(Option<PathBuf>),
    /// What it lay in is not there any more, and so Git does not find it either; with the
    /// folder that what took its place was moved to, if it was.
    Gone(&'s Path, Option<PathBuf>),
}

/// One attempt to put something back.
enum Attempt<'s> {
    /// It was put back, or something new has its name: to be looked at again.
    Made(Option<PathBuf>),
    Gone(&'s Path, Option<PathBuf>),
}

/// Puts one place back, and again if something else appears there meanwhile.
fn put_back_place<'b>(
    way: &mut OpenFolders<'_>,
    path: &'b Path,
    before: Option<&'b Entry>,
    aside: &mut Aside<'_>,
) -> Result<Done<'b>, Error> {
    give_back_rights(way, path, before);
    let (mut moved, mut is_made) = (None, false);
    for _ in 0..TRIES {
        let change = match compare::place(way, path, before) {
            Ok(None) if is_made => return Ok(Done::PutBack(moved)),
            Ok(None) => return Ok(Done::Same),
            Ok(Some(change)) => change,
            Err(errno) => return Err(Error::Hidden(errno)),
        };
        match restore_place(way, &change, aside)? {
            Attempt::Made(place) => (moved, is_made) = (place.or(moved), true),
            Attempt::Gone(path, place) => return Ok(Done::Gone(path, place)),
        }
    }
    Err(Error::Contended)
}

/// Gives a directory that its owner cannot use any more the rights that it had.
fn give_back_rights(way: &mut OpenFolders<'_>, path: &Path, before: Option<&Entry>) {
    let all = Mode::RWXU.bits();
    let had = before.filter(|before| before.kind == Kind::Directory && before.mode() & all == all);
    let (Some(before), Some(name), Ok(above)) = (had, path.file_name(), way.to(path)) else {
        return;
    };
    let is_locked = |stat: &Stat| {
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        is_directory && stat.st_mode & all != all
    };
    if above.look(name).is_ok_and(|stat| is_locked(&stat)) {
        // What cannot be looked at then is reported.
        let _ = above.set_mode(name, is_locked, before.mode());
    }
}

/// What a note says of what was set aside.
fn moved_to(aside: Option<&Path>) -> String {
    aside.map_or_else(String::new, |aside| format!(", and what was there is in {}", line(aside)))
}

/// Takes out what is new in a folder of hooks.
fn take_out(root: &Folder, (before, path): (&Root, &Path), aside: &mut Aside<'_>) -> Vec<Outcome> {
    let shown = line(&before.path.join(path));
    let what = |files: &str| format!("a command put {files} into {shown}, which Git may run");
    let failed = |error: &dyn Display| {
        let what = what("files");
        let text = format!(
            "{what}, and they cannot be taken out ({error}): look at it before you use Git there"
        );
        vec![Outcome::Failed(path.to_owned(), text)]
    };
    let (mut count, mut place) = (0_usize, None::<PathBuf>);
    for _ in 0..TRIES {
        let found = match compare::new_names(root, before, path) {
            Ok(Some(found)) => found,
            Ok(None) => {
                let Some(place) = &place else { return Vec::new() };
                let files = if count == 1 { "a file" } else { &format!("{count} files") };
                let text = format!("{}: moved to {}", what(files), line(place));
                return vec![Outcome::Done(text)];
            }
            Err(errno) => return failed(&errno),
        };
        if found.is_flood {
            return flood(root, (before, path), aside).unwrap_or_else(|error| failed(&error));
        }
        for name in &found.names {
            match aside.take(&found.folder, &path.join(name)) {
                Ok(Some(moved)) => {
                    count = count.saturating_add(1);
                    place = Some(moved);
                }
                // The command took it away again.
                Ok(None) => {}
                Err(error) => return failed(&error),
            }
        }
    }
    failed(&"a command adds more all the time")
}

/// Moves a folder away in which there are very many new files, and makes it anew.
fn flood(
    root: &Folder,
    (before, path): (&Root, &Path),
    aside: &mut Aside<'_>,
) -> Result<Vec<Outcome>, io::Error> {
    let moved = aside.take(&root.below(parent(path))?, path)?;
    let shown = line(&before.path.join(path));
    let place = moved.as_deref().map_or_else(String::new, line);
    let text = format!(
        "a command put very many files into {shown}, which Git may run: it was moved to {place} \
         as a whole, and made anew"
    );
    let again = places(root, before, path, aside);
    let failures = again.into_iter().filter(|outcome| matches!(outcome, Outcome::Failed(..)));
    Ok([Outcome::Done(text)].into_iter().chain(failures).collect())
}

/// Takes out of a stopped rebase what it would run more than before.
fn rebase(
    root: &Folder,
    (before, git): (&Root, &Path),
    todo: &Todo,
    aside: &mut Aside<'_>,
) -> Option<Outcome> {
    let folder = root.below(git).ok()?;
    let shown = line(&before.path.join(git));
    let now = Todo::now(&folder);
    if now.is_unknown() {
        let text = format!(
            "what a stopped rebase or cherry-pick of {shown} is to do next cannot be looked at: \
             look at it before it goes on"
        );
        return Some(Outcome::Failed(git.join(REBASE), text));
    }
    if !now.runs_more_than(todo) {
        return None;
    }
    let what = format!(
        "a command put commands into what the stopped rebase or cherry-pick of {shown} is to do next"
    );
    Some(match todo.keep_in(&folder, git, aside) {
        Ok(place) => Outcome::Done(format!(
            "{what}, which would run with your rights: they were taken out{}",
            moved_to(place.as_deref())
        )),
        Err(error) => Outcome::Failed(
            git.join(REBASE),
            format!("{what}, and they cannot be taken out ({error}): look at it before it goes on"),
        ),
    })
}

fn restore_place<'b>(
    way: &mut OpenFolders<'_>,
    change: &Change<'b>,
    aside: &mut Aside<'_>,
) -> Result<Attempt<'b>, Error> {
    let (path, name) = (change.path, change.path.file_name().unwrap_or_default());
    let is_git = name == ".git";
    if let Some(before) = change.before.filter(|before| is_git && before.kind == Kind::Directory) {
        // Its objects are not kept.
        let Some(_) = &change.now else { return Ok(Attempt::Gone(path, None)) };
        let Ok(above) = way.to(path) else { return Ok(Attempt::Gone(path, None)) };
        if aside.leads_to(above, path, before) {
            return Ok(Attempt::Gone(path, None));
        }
        // What took its name is not a repository that the person made.
        return Ok(Attempt::Gone(path, aside.take(above, path)?));
    }
    let folder = match way.to(path) {
        Ok(folder) => folder,
        Err(errno) if is_absent(errno) => return Ok(Attempt::Gone(parent(path), None)),
        Err(errno) => return Err(errno.into()),
    };
    if let (Some(before), Some(now)) = (change.before, &change.now)
        && before.holds_the_same(now)
    {
        folder.set_mode(name, |stat| now.stat.is_same(stat), before.mode())?;
        return Ok(Attempt::Made(None));
    }
    let Some(before) = change.before else {
        return Ok(Attempt::Made(aside.take(folder, path)?));
    };
    // Written before anything is moved away.
    let new = New::of(folder, before)?;
    let moved = aside.take(folder, path)?;
    match new.make(folder, name, before) {
        Ok(()) | Err(Errno::EXIST) => Ok(Attempt::Made(moved)),
        Err(errno) => Err(errno.into()),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// What is made where something was.
enum New<'b> {
    Directory,
    File(Draft),
    Link(&'b Path),
}

impl<'b> New<'b> {
    fn of(folder: &Folder, before: &'b Entry) -> Result<Self, Error> {
        match &before.kind {
            Kind::Directory => Ok(Self::Directory),
            Kind::File(content) => Ok(Self::File(Draft::write(folder, before, content.bytes())?)),
            Kind::Link(target) => Ok(Self::Link(target.path())),
            Kind::Large(_) => Err(Error::Large),
            Kind::Unread => Err(Error::Unread),
            Kind::Other => Err(Error::Other),
        }
    }

    /// Makes it.
    ///
    /// # Errors
    /// [`Errno::EXIST`] when something has the name.
    fn make(&self, folder: &Folder, name: &OsStr, before: &Entry) -> Result<(), Errno> {
        match self {
            Self::Directory => {
                folder.with_rights(|| mkdirat(folder.handle(), name, Mode::RWXU))?;
                let made = folder.enter(name)?;
                made.give_to(before.stat.user, before.stat.group)?;
                made.set_own_mode(before.mode())
            }
            Self::File(draft) => draft.publish(folder, name),
            Self::Link(target) => folder.with_rights(|| symlinkat(*target, folder.handle(), name)),
        }
    }
}

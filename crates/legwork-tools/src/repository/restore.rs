//! Putting back what commands changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode, OFlags, Uid, fchmod, fchown, mkdirat, openat, symlinkat};
use rustix::io::Errno;

use super::aside::{Aside, Folders};
use super::compare::{self, Change, Way};
use super::entry::{Entry, Kind};
use super::folder::{Folder, is_absent};
use super::snapshot::Root;
use super::todo::Todo;
use crate::workspace::line;

/// How many names of a draft are tried.
const DRAFTS_MAX: u32 = 1_000;
/// How often something is put back, where something new appears each time.
const TRIES: u32 = 20;

/// What was done about a change, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be put back, at this path below the directory.
    Failed(PathBuf, String),
    /// What is not there any more is not put back.
    Gone(String),
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
    let mut way = Way::new(root);
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
            Ok(Done::Gone(repository)) => {
                let shown = line(&before.path.join(repository));
                gone = Some(repository);
                Outcome::Gone(format!(
                    "a command moved or removed the repository {shown}: it is not put back"
                ))
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
    /// What it lay in is not there any more, and so Git does not find it either.
    Gone(&'s Path),
}

/// Puts one place back, and again if something else appears there meanwhile.
fn put_back_place<'b>(
    way: &mut Way<'_>,
    path: &'b Path,
    before: Option<&'b Entry>,
    aside: &mut Aside<'_>,
) -> Result<Done<'b>, Error> {
    let mut moved = None;
    for _ in 0..TRIES {
        let change = match compare::place(way, path, before) {
            Ok(None) if moved.is_none() => return Ok(Done::Same),
            Ok(None) => return Ok(Done::PutBack(moved)),
            Ok(Some(change)) => change,
            Err(errno) => return Err(Error::Hidden(errno)),
        };
        match restore_place(way, &change, aside) {
            Ok(Done::PutBack(aside)) => return Ok(Done::PutBack(aside.or(moved))),
            Err(Contended(aside)) => moved = aside.or(moved),
            Ok(done) => return Ok(done),
            Err(Failed(error)) => return Err(error),
        }
    }
    Err(Error::Contended)
}

/// Why a place is not put back yet.
enum NotYet {
    /// Something has its name again, after what had it was moved to a folder.
    Contended(Option<PathBuf>),
    Failed(Error),
}
use NotYet::{Contended, Failed};

impl From<Error> for NotYet {
    fn from(error: Error) -> Self {
        Failed(error)
    }
}

impl From<Errno> for NotYet {
    fn from(errno: Errno) -> Self {
        Failed(errno.into())
    }
}

impl From<io::Error> for NotYet {
    fn from(error: io::Error) -> Self {
        Failed(error.into())
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
        let news = match compare::news(root, before, path) {
            Ok(Some(news)) => news,
            Ok(None) => {
                let Some(place) = &place else { return Vec::new() };
                let files = if count == 1 { "a file" } else { &format!("{count} files") };
                let text = format!("{}: moved to {}", what(files), line(place));
                return vec![Outcome::Done(text)];
            }
            Err(errno) => return failed(&errno),
        };
        if news.is_flood {
            return flood(root, (before, path), aside).unwrap_or_else(|error| failed(&error));
        }
        for name in &news.names {
            match aside.take(&news.folder, &path.join(name)) {
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
        return Some(Outcome::Failed(git.to_owned(), text));
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
            git.to_owned(),
            format!("{what}, and they cannot be taken out ({error}): look at it before it goes on"),
        ),
    })
}

fn restore_place<'b>(
    way: &mut Way<'_>,
    change: &Change<'b>,
    aside: &mut Aside<'_>,
) -> Result<Done<'b>, NotYet> {
    let is_git = change.path.file_name() == Some(OsStr::new(".git"));
    if is_git && change.before.is_some_and(|before| before.kind == Kind::Directory) {
        // Its objects are not kept. What took its name is no repository that the person made.
        if let (Some(_), Ok(above)) = (&change.now, way.to(change.path)) {
            aside.take(above, change.path)?;
        }
        return Ok(Done::Gone(change.path));
    }
    let folder = match way.to(change.path) {
        Ok(folder) => folder,
        Err(errno) if is_absent(errno) => return Ok(Done::Gone(parent(change.path))),
        Err(errno) => return Err(errno.into()),
    };
    let name = change.path.file_name().unwrap_or_default();
    if let (Some(before), Some(now)) = (change.before, &change.now)
        && before.holds_the_same(now)
    {
        folder.set_mode(name, |stat| now.stat.is_same(stat), before.mode())?;
        return Ok(Done::PutBack(None));
    }
    match change.before.map(|before| &before.kind) {
        Some(Kind::Large(_)) => return Err(Error::Large.into()),
        Some(Kind::Unread) => return Err(Error::Unread.into()),
        _ => {}
    }
    let moved = aside.take(folder, change.path)?;
    let Some(before) = change.before else { return Ok(Done::PutBack(moved)) };
    match restore(folder, change.path, before, aside) {
        Ok(()) => Ok(Done::PutBack(moved)),
        Err(Error::Io(error)) if error.kind() == ErrorKind::AlreadyExists => Err(Contended(moved)),
        Err(error) => Err(Failed(error)),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Makes what was there, where nothing has the name.
fn restore(
    folder: &Folder,
    path: &Path,
    before: &Entry,
    aside: &mut Aside<'_>,
) -> Result<(), Error> {
    let (handle, name) = (folder.handle(), path.file_name().unwrap_or_default());
    match &before.kind {
        Kind::Directory => {
            let mode = Mode::from_raw_mode(before.mode());
            Ok(folder.with_rights(|| mkdirat(handle, name, mode))?)
        }
        Kind::File(content) => Ok(write(folder, path, before, content.bytes(), aside)?),
        Kind::Link(target) => Ok(folder.with_rights(|| symlinkat(target.path(), handle, name))?),
        Kind::Large(_) => Err(Error::Large),
        Kind::Unread => Err(Error::Unread),
        Kind::Other => Err(Error::Other),
    }
}

/// Writes a file as a whole, where nothing has the name.
///
/// # Errors
/// When something has it, or it cannot be written; what was written is set aside.
pub(super) fn write(
    folder: &Folder,
    path: &Path,
    before: &Entry,
    content: &[u8],
    aside: &mut Aside<'_>,
) -> io::Result<()> {
    let (draft, file) = draft(folder)?;
    let fill = || {
        if rustix::process::geteuid().is_root() {
            let (user, group) = (before.stat.user, before.stat.group);
            fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
        }
        fchmod(&file, Mode::from_raw_mode(before.mode()))?;
        let mut file = File::from(file.try_clone()?);
        file.write_all(content)?;
        file.sync_all()?;
        let name = path.file_name().unwrap_or_default();
        Ok(folder.move_to(OsStr::new(&draft), folder, name)?)
    };
    let filled = fill();
    if filled.is_err() {
        aside.take(folder, &parent(path).join(&draft))?;
    }
    filled
}

/// A new file, and its name.
fn draft(folder: &Folder) -> io::Result<(String, OwnedFd)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for number in 0..DRAFTS_MAX {
        let name = format!(".legwork-{}-{number}.tmp", std::process::id());
        let mode = Mode::from_raw_mode(0o600);
        match folder.with_rights(|| openat(folder.handle(), &name, flags, mode)) {
            Ok(file) => return Ok((name, file)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::EXIST.into())
}

//! Putting back what commands changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Gid, Mode, OFlags, Uid, fchmod, fchown, mkdirat, openat, renameat, symlinkat};
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
/// How long new names are taken out of folders; a command may add to them all the time.
const TIME_MAX: Duration = Duration::from_secs(10);

/// What was done about a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be put back; as a sentence.
    Failed(String),
    /// It was put back, or there is nothing to put back; as a sentence.
    Done(String),
}

/// Puts back what changed in the repositories of a directory.
pub(super) fn put_back(root: &Folder, before: &Root, aside: &mut Folders) -> Vec<Outcome> {
    let mut aside = Aside::new(root, before, aside);
    let mut outcomes = places(root, before, &mut aside);
    let until = Instant::now() + TIME_MAX;
    for path in &before.listed {
        outcomes.extend(take_out(root, (before, path), until, &mut aside));
    }
    for (git, todo) in &before.todos {
        outcomes.extend(rebase(root, (before, git), todo, &mut aside));
    }
    outcomes
}

/// Puts back each place that was known.
fn places(root: &Folder, before: &Root, aside: &mut Aside<'_>) -> Vec<Outcome> {
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
        outcomes.push(match restore_place(&mut way, &change, aside) {
            Ok(Done::PutBack(aside)) => Outcome::Done(format!(
                "a command changed {shown}, which makes Git run programs: it was put back{}",
                moved_to(aside.as_deref())
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

/// What a note says of what was set aside.
fn moved_to(aside: Option<&Path>) -> String {
    aside.map_or_else(String::new, |aside| format!(", and what was there is in {}", line(aside)))
}

/// Takes out what is new in a folder of hooks.
fn take_out(
    root: &Folder,
    (before, path): (&Root, &Path),
    until: Instant,
    aside: &mut Aside<'_>,
) -> Option<Outcome> {
    let shown = line(&before.path.join(path));
    let what = |files: &str| format!("a command put {files} into {shown}, which Git may run");
    let failed = |error: io::Error| {
        let what = what("files");
        Outcome::Failed(format!(
            "{what}, and they cannot be taken out ({error}): look at it before you use Git there"
        ))
    };
    let (mut count, mut place) = (0_usize, None);
    loop {
        let news = match compare::news(root, before, path) {
            Ok(Some(news)) => news,
            Ok(None) => break,
            Err(errno) => return Some(failed(errno.into())),
        };
        if Instant::now() > until {
            return Some(failed(io::Error::other("a command adds more all the time")));
        }
        for name in &news.names {
            match aside.take(&news.folder, &path.join(name)) {
                Ok(Some(moved)) => {
                    count = count.saturating_add(1);
                    place = Some(moved);
                }
                // The command took it away again.
                Ok(None) => {}
                Err(error) => return Some(failed(error)),
            }
        }
    }
    let place = line(&place?);
    let files = if count == 1 { "a file" } else { &format!("{count} files") };
    Some(Outcome::Done(format!("{}: moved to {place}", what(files))))
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
        return Some(Outcome::Failed(format!(
            "what a stopped rebase or cherry-pick of {shown} is to do next cannot be looked at: \
             look at it before it goes on"
        )));
    }
    if !now.runs_more_than(todo) {
        return None;
    }
    let what = format!(
        "a command put commands into what the stopped rebase or cherry-pick of {shown} is to do next"
    );
    Some(match todo.keep_in(&folder, git, aside) {
        Ok(()) => {
            Outcome::Done(format!("{what}, which would run with your rights: they were taken out"))
        }
        Err(error) => Outcome::Failed(format!(
            "{what}, and they cannot be taken out ({error}): look at it before it goes on"
        )),
    })
}

enum Done<'s> {
    /// With the folder that what was there instead was moved to, if it was.
    PutBack(Option<PathBuf>),
    /// What it lay in is not there any more, and so Git does not find it either.
    Gone(&'s Path),
}

fn restore_place<'b>(
    way: &mut Way<'_>,
    change: &Change<'b>,
    aside: &mut Aside<'_>,
) -> io::Result<Done<'b>> {
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
        Err(errno) if is_absent(errno) => return Ok(Done::Gone(above(change.path))),
        Err(errno) => return Err(errno.into()),
    };
    let now = change.now.as_ref().map(|now| &now.kind);
    let before = change.before.map(|before| &before.kind);
    if let Some(Kind::File(None)) = before {
        return Err(io::Error::other("it is too large to be kept"));
    }
    // What is as it was but for its mode is written again.
    let moved = if now == before { None } else { aside.take(folder, change.path)? };
    if let Some(before) = change.before {
        restore(folder, change.path.file_name().unwrap_or_default(), before)?;
    }
    Ok(Done::PutBack(moved))
}

fn above(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Makes what was there; nothing has the name, or a file that is replaced.
fn restore(folder: &Folder, name: &OsStr, before: &Entry) -> io::Result<()> {
    match &before.kind {
        Kind::Directory => Ok(mkdirat(folder.handle(), name, Mode::from_raw_mode(before.mode()))?),
        Kind::File(Some(content)) => write(folder, name, before, content.bytes()),
        Kind::Link(target) => Ok(symlinkat(target.path(), folder.handle(), name)?),
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
    let (draft, file) = draft(folder)?;
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

/// A new file, and its name.
fn draft(folder: &Folder) -> io::Result<(String, OwnedFd)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for number in 0..DRAFTS_MAX {
        let name = format!(".legwork-{}-{number}.tmp", std::process::id());
        match openat(folder.handle(), &name, flags, Mode::from_raw_mode(0o600)) {
            Ok(file) => return Ok((name, file)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::EXIST.into())
}

//! Putting files back: all of them, or none.

use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::put;
use crate::changes::{Held, Kind};

/// What is to become of one path.
pub(super) struct Step {
    pub(super) path: PathBuf,
    /// The path as it is shown.
    pub(super) shown: String,
    pub(super) now: Option<Held>,
    /// None where the file is to go.
    pub(super) wanted: Option<Held>,
    /// How many folders were made for it; none if that is not known.
    pub(super) folders: Option<u32>,
}

impl Step {
    /// What is to be done, in words.
    pub(super) fn words(&self) -> String {
        words(self.wanted.is_some(), &self.shown)
    }

    /// What was done, in words.
    pub(super) fn done(&self) -> String {
        let verb = if self.wanted.is_some() { "restored" } else { "removed" };
        format!("{verb} {}", self.shown)
    }
}

/// What is to be done with a file that was there before, or was not.
pub(super) fn words(was_there: bool, path: &str) -> String {
    let verb = if was_there { "restore" } else { "remove" };
    format!("{verb} {path}")
}

/// What is at a path now; none if nothing is.
pub(super) fn held(path: &Path) -> io::Result<Option<Held>> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mode = metadata.permissions().mode() & 0o7777;
    let (kind, content) = match metadata.file_type() {
        kind if kind.is_symlink() => (Kind::Link, fs::read_link(path)?.into_os_string().into_vec()),
        kind if kind.is_file() => (Kind::File, fs::read(path)?),
        // Nothing, if the files in it are all that go.
        kind if kind.is_dir() => return Ok(None),
        _ => return Err(io::Error::other("something that is no file is there now")),
    };
    Ok(Some(Held { kind, mode, content }))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Refuses a path that leads elsewhere by now.
pub(super) fn check_way(path: &Path, dir: &Path) -> Result<(), String> {
    let above =
        path.ancestors().skip(1).take_while(|above| above.starts_with(dir) && *above != dir);
    match above.into_iter().find(|above| above.is_symlink()) {
        Some(link) => Err(format!("{} is a symbolic link by now", link.display())),
        None => Ok(()),
    }
}

/// Does all steps; if one fails, what was done before it is taken back.
///
/// Each is checked once more before: what was put there before it may have made a repository.
pub(super) fn restore(
    steps: &[Step],
    dir: &Path,
    check: impl Fn(&Path) -> Result<(), String>,
) -> Result<(), (PathBuf, io::Error)> {
    // What goes makes room for what comes.
    let going = steps.iter().filter(|step| step.wanted.is_none());
    let coming = steps.iter().filter(|step| step.wanted.is_some());
    let mut done: Vec<&Step> = Vec::new();
    for step in going.chain(coming) {
        let taken = check(&step.path).map_err(io::Error::other).and_then(|()| take(step, dir));
        if let Err(error) = taken {
            for step in done.iter().rev() {
                // What cannot be put back now, the next try finds: nothing is lost of it.
                let _ = put(step, step.now.as_ref(), dir);
            }
            return Err((step.path.clone(), error));
        }
        done.push(step);
    }
    Ok(())
}

fn take(step: &Step, dir: &Path) -> io::Result<()> {
    if held(&step.path)? != step.now {
        return Err(io::Error::other("it was changed just now"));
    }
    put(step, step.wanted.as_ref(), dir)
}

/// Makes the path of a step hold this, in one go.
fn put(step: &Step, wanted: Option<&Held>, dir: &Path) -> io::Result<()> {
    let path = &step.path;
    let Some(wanted) = wanted else {
        fs::remove_file(path)?;
        prune(path, step.folders.map_or(usize::MAX, |folders| folders as usize), dir);
        return Ok(());
    };
    fs::create_dir_all(path.parent().unwrap_or(dir))?;
    put::put(path, wanted)
}

/// Removes so many directories above a path, as far as they are empty: those that were made for the
/// file, or, where it is not known which those are, all, as git does.
pub(super) fn prune(path: &Path, most: usize, dir: &Path) {
    let above = path.ancestors().skip(1);
    let above = above.take_while(|above| above.starts_with(dir) && *above != dir);
    for above in above.take(most) {
        if above.as_os_str().as_bytes().is_empty() {
            return;
        }
        match fs::remove_dir(above) {
            Ok(()) => {}
            // An undo that was killed may have removed it, and not those above it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return,
        }
    }
}

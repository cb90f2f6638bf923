//! Taking back what calls changed in files.

mod link;
mod place;
mod put;
mod restore;

use std::path::{Path, PathBuf};

use legwork_port::core::undo::{PastCall, UndoStatus};
use legwork_port::{BoxFuture, CannotUndo, Deps, Reach, Undo};

use crate::changes::{Back, Change, back};
use crate::workspace::Workspace;
use link::goes_on;
use restore::{Step, held, restore};

/// Takes back what calls changed in files, as their results say ([`Change::of`]).
///
/// It needs no other record: a result says what a file held before, as far as that is not too
/// large. Only files are changed that the tools of a workspace may write, whatever a journal says.
/// A file that is not as the call left it is refused.
#[derive(Clone, Debug)]
pub struct FileUndo {
    workspace: Workspace,
    /// What relative paths of changes are relative to.
    dir: PathBuf,
    rest: Option<&'static str>,
}

impl FileUndo {
    /// What a refusal says of a file outside of the workspace.
    pub const OUTSIDE: &str = place::OUTSIDE;

    /// For calls of tools of a workspace.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        let dir = workspace.root().to_owned();
        Self { workspace, dir, rest: None }
    }

    /// The same for calls that were made in another directory; the workspace still says what may
    /// be written.
    #[must_use]
    pub fn in_dir(self, dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), ..self }
    }

    /// The same for calls that may have done more than change files, which stays: what, in words.
    #[must_use]
    pub fn leaving(self, rest: &'static str) -> Self {
        Self { rest: Some(rest), ..self }
    }

    /// What can be taken back of changes of files, each with the next change of the same file,
    /// without doing it.
    fn reach(&self, files: Vec<(File, Option<Change>)>) -> Result<Reach, CannotUndo> {
        let mut undoes = Vec::new();
        for (File { path, changes }, next) in files {
            let words = match next {
                // What is there once the later call is taken back is what that found.
                Some(next) => {
                    goes_on(&changes, &next).map_err(|why| self.refused(&path, why))?;
                    let first = changes.first();
                    first.map(|first| restore::words(first.before.is_some(), &self.shown(&path)))
                }
                None => self.step(&path, changes)?.map(|step| step.words()),
            };
            undoes.extend(words);
        }
        Ok(match undoes.is_empty() {
            true => Reach::nothing(),
            false => Reach::whole(undoes.join(", ")),
        })
    }

    /// Refuses a call of which it is not known what it changed, whatever it recorded: what it
    /// found when it began again may be what it had left itself.
    fn check_known(call: &PastCall) -> Result<(), CannotUndo> {
        let unknown = |why: &str| Err(CannotUndo(format!("what it changed is not known: {why}")));
        match call.outcome {
            None => unknown("it was cut off"),
            Some(_) if call.was_in_doubt => unknown("it began before, in a run that died"),
            Some(_) => Ok(()),
        }
    }

    fn take_back(&self, call: &PastCall) -> Result<String, CannotUndo> {
        let mut steps = Vec::new();
        for File { path, changes } in self.files(call) {
            if call.undo == UndoStatus::Begun && place::check(&self.workspace, &path).is_ok() {
                put::sweep_beside(&path);
            }
            let made = changes.first().filter(|change| change.before.is_none());
            let folders = made.and_then(|change| change.folders);
            match self.step(&path, changes)? {
                Some(step) => steps.push(step),
                // One that died may have removed the file, and not yet its folders.
                None if call.undo == UndoStatus::Begun => {
                    restore::prune(&path, folders.unwrap_or(0) as usize, &self.dir);
                }
                None => {}
            }
        }
        let check = |path: &Path| place::check(&self.workspace, path);
        restore(&steps, &self.dir, check).map_err(|(path, error)| self.refused(&path, error))?;
        match steps.is_empty() {
            true => Ok("nothing was left of it".to_owned()),
            false => Ok(steps.iter().map(Step::done).collect::<Vec<_>>().join(", ")),
        }
    }

    /// What to do with a file; none if it is as it was before the changes.
    fn step(&self, path: &Path, changes: Vec<Change>) -> Result<Option<Step>, CannotUndo> {
        let refused = |why: String| self.refused(path, why);
        place::check(&self.workspace, path).map_err(refused)?;
        restore::check_way(path, &self.dir).map_err(refused)?;
        let now = held(path).map_err(|error| refused(error.to_string()))?;
        let folders = changes.first().and_then(|change| change.folders);
        let back = back(changes, now.as_ref()).map_err(|cannot| refused(cannot.to_string()))?;
        let wanted = match back {
            Back::Nothing => return Ok(None),
            Back::Remove => None,
            Back::Restore(held) => Some(held),
        };
        let shown = self.shown(path);
        Ok(Some(Step { path: path.to_owned(), shown, now, wanted, folders }))
    }

    /// The files that a call changed, with what it did to each.
    fn files(&self, call: &PastCall) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for change in Change::of(&call.metadata) {
            let path = self.dir.join(&change.path);
            match files.iter_mut().find(|known| known.path == path) {
                Some(known) => known.changes.push(change),
                None => files.push(File { path, changes: vec![change] }),
            }
        }
        files
    }

    /// The first change that calls made to a file; they are given newest first.
    fn next(&self, path: &Path, later: &[PastCall]) -> Option<Change> {
        let of = |call: &PastCall| {
            let names = Change::paths(&call.metadata).any(|other| self.dir.join(other) == path);
            let changes = if names { Change::of(&call.metadata) } else { Vec::new() };
            changes.into_iter().find(|change| self.dir.join(&change.path) == path)
        };
        later.iter().rev().find_map(of)
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.dir).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn refused(&self, path: &Path, why: impl std::fmt::Display) -> CannotUndo {
        CannotUndo(format!("{}: {why}", self.shown(path)))
    }
}

/// A file, with the changes that one call made to it.
struct File {
    path: PathBuf,
    changes: Vec<Change>,
}

impl Undo for FileUndo {
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        if let Err(why) = Self::check_known(call) {
            return Box::pin(std::future::ready(Err(why)));
        }
        let with_next = |file: File| {
            let next = self.next(&file.path, later);
            (file, next)
        };
        let files = self.files(call).into_iter().map(with_next).collect();
        let this = self.clone();
        blocking(move || Ok(this.rest.into_iter().fold(this.reach(files)?, Reach::leaving)))
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        let (this, call) = (self.clone(), call.clone());
        blocking(move || this.take_back(&call))
    }
}

/// Files are read and written on a thread where that may block.
fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CannotUndo> + Send + 'static,
) -> BoxFuture<'static, Result<T, CannotUndo>> {
    Box::pin(async {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(CannotUndo(format!("it failed within: {error}"))))
    })
}

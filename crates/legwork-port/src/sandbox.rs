//! What confines a child process.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Confines commands: says how each is to be started so that it runs confined.
pub trait Sandbox: Send + Sync {
    /// The name that people are shown.
    fn name(&self) -> &str;

    /// How `command` is started so that it runs confined, with `workspace` writable.
    ///
    /// Called off the runtime's threads: it may read files and try programs.
    ///
    /// # Errors
    /// Why it cannot be confined here, in words that say what to do. The caller then
    /// refuses to run the command.
    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, Error>;

    /// What a model is told that its commands may do; a sentence or two.
    fn rules(&self) -> String {
        "only the workspace and /tmp can be written, /tmp is empty in each call, and there is no \
         network"
            .to_owned()
    }

    /// Takes the notes for users and the model since the last call.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// What it cannot hold on this machine, a phrase each; empty if it holds all.
    ///
    /// Complete once [`confine`](Self::confine) has returned.
    fn gaps(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a command cannot be confined, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sandbox does not work here, whatever the command.
    #[error("{0}")]
    Unavailable(String),
    /// It works here, and cannot hold commands to what is allowed in this workspace.
    #[error("{0}")]
    Workspace(String),
}

/// Something that a command did, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// It may do so.
    Allowed(String),
    /// It was kept from it, or what it changed was put back.
    Refused(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed(text) | Self::Refused(text) => f.write_str(text),
        }
    }
}

/// How a command is started so that it runs confined.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Confined {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables on top of those that the command has.
    pub environment: Vec<(OsString, OsString)>,
    /// Directories that lie in memory and are the command's own, as it sees them; what it
    /// keeps there counts as memory.
    pub private: Vec<PathBuf>,
    /// What the new process does to itself before it becomes `command`.
    pub restrictions: Restrictions,
    /// Whatever was made for this command.
    pub cleanup: Cleanup,
}

/// What a new process does to itself before it becomes the command, in terms of one operating
/// system.
///
/// The type in it belongs to whoever starts processes: `legwork_tools::linux::Restrictions` for
/// the tools of Legwork. A starter that does not know the type must not start the command.
#[derive(Default)]
pub struct Restrictions(Option<Box<dyn Any + Send + Sync>>);

impl Restrictions {
    /// Restrictions of a starter's own type.
    #[must_use]
    pub fn new(restrictions: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(restrictions)))
    }

    /// Takes them as the type that a starter knows; its default if there are none.
    ///
    /// # Errors
    /// Gives them back when they are of another type.
    pub fn take<T: Any + Default>(self) -> Result<T, Self> {
        match self.0.map(|restrictions| restrictions.downcast()) {
            None => Ok(T::default()),
            Some(Ok(restrictions)) => Ok(*restrictions),
            Some(Err(other)) => Err(Self(Some(other))),
        }
    }
}

impl fmt::Debug for Restrictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restrictions").field("any", &self.0.is_some()).finish()
    }
}

/// Undoes what was made for a command, by being dropped: when the command has ended, with all
/// that came of it, and not on the runtime's threads.
#[derive(Default)]
pub struct Cleanup(Option<Box<dyn Send + Sync>>);

impl Cleanup {
    /// Drops `thing` when the command has ended.
    #[must_use]
    pub fn new(thing: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(thing)))
    }

    /// Whether there is nothing to undo.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for Cleanup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cleanup").field("empty", &self.is_empty()).finish()
    }
}

impl From<Vec<OsString>> for Confined {
    fn from(command: Vec<OsString>) -> Self {
        Self { command, ..Self::default() }
    }
}

//! Sandboxes, which confine child processes.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Confines commands: turns each into a command that runs confined.
pub trait Sandbox: Send + Sync {
    /// The name that is displayed.
    fn name(&self) -> &str;

    /// How to start `command` so that it runs confined, with `workspace` writable.
    ///
    /// Called on a thread that may block: it may read files and run programs.
    ///
    /// # Errors
    /// Why it cannot be confined. The caller then refuses to run the command.
    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, Error>;

    /// What commands may do, for the model; one or two sentences.
    fn rules(&self) -> String {
        "only the workspace and /tmp can be written, /tmp is empty in each call, and there is no \
         network"
            .to_owned()
    }

    /// Removes and returns the notes for users and the model since the last call.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// The restrictions that it cannot enforce on this machine, a phrase each.
    ///
    /// Complete once [`confine`](Self::confine) has returned.
    fn gaps(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a command cannot be confined; the text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sandbox does not work on this machine.
    #[error("{0}")]
    Unavailable(String),
    /// It works, but cannot enforce what is allowed in this workspace.
    #[error("{0}")]
    Workspace(String),
}

/// A note about something that a command did, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// It was allowed.
    Allowed(String),
    /// It was prevented or undone.
    Refused(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed(text) | Self::Refused(text) => f.write_str(text),
        }
    }
}

/// How to start a command so that it runs confined.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Confined {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables to add to the environment of the command.
    pub environment: Vec<(OsString, OsString)>,
    /// The command's private directories in memory, by their paths inside the sandbox.
    ///
    /// Their contents count as memory of the command.
    pub private: Vec<PathBuf>,
    /// Restrictions that the new process applies to itself before it executes `command`.
    pub restrictions: Restrictions,
    /// Drops what was created for this command, after it has ended.
    pub cleanup: Cleanup,
}

/// Restrictions that a new process applies to itself before it executes the command.
///
/// The type in it is that of the code which starts processes on one operating system:
/// `legwork_tools::linux::Restrictions` for the tools of Legwork. Code that does not know the
/// type must not start the command.
#[derive(Default)]
pub struct Restrictions(Option<Box<dyn Any + Send + Sync>>);

impl Restrictions {
    /// Restrictions of this type.
    #[must_use]
    pub fn new(restrictions: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(restrictions)))
    }

    /// The restrictions as this type; its default if there are none.
    ///
    /// # Errors
    /// Returns them if they are of another type.
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

/// Drops what was created for a command, after the command and its child processes have ended.
///
/// It is dropped on a thread that may block.
#[derive(Default)]
pub struct Cleanup(Option<Box<dyn Send + Sync>>);

impl Cleanup {
    /// Drops `thing` after the command has ended.
    #[must_use]
    pub fn new(thing: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(thing)))
    }

    /// Whether there is nothing to drop.
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

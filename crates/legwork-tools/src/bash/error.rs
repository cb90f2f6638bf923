//! Why a command was not run.

use std::io;

use rustix::io::Errno;

use super::background::TOOL;
use super::{COMMAND_MAX, LIMIT_MAX};

/// Why a command was not run; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command is empty.
    #[error("the command is empty; give one")]
    Empty,
    /// A command cannot hold a NUL byte.
    #[error(
        "the command holds a NUL byte, which no command can; leave it out or print it with printf '\\0'"
    )]
    Nul,
    /// The command is longer than the system takes.
    #[error(
        "the command is {bytes} bytes long, more than the system takes ({COMMAND_MAX}); write it to a file and run that"
    )]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It would run too long to be waited for.
    #[error(
        "timeout is {asked}, but a command that is waited for may run {LIMIT_MAX} seconds; give less, or start it with background: true"
    )]
    TooSlow {
        /// The seconds that were asked for.
        asked: u64,
    },
    /// The tool was made without commands in the background.
    #[error("no command can be left in the background here; run it without background")]
    NoBackground,
    /// As many as may run in the background do.
    #[error(
        "it was not started: {most} commands run in the background already ({running}); end one of them with {TOOL} and end: true"
    )]
    TooMany {
        /// How many may.
        most: usize,
        /// What they are.
        running: String,
    },
    /// No shell was found to run it with.
    #[error(
        "no command is run: there is no bash or sh on the PATH outside of what commands may write; give a PATH that has one, or choose another directory"
    )]
    NoShell,
    /// The sandbox cannot confine it.
    #[error(transparent)]
    Confined(#[from] legwork_port::sandbox::Error),
    /// Something that is protected from the command was moved while it was started.
    #[error(
        "the command was not started: a protected place of the workspace was moved meanwhile; try again"
    )]
    Moved,
    /// The command could not be started.
    #[error("the command was not started: {source}")]
    Start {
        /// What the operating system said.
        source: io::Error,
    },
    /// The command was started, and its end is not known.
    #[error("the command could not be watched: {source}; check what it did before trying again")]
    Watch {
        /// What the operating system said.
        source: io::Error,
    },
}

impl Error {
    /// Why a command was not started.
    pub(super) fn start(source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(Errno::STALE) => Self::Moved,
            _ => Self::Start { source },
        }
    }
}

//! Why a program was not started.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// Why a program was not started; the text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such program.
    #[error(
        "{name} was not started: there is no such program on the PATH outside of what commands may write; install it, or give the path of the file"
    )]
    Missing {
        /// What was asked for.
        name: String,
    },
    /// A variable that it was given decides what runs in each program that is started with it.
    #[error(
        "the program was not started: the variable {name} would take effect outside of the sandbox, too; set it behind its walls, with `env {name}=VALUE PROGRAM` as the command"
    )]
    Variable {
        /// Its name.
        name: String,
    },
    /// The directory that it is to start in is none.
    #[error("the program was not started: {} is not a directory", directory.display())]
    NoDirectory {
        /// Its path.
        directory: PathBuf,
    },
    /// No shell was found that enters the directory.
    #[error(
        "the program was not started: to start in another directory than that of the workspace it needs an sh on the PATH, outside of what commands may write"
    )]
    NoShell,
    /// The sandbox cannot confine it.
    #[error(transparent)]
    Confined(#[from] legwork_port::sandbox::Error),
    /// Something that is protected from the program was moved while it was started.
    #[error(
        "the program was not started: a protected place of the workspace was moved meanwhile; try again"
    )]
    Moved,
    /// The program could not be started.
    #[error("the program was not started: {source}")]
    Start {
        /// What the operating system said.
        source: io::Error,
    },
}

impl Error {
    pub(super) fn start(source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(Errno::STALE) => Self::Moved,
            _ => Self::Start { source },
        }
    }
}

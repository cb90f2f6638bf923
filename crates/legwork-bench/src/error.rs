//! The errors of measuring.

use std::path::PathBuf;

/// Why a measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// An operation on a file, a socket or a process failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A request of the baseline failed.
    #[error("a request to the scripted server failed: {0}")]
    Http(#[from] reqwest::Error),
    /// Something that should be JSON of a known shape is not.
    #[error("{what} cannot be read as JSON: {source}")]
    Json {
        /// What was read.
        what: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// A model's name is not a script.
    #[error("`{name}` is not a script: {problem}; a script looks like `script-n20-k1-l50-t4000`")]
    Script {
        /// The name as it was given.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A side did not do the work that it was measured on.
    #[error("{what}: expected {expected}, found {found}; the figures would mean nothing")]
    Outcome {
        /// What was checked.
        what: &'static str,
        /// What the script asks for.
        expected: String,
        /// What the side did.
        found: String,
    },
    /// Legwork itself reported an error.
    #[error("legwork: {0}")]
    Legwork(String),
    /// A child process failed.
    #[error("`{command}` ended with {status}; see its output above")]
    Child {
        /// The command line.
        command: String,
        /// Its exit status.
        status: String,
    },
    /// The command to be measured does not exist.
    #[error("no executable at {0}; build it with `cargo build --release -p legwork-cli`")]
    NoCommand(PathBuf),
    /// At least one target was missed, and `--check` was given.
    #[error("{0} of the targets missed")]
    Missed(usize),
}

impl Error {
    /// An [`Error::Io`] that says what was tried.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// An [`Error::Json`] that says what was read.
    pub(crate) fn json(what: impl Into<String>) -> impl FnOnce(serde_json::Error) -> Self {
        let what = what.into();
        move |source| Self::Json { what, source }
    }
}

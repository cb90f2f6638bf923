//! Why a command cannot be confined.

use std::path::PathBuf;

use legwork_port::sandbox as port;

use crate::repository::Unseen;

/// What to do where a sandbox cannot protect a place inside of the workspace.
const HIDE: &str =
    "; choose a directory next to it, or install bubblewrap where it can make namespaces";

/// Why a command cannot be confined.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no `bwrap` on the `PATH` that was given.
    #[error(
        "no command is run: there is no sandbox, `bwrap` is not on the PATH; install bubblewrap, or switch the sandbox off (`--sandbox off`)"
    )]
    Missing,
    /// The trial run of `bwrap` failed.
    #[error("no command is run: the sandbox does not work here, {said}; let {} make namespaces, or switch the sandbox off (`--sandbox off`)", program.display())]
    Unusable {
        /// The program that was tried.
        program: PathBuf,
        /// What it, or the operating system, said.
        said: String,
    },
    /// The workspace is the whole file system.
    #[error("no command is run: the workspace is {}, which leaves nothing to confine; choose a directory below it, or switch the sandbox off (`--sandbox off`)", root.display())]
    TooWide {
        /// The workspace.
        root: PathBuf,
    },
    /// The kernel has no Landlock, or refuses it.
    #[error(
        "no command is run: Landlock does not work here, {said}; use a kernel from 5.13 on that has it switched on, or switch the sandbox off (`--sandbox off`)"
    )]
    NoLandlock {
        /// What the operating system said.
        said: String,
    },
    /// Something to be hidden lies in what may be written.
    #[error("no command is run: {} lies in what commands may write, and {sandbox} cannot hide it there{HIDE}", place.display())]
    Exposed {
        /// What would be seen.
        place: PathBuf,
        /// The sandbox that cannot hide it.
        sandbox: &'static str,
    },
    /// Secrets have further names, and there are too many files to look for them.
    #[error("no command is run: files with keys have hard links, and {} is one of too many folders to look for them in; remove the links, or choose a smaller directory", folder.display())]
    Linked {
        /// Where the search stopped.
        folder: PathBuf,
    },
    /// Something that may only be read lies in what may be written.
    #[error("no command is run: {} may only be read and lies in what commands may write, and {sandbox} cannot protect it there{HIDE}", place.display())]
    Unprotected {
        /// What could be written.
        place: PathBuf,
        /// The sandbox that cannot protect it.
        sandbox: &'static str,
    },
    /// Repositories cannot be looked at, so what a command changes in them would not be seen.
    #[error("no command is run: {0}; try again when fewer files are open")]
    Unseen(#[from] Unseen),
    /// The network cannot be held to a list of hosts.
    #[error(
        "no command is run: {sandbox} cannot hold the network to a list of hosts here; install bubblewrap where any program may make namespaces, or choose --network=off or --network=all"
    )]
    NoHosts {
        /// The sandbox that cannot.
        sandbox: &'static str,
    },
    /// What serves the hosts on the list could not be started.
    #[error("no command is run: the proxy for the hosts on the list cannot be started, {said}")]
    NoProxy {
        /// What the operating system said.
        said: String,
    },
    /// A place is no longer what it was when the run began.
    #[error("no command is run: {} is not what it was when the run began; put it back, or begin again", place.display())]
    Moved {
        /// Its path.
        place: PathBuf,
    },
    /// A place is named through a link that a command can lead elsewhere.
    #[error("no command is run: {} leads through the link {}, which commands can change; allow what it leads to by its own path", place.display(), link.display())]
    Movable {
        /// The path.
        place: PathBuf,
        /// The link.
        link: PathBuf,
    },
    /// Neither sandbox works.
    #[error(
        "no command is run: no sandbox works here; bubblewrap: {bubblewrap}; Landlock: {landlock}; install bubblewrap, or switch the sandbox off (`--sandbox off`)"
    )]
    Neither {
        /// Why bubblewrap does not.
        bubblewrap: String,
        /// Why Landlock does not.
        landlock: String,
    },
}

impl Error {
    /// The cause alone, for a list of causes.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::Missing => "`bwrap` is not on the PATH".to_owned(),
            Self::Unusable { said, .. } | Self::NoLandlock { said } => said.clone(),
            Self::Exposed { place, .. } => {
                format!("{} lies in the workspace and cannot be hidden there", place.display())
            }
            Self::Unprotected { place, .. } => {
                format!("{} lies in the workspace and cannot be protected there", place.display())
            }
            Self::Linked { folder } => {
                format!(
                    "hard links of secrets are looked for in too many files ({})",
                    folder.display()
                )
            }
            Self::Unseen(unseen) => unseen.to_string(),
            Self::NoHosts { .. } => "it cannot hold the network to a list of hosts".to_owned(),
            Self::NoProxy { said } => format!("its proxy cannot be started, {said}"),
            Self::Moved { place } => {
                format!("{} is not what it was when the run began", place.display())
            }
            Self::Movable { place, link } => {
                format!("{} leads through the link {}", place.display(), link.display())
            }
            Self::TooWide { root } => format!("the workspace is {}", root.display()),
            Self::Neither { bubblewrap, landlock } => {
                format!("no sandbox works here; bubblewrap: {bubblewrap}; Landlock: {landlock}")
            }
        }
    }
}

impl From<Error> for port::Error {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error {
            Error::Missing
            | Error::Unusable { .. }
            | Error::NoLandlock { .. }
            | Error::NoHosts { .. }
            | Error::NoProxy { .. }
            | Error::Neither { .. } => Self::Unavailable(text),
            Error::TooWide { .. }
            | Error::Exposed { .. }
            | Error::Linked { .. }
            | Error::Unprotected { .. }
            | Error::Unseen(_)
            | Error::Moved { .. }
            | Error::Movable { .. } => Self::Workspace(text),
        }
    }
}

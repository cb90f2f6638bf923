//! What a command may touch: bubblewrap's walls, another's, or none by choice.

mod policy;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use legwork_port as port;

use crate::bash::Environment;

/// Characters kept of what bubblewrap says when it fails.
const SAID: usize = 500;

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
}

/// The confinement of commands; cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub enum Sandbox {
    /// Behind somebody's walls, or not at all.
    By(Arc<dyn port::Sandbox>),
    /// No confinement; only for a caller that chose it by name.
    Off,
}

impl Sandbox {
    /// Bubblewrap from the `PATH` of `environment`.
    ///
    /// Whether it works is found out once, before the first command; one that
    /// it cannot confine is refused.
    #[must_use]
    pub fn bubblewrap(environment: &Environment) -> Self {
        Self::By(Arc::new(Bubblewrap::new(environment)))
    }
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::By(walls) => f.debug_tuple("By").field(&walls.name()).finish(),
            Self::Off => f.write_str("Off"),
        }
    }
}

/// Walls of namespaces: read-only system, writable workspace, no network.
///
/// `/tmp` and `/run` are private and empty, places of keys in the home are
/// hidden, other processes are out of sight.
#[derive(Debug)]
pub struct Bubblewrap {
    program: Option<PathBuf>,
    home: Option<PathBuf>,
    trial: OnceLock<Result<(), Error>>,
}

impl Bubblewrap {
    /// The `bwrap` on the `PATH` of `environment`, for commands that see it.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self {
            program: environment.program("bwrap"),
            home: environment.get("HOME").map(PathBuf::from),
            trial: OnceLock::new(),
        }
    }

    /// Whether commands can run behind these walls; tried once, by a process.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn check(&self, workspace: &Path) -> Result<(), Error> {
        self.line(workspace, &[]).map(drop)
    }

    fn line(&self, root: &Path, command: &[OsString]) -> Result<Vec<OsString>, Error> {
        let program = self.program.as_ref().ok_or(Error::Missing)?;
        if root.parent().is_none() {
            return Err(Error::TooWide { root: root.to_owned() });
        }
        let mut line = vec![program.as_os_str().to_owned()];
        line.extend(policy::arguments(root, self.home.as_deref()));
        line.push("--".into());
        self.trial.get_or_init(|| try_out(program, &line)).clone()?;
        line.extend_from_slice(command);
        Ok(line)
    }
}

impl port::Sandbox for Bubblewrap {
    fn name(&self) -> &str {
        "bubblewrap"
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Vec<OsString>, String> {
        self.line(workspace, &command).map_err(|error| error.to_string())
    }
}

/// Runs `true` behind the very walls that commands will run behind.
fn try_out(program: &Path, walls: &[OsString]) -> Result<(), Error> {
    let trial = Command::new(program)
        .args(walls.get(1..).unwrap_or_default())
        .arg("true")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .output();
    let said = match trial {
        Ok(trial) if trial.status.success() => return Ok(()),
        Ok(trial) => said(&String::from_utf8_lossy(&trial.stderr), trial.status),
        Err(error) => format!("it cannot be started ({error})"),
    };
    Err(Error::Unusable { program: program.to_owned(), said })
}

fn said(text: &str, status: std::process::ExitStatus) -> String {
    match text.trim() {
        "" => format!("its trial run ended with {status}"),
        text => text.chars().take(SAID).collect(),
    }
}

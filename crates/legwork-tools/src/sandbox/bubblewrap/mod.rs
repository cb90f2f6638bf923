//! Bubblewrap: walls of namespaces, and a filter of system calls.

mod walls;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use legwork_port as port;
use legwork_port::sandbox::Confined;

use super::error::Error;
use super::landlock;
use super::places::Places;
use super::policy::{Network, Policy};
use super::seccomp::{self, Sockets};
use crate::bash::Environment;

/// Characters kept of what bubblewrap says when it fails.
const SAID: usize = 500;

/// Walls of namespaces: read-only system, writable workspace, no network.
///
/// `/tmp` and `/run` are private and empty, the home is empty but for
/// toolchains, other processes are out of sight.
#[derive(Debug)]
pub struct Bubblewrap {
    program: Option<PathBuf>,
    environment: Environment,
    policy: Policy,
    trial: OnceLock<Result<Features, Error>>,
}

/// What this bubblewrap can do that not all can.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    /// Forbids further user namespaces; since version 0.8, and not where it is set-user-id.
    disable_userns: bool,
    /// Bounds private directories; since version 0.7.
    size: bool,
}

impl Bubblewrap {
    /// The `bwrap` on the `PATH` of `environment`, for commands that see it.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self {
            program: environment.program("bwrap"),
            environment: environment.clone(),
            policy: Policy::default(),
            trial: OnceLock::new(),
        }
    }

    /// The same for commands that may do something else.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Whether commands can run behind these walls; tried once, by a process.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn check(&self, workspace: &Path) -> Result<(), Error> {
        self.tried(workspace).map(drop)
    }

    /// What this `bwrap` calls itself, such as `bubblewrap 0.8.0`.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        let mut asked = Command::new(self.program.as_ref()?);
        let told = asked.arg("--version").env_clear().stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&told.stdout);
        text.lines().next().map(|line| line.chars().take(SAID).collect())
    }

    fn tried(&self, root: &Path) -> Result<Features, Error> {
        let program = self.program.as_ref().ok_or(Error::Missing)?;
        if root.parent().is_none() {
            return Err(Error::TooWide { root: root.to_owned() });
        }
        self.trial.get_or_init(|| self.find_features(program, root)).clone()
    }

    /// Tries with all that this version says it knows, then without what only
    /// some installations can do.
    fn find_features(&self, program: &Path, root: &Path) -> Result<Features, Error> {
        let places = Places::of(root, &self.environment, &self.policy);
        let known = known(program);
        let walls = |features| walls::arguments(&places, &self.policy, features);
        match try_out(program, walls(known)) {
            Ok(()) => Ok(known),
            Err(error) if !known.disable_userns => Err(error),
            Err(error) => {
                let weaker = Features { disable_userns: false, ..known };
                try_out(program, walls(weaker)).map(|()| weaker).map_err(|_| error)
            }
        }
    }

    fn line(&self, root: &Path, command: Vec<OsString>) -> Result<Confined, Error> {
        let features = self.tried(root)?;
        let program = self.program.as_ref().ok_or(Error::Missing)?;
        let places = Places::of(root, &self.environment, &self.policy);
        let filter = filter().map_err(|said| unusable(program, said))?;
        let mut line = vec![program.as_os_str().to_owned()];
        line.extend(walls::arguments(&places, &self.policy, features));
        line.extend(["--seccomp".into(), filter.as_raw_fd().to_string().into(), "--".into()]);
        line.extend(command);
        let mut confined = Confined::from(line);
        confined.inherited.push(filter);
        if self.policy.network == Network::Host {
            // Abstract sockets belong to the network that is shared now.
            confined.ruleset = landlock::closed_abstract_sockets();
        }
        Ok(confined)
    }
}

impl port::Sandbox for Bubblewrap {
    fn name(&self) -> &str {
        "bubblewrap"
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, String> {
        self.line(workspace, command).map_err(|error| error.to_string())
    }

    fn rules(&self) -> String {
        self.policy.rules("/tmp")
    }

    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        if matches!(self.trial.get(), Some(Ok(features)) if !features.disable_userns) {
            gaps.push("further user namespaces are refused by a filter of system calls only");
        }
        let shared = self.policy.network == Network::Host;
        if shared && landlock::closed_abstract_sockets().is_none() {
            gaps.push("with the network, abstract sockets of the machine can be reached");
        }
        gaps.into_iter().map(str::to_owned).collect()
    }
}

/// The filter in a file that bubblewrap reads from its start.
fn filter() -> Result<OwnedFd, String> {
    let bytes = seccomp::filter(Sockets::Usual)?;
    let written = || {
        let file = rustix::fs::memfd_create("legwork-seccomp", rustix::fs::MemfdFlags::CLOEXEC)?;
        let mut file = File::from(file);
        file.write_all(&bytes)?;
        file.rewind()?;
        Ok(file.into())
    };
    written().map_err(|error: std::io::Error| format!("its filter cannot be written ({error})"))
}

/// What it says that it knows.
fn known(program: &Path) -> Features {
    let help = Command::new(program).arg("--help").env_clear().stdin(Stdio::null()).output();
    let text = help.map(|help| [help.stdout, help.stderr].concat()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let knows = |option: &str| text.split_whitespace().any(|word| word == option);
    Features { disable_userns: knows("--disable-userns"), size: knows("--size") }
}

/// Runs `true` behind the very walls that commands will run behind.
fn try_out(program: &Path, walls: Vec<OsString>) -> Result<(), Error> {
    let filter = filter().map_err(|said| unusable(program, said))?;
    let trial = Command::new(program)
        .args(walls)
        .args(["--seccomp", "0", "--", "true"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(filter)
        .output();
    let said = match trial {
        Ok(trial) if trial.status.success() => return Ok(()),
        Ok(trial) => said(&String::from_utf8_lossy(&trial.stderr), trial.status),
        Err(error) => format!("it cannot be started ({error})"),
    };
    Err(unusable(program, said))
}

fn unusable(program: &Path, said: String) -> Error {
    Error::Unusable { program: program.to_owned(), said }
}

fn said(text: &str, status: std::process::ExitStatus) -> String {
    match text.trim() {
        "" => format!("its trial run ended with {status}"),
        text => text.chars().take(SAID).collect(),
    }
}

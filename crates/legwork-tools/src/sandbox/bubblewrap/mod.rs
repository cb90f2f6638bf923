//! Bubblewrap: walls of namespaces, and a filter of system calls.

mod trial;
mod walls;

use std::ffi::OsString;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use legwork_port as port;
use legwork_port::sandbox::{Cleanup, Confined, Note, Restrictions};

use super::error::Error;
use super::landlock;
use super::network::{self, Gateway, Network};
use super::places::{Places, Resolved, check_width, open_files};
use super::policy::Policy;
use crate::bash::Environment;
use crate::linux;

/// Walls of namespaces: a list of what is seen, a writable workspace, no network.
///
/// `/tmp` and the home are private and empty but for toolchains, other processes
/// are out of sight. What they are made of is resolved once, when the first
/// command is confined.
#[derive(Debug)]
pub struct Bubblewrap {
    environment: Environment,
    policy: Policy,
    trial: OnceLock<Result<Works, Error>>,
    places: Resolved,
    /// Where the policy has a list of hosts.
    gateway: Option<Gateway>,
}

/// A `bwrap` that works, and what it can do.
#[derive(Clone, Debug)]
struct Works {
    program: PathBuf,
    features: Features,
}

/// What this bubblewrap can do that not all can.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    /// Forbids further user namespaces; since version 0.8, and not where it is set-user-id.
    disable_userns: bool,
    /// Bounds private directories; since version 0.7.
    size: bool,
    /// Takes over mounts that were made before it started; needs Linux 5.12, and a system
    /// that lets any program make namespaces.
    mounts: bool,
}

impl Bubblewrap {
    /// The `bwrap` on the `PATH` of `environment`, for commands that see it.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            policy: Policy::default(),
            trial: OnceLock::new(),
            places: Resolved::default(),
            gateway: None,
        }
    }

    /// The same for commands that may do something else.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        let gateway = match &policy.network {
            Network::Hosts(hosts) => Some(Gateway::new(hosts.clone())),
            Network::Off | Network::All => None,
        };
        Self { policy, gateway, ..self }
    }

    /// Whether commands in a workspace can run behind these walls.
    ///
    /// Whether they can be built is tried once, by a process that sees an empty directory.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn check(&self, workspace: &Path) -> Result<(), Error> {
        let works = self.works(workspace)?;
        let places = self.places(workspace)?;
        self.check_features(&places, works.features)
    }

    /// Whether it works here, with an empty workspace.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub(super) fn is_usable(&self, workspace: &Path) -> Result<(), Error> {
        self.works(workspace).map(drop)
    }

    /// What this `bwrap` calls itself, such as `bubblewrap 0.8.0`.
    #[must_use]
    pub fn version(&self, workspace: &Path) -> Option<String> {
        trial::version(&self.program(workspace).ok()?)
    }

    /// The `bwrap` that no command in a workspace can have put there.
    fn program(&self, workspace: &Path) -> Result<PathBuf, Error> {
        let writable = self.policy.writable.iter().map(PathBuf::as_path);
        let writable: Vec<_> = writable.chain([workspace]).collect();
        self.environment.program_outside("bwrap", &writable).ok_or(Error::Missing)
    }

    fn works(&self, workspace: &Path) -> Result<Works, Error> {
        check_width(workspace)?;
        let try_out = || {
            let program = self.program(workspace)?;
            let features = trial::features(&program)?;
            Ok(Works { program, features })
        };
        self.trial.get_or_init(try_out).clone()
    }

    fn places(&self, workspace: &Path) -> Result<Arc<Places>, Error> {
        self.places.of(workspace, &self.environment, &self.policy)
    }

    fn line(&self, root: &Path, command: Vec<OsString>) -> Result<Confined, Error> {
        let Works { program, features } = self.works(root)?;
        let places = self.places(root)?;
        self.check_features(&places, features)?;
        places.check()?;
        let filter = trial::filter().map_err(|said| trial::unusable(&program, said))?;
        let files = open_files(&places.system);
        let mut files = files.map_err(|error| trial::unusable(&program, error.to_string()))?;
        let mut line = vec![program.into_os_string()];
        line.extend(walls::arguments(&places, &self.policy, features, &files));
        line.extend(["--seccomp".into(), filter.as_raw_fd().to_string().into(), "--".into()]);
        line.extend(command);
        let mut confined = Confined::from(line);
        files.push(filter);
        let mut restrictions = linux::Restrictions { inherited: files, ..Default::default() };
        confined.private = walls::private(&places);
        let (covers, watched) = places.keeper.begin()?;
        let mut opened = None;
        if let Some(gateway) = &self.gateway {
            let made = gateway.open().map_err(|error| Error::NoProxy { said: error.to_string() });
            let (loopback, serving) = made?;
            restrictions.loopback = Some(loopback);
            confined.environment = network::environment(gateway.hosts());
            opened = Some(serving);
        }
        confined.cleanup = Cleanup::new((watched, opened));
        if features.mounts {
            restrictions.mounts = places.mounts();
            restrictions.mounts.extend(covers);
        }
        if self.policy.network == Network::All {
            // Abstract sockets belong to the network that is shared now.
            restrictions.ruleset = landlock::closed_abstract_sockets();
        }
        confined.restrictions = Restrictions::new(restrictions);
        Ok(confined)
    }

    /// What is protected inside of what may be written, and a network of a command's own,
    /// need namespaces that any program may make.
    fn check_features(&self, places: &Places, features: Features) -> Result<(), Error> {
        if features.mounts {
            return Ok(());
        }
        match self.gateway {
            Some(_) => Err(Error::NoHosts { sandbox: "bubblewrap" }),
            None => places.check_uncovered("bubblewrap"),
        }
    }
}

impl port::Sandbox for Bubblewrap {
    fn name(&self) -> &str {
        "bubblewrap"
    }

    fn confine(
        &self,
        workspace: &Path,
        command: Vec<OsString>,
    ) -> Result<Confined, port::sandbox::Error> {
        Ok(self.line(workspace, command)?)
    }

    fn rules(&self) -> String {
        self.policy.rules("/tmp")
    }

    fn notes(&self) -> Vec<Note> {
        let connections = self.gateway.as_ref().map(Gateway::notes).unwrap_or_default();
        self.places.notes().into_iter().chain(connections).collect()
    }

    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let works = self.trial.get().and_then(|works| works.as_ref().ok());
        if works.is_some_and(|works| !works.features.disable_userns) {
            gaps.push("further user namespaces are refused by a filter of system calls only");
        }
        if works.is_some_and(|works| !works.features.mounts) {
            gaps.push("`.git/hooks` and `.git/config` can be written, and are put back after each command");
        }
        let shared = self.policy.network == Network::All;
        if shared && landlock::closed_abstract_sockets().is_none() {
            gaps.push("with the network, abstract sockets of the machine can be reached");
        }
        gaps.into_iter().map(str::to_owned).chain(self.places.gaps()).collect()
    }
}

//! Landlock and seccomp: what a process can give up by itself, without namespaces.
#![allow(unsafe_code, reason = "the version of Landlock is available by a raw system call only")]

mod rules;

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use legwork_port as port;
use legwork_port::sandbox::{Cleanup, Confined, Note, Restrictions};

use super::error::Error;
use super::network::Network;
use super::places::{Places, Resolved};
use super::policy::Policy;
use super::scratch::Scratch;
use super::seccomp::{self, Sockets};
use crate::bash::Environment;
use crate::linux::{self, Privileges};

/// Asks the kernel which set of rights it knows (`LANDLOCK_CREATE_RULESET_VERSION`).
const VERSION: libc::c_uint = 1;

/// The ABI since which signals and abstract sockets can be kept in.
const SCOPES: u32 = 6;

/// What a process gives up by itself: for systems without bubblewrap.
///
/// The file system by Landlock, sockets and namespaces by seccomp, and every
/// capability. What neither can express, [`gaps`](port::Sandbox::gaps) names.
#[derive(Debug)]
pub struct Landlock {
    environment: Environment,
    policy: Policy,
    abi: OnceLock<Result<u32, Error>>,
    places: Resolved,
}

impl Landlock {
    /// For commands that see `environment`.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let (environment, policy) = (environment.clone(), Policy::default());
        Self { environment, policy, abi: OnceLock::new(), places: Resolved::default() }
    }

    /// The same for commands that may do something else.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Whether commands can be confined so.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn check(&self, workspace: &Path) -> Result<(), Error> {
        self.places(workspace).map(drop)
    }

    /// The set of rights that the kernel knows, its ABI: 1 is of Linux 5.13, 7 of 6.15.
    ///
    /// # Errors
    /// When the kernel knows none.
    pub fn abi(&self) -> Result<u32, Error> {
        self.abi.get_or_init(abi).clone()
    }

    fn places(&self, root: &Path) -> Result<Arc<Places>, Error> {
        self.abi()?;
        seccomp::filter(Sockets::Pairs).map_err(|said| Error::NoLandlock { said })?;
        if matches!(self.policy.network, Network::Hosts(_)) {
            return Err(Error::NoHosts { sandbox: "Landlock" });
        }
        let places = self.places.of(root, &self.environment, &self.policy)?;
        places.check_uncovered("Landlock")?;
        Ok(places)
    }

    fn line(&self, root: &Path, command: Vec<OsString>) -> Result<Confined, Error> {
        let places = self.places(root)?;
        places.check()?;
        let mut confined = Confined::from(command);
        let scratch = Scratch::new().map_err(|error| refused(&error))?;
        let made = rules::ruleset(&places, scratch.path(), &self.policy);
        let made = made.map_err(|error| refused(&error))?;
        let ruleset = made.ok_or_else(|| refused(&"the kernel enforces none of it"))?;
        let sockets = match self.policy.network {
            Network::All => Sockets::Internet,
            Network::Off | Network::Hosts(_) => Sockets::Pairs,
        };
        let filter = seccomp::filter(sockets).map_err(|said| Error::NoLandlock { said })?;
        confined.restrictions = Restrictions::new(linux::Restrictions {
            privileges: Privileges::Dropped,
            ruleset: Some(ruleset),
            filter,
            ..Default::default()
        });
        let temp = scratch.path().as_os_str();
        confined.environment =
            ["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), temp.into())).into();
        // Git ends at a file that it sees and cannot read.
        let settings = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
        confined.environment.extend(settings.map(|name| (name.into(), "/dev/null".into())));
        let (_, watched) = places.keeper.begin()?;
        confined.cleanup = Cleanup::new((watched, scratch));
        Ok(confined)
    }
}

impl port::Sandbox for Landlock {
    fn name(&self) -> &str {
        "landlock"
    }

    fn confine(
        &self,
        workspace: &Path,
        command: Vec<OsString>,
    ) -> Result<Confined, port::sandbox::Error> {
        Ok(self.line(workspace, command)?)
    }

    fn rules(&self) -> String {
        let rules = self.policy.rules("the directory $TMPDIR");
        format!("{rules}; /tmp itself cannot be used, nor sockets that have a path")
    }

    fn notes(&self) -> Vec<Note> {
        self.places.notes()
    }

    fn gaps(&self) -> Vec<String> {
        let gaps = gaps(self.abi().unwrap_or_default());
        gaps.into_iter().chain(self.places.gaps()).collect()
    }
}

/// What is not held at a level of Landlock.
fn gaps(abi: u32) -> Vec<String> {
    let always = [
        "`.git/hooks` and `.git/config` in the workspace can be written, and are put back after each command",
        "names, sizes and times of files outside can be seen; modes and owners of your own files can be changed",
        "the list of processes and their command lines can be seen",
    ];
    let below = [
        (3, "files outside can be emptied by truncate(2)"),
        (5, "devices that can be read can be controlled by ioctl(2)"),
        (SCOPES, "signals can be sent to your other processes"),
    ];
    let below = below.iter().filter(|(since, _)| abi < *since).map(|(_, gap)| *gap);
    always.into_iter().chain(below).map(str::to_owned).collect()
}

/// A ruleset that closes the abstract sockets of others, and nothing else; none
/// where the kernel cannot do so.
pub(super) fn closed_abstract_sockets() -> Option<std::os::fd::OwnedFd> {
    abi().ok().filter(|abi| *abi >= SCOPES)?;
    rules::abstract_sockets().ok()?
}

fn abi() -> Result<u32, Error> {
    // SAFETY: with this flag the call takes no memory and changes nothing.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, VERSION)
    };
    match u32::try_from(version) {
        Ok(abi) if abi > 0 => Ok(abi),
        _ => Err(refused(&std::io::Error::last_os_error())),
    }
}

fn refused(error: &dyn std::fmt::Display) -> Error {
    Error::NoLandlock { said: format!("the kernel says: {error}") }
}

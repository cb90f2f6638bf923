//! The best sandbox that works on this machine.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use legwork_port as port;
use legwork_port::sandbox::{Confined, Note};

use super::bubblewrap::Bubblewrap;
use super::error::Error;
use super::landlock::Landlock;
use super::places::check_width;
use super::policy::Policy;
use crate::bash::Environment;

/// Bubblewrap if it works, else Landlock, else none.
///
/// Which one is found out once, before the first command, and in an empty directory: what
/// lies in a workspace never takes a wall down.
#[derive(Debug)]
pub struct Auto {
    bubblewrap: Bubblewrap,
    landlock: Landlock,
    chosen: OnceLock<Result<Choice, Error>>,
}

#[derive(Clone, Debug)]
enum Choice {
    Bubblewrap,
    /// And why it is not bubblewrap.
    Landlock(String),
}

impl Auto {
    /// For commands that see `environment` and may do what `policy` says.
    #[must_use]
    pub fn new(environment: &Environment, policy: Policy) -> Self {
        Self {
            bubblewrap: Bubblewrap::new(environment).with_policy(policy.clone()),
            landlock: Landlock::new(environment).with_policy(policy),
            chosen: OnceLock::new(),
        }
    }

    /// The one that commands in `workspace` run in.
    ///
    /// # Errors
    /// Why neither works, or why the one that works cannot confine commands in this
    /// workspace, and what to do.
    pub fn choose(&self, workspace: &Path) -> Result<&dyn port::Sandbox, Error> {
        check_width(workspace)?;
        let neither = |bubblewrap: &str, landlock: &Error| Error::Neither {
            bubblewrap: bubblewrap.to_owned(),
            landlock: landlock.cause(),
        };
        let chosen = self.chosen.get_or_init(|| match self.bubblewrap.is_usable(workspace) {
            Ok(()) => Ok(Choice::Bubblewrap),
            Err(bubblewrap) => match self.landlock.abi() {
                Ok(_) => Ok(Choice::Landlock(bubblewrap.cause())),
                Err(landlock) => Err(neither(&bubblewrap.cause(), &landlock)),
            },
        });
        match chosen.as_ref().map_err(Error::clone)? {
            Choice::Bubblewrap => self.bubblewrap.check(workspace)?,
            Choice::Landlock(why) => {
                self.landlock.check(workspace).map_err(|error| match error {
                    Error::Exposed { .. } | Error::Unprotected { .. } => neither(why, &error),
                    error => error,
                })?
            }
        }
        self.known().ok_or(Error::Missing)
    }

    fn known(&self) -> Option<&dyn port::Sandbox> {
        Some(match self.chosen.get()?.as_ref().ok()? {
            Choice::Bubblewrap => &self.bubblewrap,
            Choice::Landlock(_) => &self.landlock,
        })
    }
}

impl port::Sandbox for Auto {
    fn name(&self) -> &str {
        self.known().map_or("auto", port::Sandbox::name)
    }

    fn confine(
        &self,
        workspace: &Path,
        command: Vec<OsString>,
    ) -> Result<Confined, port::sandbox::Error> {
        self.choose(workspace)?.confine(workspace, command)
    }

    fn rules(&self) -> String {
        // Told before the first command, so the same whichever it will be.
        self.bubblewrap.rules()
    }

    fn notes(&self) -> Vec<Note> {
        self.known().map(port::Sandbox::notes).unwrap_or_default()
    }

    fn gaps(&self) -> Vec<String> {
        self.known().map(port::Sandbox::gaps).unwrap_or_default()
    }
}

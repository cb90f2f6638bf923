//! The best sandbox that works on this machine.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use legwork_port as port;
use legwork_port::sandbox::Confined;

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

#[derive(Clone, Copy, Debug)]
enum Choice {
    Bubblewrap,
    Landlock,
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
        let chosen = self.chosen.get_or_init(|| match self.bubblewrap.is_usable(workspace) {
            Ok(()) => Ok(Choice::Bubblewrap),
            Err(bubblewrap) => match self.landlock.abi() {
                Ok(_) => Ok(Choice::Landlock),
                Err(landlock) => Err(Error::Neither {
                    bubblewrap: bubblewrap.cause(),
                    landlock: landlock.cause(),
                }),
            },
        });
        let choice = chosen.clone()?;
        match choice {
            Choice::Bubblewrap => self.bubblewrap.check(workspace)?,
            Choice::Landlock => self.landlock.check(workspace)?,
        }
        Ok(self.of(choice))
    }

    fn of(&self, choice: Choice) -> &dyn port::Sandbox {
        match choice {
            Choice::Bubblewrap => &self.bubblewrap,
            Choice::Landlock => &self.landlock,
        }
    }

    fn known(&self) -> Option<&dyn port::Sandbox> {
        let chosen = self.chosen.get()?.as_ref().ok()?;
        Some(self.of(*chosen))
    }
}

impl port::Sandbox for Auto {
    fn name(&self) -> &str {
        self.known().map_or("auto", port::Sandbox::name)
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, String> {
        let chosen = self.choose(workspace).map_err(|error| error.to_string())?;
        chosen.confine(workspace, command)
    }

    fn rules(&self) -> String {
        // Told before the first command, so the same whichever it will be.
        self.bubblewrap.rules()
    }

    fn notes(&self) -> Vec<String> {
        self.known().map(port::Sandbox::notes).unwrap_or_default()
    }

    fn gaps(&self) -> Vec<String> {
        self.known().map(port::Sandbox::gaps).unwrap_or_default()
    }
}

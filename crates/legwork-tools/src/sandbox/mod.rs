//! What a command may touch: bubblewrap's walls, Landlock, another's, or none by choice.
//!
//! One [`Policy`] says what a command may do; [`Bubblewrap`] and [`Landlock`]
//! each make it so, and say what they cannot hold. [`Limits`] hold in all.

mod auto;
mod bubblewrap;
mod error;
mod landlock;
mod limits;
mod network;
mod places;
mod policy;
pub mod probe;
mod scratch;
mod seccomp;

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use legwork_port as port;
use legwork_port::sandbox::Confined;

use crate::bash::Environment;
use crate::blocking;

pub use crate::repository::Unseen;
pub use auto::Auto;
pub use bubblewrap::Bubblewrap;
pub use error::Error;
pub use landlock::Landlock;
pub use limits::{Bound, Limits};
pub use network::{Host, InvalidHost, Network};
pub(crate) use places::resolve;
pub use policy::Policy;

/// Bytes that Linux keeps of a process's name (`TASK_COMM_LEN`).
const NAME_MAX: usize = 15;

/// A command behind walls, and the name of the program that builds them, if one does.
pub(crate) type Walled = (Confined, Option<Vec<u8>>);

/// The confinement of commands; cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub enum Sandbox {
    /// Confined from outside, or not at all.
    By(Arc<dyn port::Sandbox>),
    /// No confinement; only for a caller that chose it by name.
    Off,
}

impl Sandbox {
    /// The best that works here: bubblewrap, else Landlock with seccomp.
    ///
    /// Which works is found out once, before the first command; where none
    /// does, commands are refused.
    #[must_use]
    pub fn auto(environment: &Environment, policy: Policy) -> Self {
        Self::By(Arc::new(Auto::new(environment, policy)))
    }

    /// Bubblewrap from the `PATH` of `environment`.
    ///
    /// Whether it works is found out once, before the first command; one that
    /// it cannot confine is refused.
    #[must_use]
    pub fn bubblewrap(environment: &Environment) -> Self {
        Self::By(Arc::new(Bubblewrap::new(environment)))
    }

    /// Landlock and seccomp, which hold less: see its [`gaps`](port::Sandbox::gaps).
    #[must_use]
    pub fn landlock(environment: &Environment) -> Self {
        Self::By(Arc::new(Landlock::new(environment)))
    }

    /// Confines a command, on a thread that may block.
    ///
    /// # Errors
    /// When that thread failed; inside, why the command cannot be confined.
    pub(crate) async fn confine(
        &self,
        workspace: &Path,
        command: Vec<OsString>,
    ) -> io::Result<Result<Walled, port::sandbox::Error>> {
        let Self::By(walls) = self.clone() else {
            return Ok(Ok((command.into(), None)));
        };
        let program = command.first().cloned();
        let root = workspace.to_owned();
        let confined = blocking::run(move |_| walls.confine(&root, command)).await?;
        Ok(confined.map(|confined| {
            // Some sandboxes are a program around the command, some are none.
            let first = confined.command.first();
            let around = first.filter(|first| Some(*first) != program.as_ref());
            let name = around.and_then(|program| Path::new(program).file_name());
            let name = name.map(|name| name.as_bytes().iter().copied().take(NAME_MAX).collect());
            (confined, name)
        }))
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

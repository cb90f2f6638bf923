//! A program that runs until its caller ends it, confined, with pipes for its streams.
//!
//! It is for servers that are spoken to over standard input and output. `bash` runs a
//! command to its end and gives what it printed; here the caller writes and reads itself.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use legwork_tools::program::Started;
//! use legwork_tools::{Environment, Program, Sandbox, Workspace};
//! use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
//!
//! # async fn example(environment: Environment) -> Result<(), Box<dyn std::error::Error>> {
//! let (workspace, sandbox) = (Workspace::open(".")?, Sandbox::bubblewrap(&environment));
//! let server = Program::new(workspace, environment, sandbox, "mcp-server-memory");
//! let server = server.with_variable("MEMORY_FILE", "memory.json");
//! let Started { mut input, output, errors, process, .. } = server.start().await?;
//! // Its errors are not read, so the pipe is closed.
//! drop(errors);
//! input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
//! match BufReader::new(output).lines().next_line().await? {
//!     Some(answer) => println!("{answer}"),
//!     None => println!("it ended: {}", process.ended().await),
//! }
//! drop(input);
//! process.end(Duration::from_secs(2)).await;
//! # Ok(())
//! # }
//! ```

mod error;
mod exit;
mod started;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::error::Error;
pub use self::exit::Exit;
pub use self::started::{Process, Started};
use crate::bash::Environment;
use crate::blocking;
use crate::process::{Order, Running};
use crate::sandbox::{Limits, Sandbox};
use crate::workspace::Workspace;

/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(3);
/// Variables that make the C library run or read what they name, in addition to all `LD_*`.
const OF_LOADER: [&str; 9] = [
    "GCONV_PATH",
    "GETCONF_DIR",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "LOCPATH",
    "MALLOC_TRACE",
    "NLSPATH",
    "RESOLV_HOST_CONF",
    "TZDIR",
];
/// Becomes a program in another directory than the one that a sandbox starts it in.
const ENTER: &str = r#"cd -- "$1" && shift && exec "$@""#;

/// A program, how it is confined, and what it is given.
///
/// It runs as a command of [`Bash`](crate::Bash) does: in the same sandbox, with the
/// variables of its [`Environment`] and those that were added, and no others, within
/// [`Limits`] for all that comes of it. It has no limit of time.
///
/// As long as it runs, all changes of what makes Git run programs in its workspace (hooks,
/// configuration) count as made by programs and commands, and are put back, those of a person
/// too. A program that need not write there gets another directory as its workspace.
#[derive(Clone)]
pub struct Program {
    workspace: Workspace,
    environment: Environment,
    sandbox: Sandbox,
    name: OsString,
    arguments: Vec<OsString>,
    directory: PathBuf,
    limits: Limits,
    grace: Duration,
    /// A variable that it was given and that it must not have.
    refused: Option<OsString>,
}

impl Program {
    /// A program that may write in `workspace`, behind the walls of `sandbox`.
    ///
    /// A name is looked up on the `PATH` of `environment`, where no command can have put a
    /// program ([`Environment::program_outside`]). A `name` with a slash is a path, from the
    /// directory that the program starts in.
    #[must_use]
    pub fn new(
        workspace: Workspace,
        environment: Environment,
        sandbox: Sandbox,
        name: impl Into<OsString>,
    ) -> Self {
        Self {
            directory: workspace.root().to_owned(),
            workspace,
            environment,
            sandbox,
            name: name.into(),
            arguments: Vec::new(),
            limits: Limits::default(),
            grace: GRACE,
            refused: None,
        }
    }

    /// The same with more arguments, after those that it has.
    #[must_use]
    pub fn with_arguments<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The same with one more variable, which the program sees whatever its name is.
    ///
    /// What starts the program behind its walls sees it, too. So one that tells the loader of
    /// programs what to run (`LD_PRELOAD` and the like) makes [`start`](Self::start) fail; `env`
    /// as the program sets such a variable behind the walls.
    #[must_use]
    pub fn with_variable(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        let refused = is_of_loader(&name).then(|| name.clone()).or(self.refused);
        Self { environment: self.environment.with(name, value), refused, ..self }
    }

    /// The same in another directory; a relative one is in the workspace.
    ///
    /// The root of the workspace by default. The program enters it when it is confined
    /// already, so it has to be one that commands see.
    #[must_use]
    pub fn with_directory(self, directory: impl AsRef<Path>) -> Self {
        Self { directory: self.workspace.root().join(directory), ..self }
    }

    /// The same with other limits of memory, processes and files.
    ///
    /// They hold for as long as the program runs; what it writes to a disk adds up.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same with another time between TERM and KILL; 3 seconds by default.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Starts it; the runtime watches it from here on.
    ///
    /// Behind some sandboxes a program that cannot be executed is started, says so in its
    /// errors, and exits.
    ///
    /// # Errors
    /// When the program or its directory is not found, when the sandbox cannot confine it,
    /// or when the system does not start it. It then does not run.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub async fn start(&self) -> Result<Started, Error> {
        let order = self.order().await?;
        let limits = order.limits;
        let (running, pipes) = Running::start_apart(order).map_err(Error::start)?;
        Ok(Started::new(running, pipes, limits))
    }

    /// The program, confined, within its bounds.
    async fn order(&self) -> Result<Order, Error> {
        if let Some(name) = &self.refused {
            return Err(Error::Variable { name: name.to_string_lossy().into_owned() });
        }
        let this = self.clone();
        let line = blocking::run(move |_| this.line()).await.map_err(Error::start)??;
        let confined = self.sandbox.confine(self.workspace.root(), line).await;
        let (confined, walls) = confined.map_err(Error::start)??;
        Ok(Order {
            confined,
            limits: self.limits,
            environment: self.environment.clone(),
            directory: self.workspace.root().to_owned(),
            grace: self.grace,
            walls,
        })
    }

    /// The program and its arguments; in another directory than the root, by a shell that
    /// it takes the place of.
    fn line(&self) -> Result<Vec<OsString>, Error> {
        let mut line = Vec::new();
        if self.directory != self.workspace.root() {
            if !self.directory.is_dir() {
                return Err(Error::NoDirectory { directory: self.directory.clone() });
            }
            let shell = self.outside("sh").ok_or(Error::NoShell)?;
            line.extend([shell.into(), "-c".into(), ENTER.into(), "sh".into()]);
            line.push(self.directory.clone().into());
        }
        line.push(self.path()?);
        line.extend(self.arguments.iter().cloned());
        Ok(line)
    }

    /// Where the program is.
    fn path(&self) -> Result<OsString, Error> {
        let missing = || Error::Missing { name: self.name.to_string_lossy().into_owned() };
        let path = match self.name.as_encoded_bytes().contains(&b'/') {
            true => Some(self.directory.join(&self.name)).filter(|path| path.is_file()),
            false => self.name.to_str().and_then(|name| self.outside(name)),
        };
        path.map(PathBuf::into_os_string).ok_or_else(missing)
    }

    fn outside(&self, name: &str) -> Option<PathBuf> {
        self.environment.program_outside(name, &self.workspace.writable())
    }
}

impl fmt::Debug for Program {
    /// Without arguments and variables, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Program");
        shown.field("name", &self.name).field("directory", &self.directory);
        shown.field("sandbox", &self.sandbox).finish_non_exhaustive()
    }
}

/// Whether a variable decides what runs in each program that is started with it.
fn is_of_loader(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("LD_") || OF_LOADER.contains(&&*name)
}

//! A server that is a child process, which speaks over its standard input and output.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use legwork_port::BoxFuture;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::connect::{Connect, Connected, Error, Process};

/// How long a process may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// A program that is started as a child process with all rights of this one.
///
/// It gets the environment that it is given, and nothing of this process's own, not even `PATH`.
/// For a sandbox, implement [`Connect`].
#[derive(Debug, Clone)]
pub struct Program {
    program: OsString,
    args: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    directory: Option<PathBuf>,
}

impl Program {
    /// A program by its path, or by its name in `PATH`.
    pub fn unconfined(program: impl Into<OsString>) -> Self {
        let (args, environment) = (Vec::new(), BTreeMap::new());
        Self { program: program.into(), args, environment, directory: None }
    }

    /// With another argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// In this directory, not the one of this process.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    fn start(&self) -> Result<Connected, Error> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(&self.environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| self.failed(&error))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(from), Some(words)) = streams else {
            return Err(Error::Unreachable("its streams cannot be had".to_owned()));
        };
        Ok(Connected::process(from, to, words, Unconfined(child)))
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        let program = self.program.to_string_lossy();
        let words = match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!("there is no program `{program}`: install it, or give its path")
            }
            _ => format!("`{program}` cannot be started: {error}"),
        };
        Error::Unreachable(words)
    }
}

impl Connect for Program {
    fn target(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args).map(OsString::as_os_str);
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        Box::pin(async { self.start() })
    }
}

/// The child process; dropping it kills it.
struct Unconfined(Child);

impl Process for Unconfined {
    fn end(mut self: Box<Self>) -> BoxFuture<'static, Option<String>> {
        Box::pin(async move {
            if timeout(GRACE, self.0.wait()).await.is_err() {
                // Its streams are closed, so it can do nothing useful any more.
                let _ = self.0.kill().await;
            }
            None
        })
    }
}

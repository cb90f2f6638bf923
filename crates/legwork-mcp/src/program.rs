//! A server that is a child process, which speaks over its standard input and output.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use legwork_port::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::connect::{Connect, Connected, Error, Peer};

/// How long a process may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// Bytes of standard error that are kept.
const WORDS: usize = 2_000;

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
        let said = tokio::spawn(last(words));
        Ok(Connected::streams(from, to, Process { child, said }))
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
struct Process {
    child: Child,
    said: JoinHandle<String>,
}

impl Peer for Process {
    fn end(mut self: Box<Self>) -> BoxFuture<'static, String> {
        Box::pin(async move {
            if timeout(GRACE, self.child.wait()).await.is_err() {
                // Its streams are closed, and it goes on: nobody needs it any more.
                let _ = self.child.kill().await;
            }
            // A child of its own may hold its standard error open.
            let said = timeout(GRACE, &mut self.said).await;
            said.ok().and_then(Result::ok).unwrap_or_default()
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.said.abort();
    }
}

/// The end of what is written to a standard error, once it is closed.
async fn last(mut words: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut bytes) = (VecDeque::new(), [0; 4_096]);
    while let Ok(count @ 1..) = words.read(&mut bytes).await {
        kept.extend(bytes.get(..count).unwrap_or_default());
        let old = kept.len().saturating_sub(WORDS);
        kept.drain(..old);
    }
    String::from_utf8_lossy(kept.make_contiguous()).trim().to_owned()
}

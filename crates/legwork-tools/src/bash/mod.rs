//! The `bash` tool: a shell command in the workspace, supervised and confined.

mod environment;
pub(crate) mod output;
mod watched;

#[cfg(test)]
mod tests;

pub use environment::Environment;

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use legwork_port::core::tool::{ExecutionMode, FailureKind};
use legwork_port::core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::sandbox::Confined;
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde::Deserialize;
use serde_json::json;

use crate::arguments::{parse, whole};
use crate::changes::Watch;
use crate::process::{self, End, Ended, Excess, Order};
use crate::sandbox::{Limits, Sandbox};
use crate::workspace::Workspace;

/// Seconds a command may run when the call does not say.
const LIMIT: u64 = 120;
/// Most seconds a call may ask for.
const LIMIT_MAX: u64 = 600;
/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(3);
/// Bytes of output shown, half from each end.
const SHOWN: usize = 30 * 1024;

/// Beyond what a call can take by itself, before the executor drops it.
const SLACK: Duration = Duration::from_secs(10);
/// Bytes that Linux keeps of a process's name (`TASK_COMM_LEN`).
const NAME_MAX: usize = 15;
/// Most bytes of one argument, its NUL included (`MAX_ARG_STRLEN` of Linux).
const COMMAND_MAX: usize = 128 * 1024;

const DESCRIPTION: &str = "Runs a command with bash in the root of the workspace and gives its \
    output, standard output and standard error in the order they came. Each call is a new shell \
    without a terminal or input; processes left in the background are killed when it ends. Of \
    long output the beginning and the end are kept.";

/// Why a command was not run; fit to be told to a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to run.
    #[error("the command is empty; give one")]
    Empty,
    /// A command cannot hold a NUL byte.
    #[error(
        "the command holds a NUL byte, which no command can; leave it out or print it with printf '\\0'"
    )]
    Nul,
    /// The command is longer than the system takes.
    #[error(
        "the command is {bytes} bytes long, more than the system takes ({COMMAND_MAX}); write it to a file and run that"
    )]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// There is no shell to run it with.
    #[error(
        "no command is run: there is no bash or sh on the PATH that was given; hand in one that has it"
    )]
    NoShell,
    /// It cannot be confined.
    #[error("{why}")]
    Confined {
        /// What the sandbox said, with what to do.
        why: String,
    },
    /// The shell could not be started, or its end not be learned.
    #[error(
        "the command could not be started or watched: {source}; check what it did before trying again"
    )]
    Start {
        /// What the operating system said.
        source: io::Error,
    },
}

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    #[serde(default, deserialize_with = "whole")]
    timeout: Option<u64>,
}

fn spec(sandbox: &Sandbox, grace: Duration) -> ToolSpec {
    let walls = match sandbox {
        Sandbox::By(walls) => format!(" The command runs in a sandbox: {}.", walls.rules()),
        Sandbox::Off => String::new(),
    };
    let limit = format!("Seconds it may run before it is ended; {LIMIT} unless told.");
    let parameters = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "description": "The command, as one would type it." },
            "timeout": { "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "description": limit }
        },
        "required": ["command"],
        "additionalProperties": false
    });
    // What the command was started for may need what an earlier call did, so
    // calls run one after the other. The limit is ours to keep; the one in the
    // spec stands behind it.
    ToolSpec::new("bash", format!("{DESCRIPTION}{walls}"), parameters)
        .effect(EffectClass::Once(OnDoubt::Ask))
        .mode(ExecutionMode::Sequential)
        .timeout(Duration::from_secs(LIMIT_MAX) + grace + process::KILLING + SLACK)
}

/// Runs shell commands in a workspace.
///
/// A command and everything that came of it die with the call: at its end, at
/// its limit, when the future is dropped, and when this process is killed.
/// The command sees the variables of its [`Environment`] and no others.
#[derive(Clone, Debug)]
pub struct Bash {
    workspace: Workspace,
    environment: Environment,
    sandbox: Sandbox,
    grace: Duration,
    shown: usize,
    limits: Limits,
    /// Whether the model knows what the sandbox does not hold.
    told: Arc<AtomicBool>,
    spec: Arc<ToolSpec>,
    watch: Arc<Watch>,
}

impl Bash {
    /// A tool that runs commands in `workspace`, behind the walls of `sandbox`.
    #[must_use]
    pub fn new(workspace: Workspace, environment: Environment, sandbox: Sandbox) -> Self {
        let spec = Arc::new(spec(&sandbox, GRACE));
        Self {
            workspace,
            environment,
            sandbox,
            grace: GRACE,
            shown: SHOWN,
            limits: Limits::default(),
            told: Arc::default(),
            spec,
            watch: Arc::default(),
        }
    }

    /// The same with another time between TERM and KILL; 3 seconds by default.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        let spec = Arc::new(spec(&self.sandbox, grace));
        Self { grace, spec, ..self }
    }

    /// The same with another number of bytes of output shown; 30 KB by default.
    #[must_use]
    pub fn with_output(self, shown: usize) -> Self {
        Self { shown, ..self }
    }

    /// The same with other limits of memory, processes and files.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Runs a command to its end. Dropping the future kills it.
    async fn run(&self, asked: Arguments) -> Result<(End, String), Error> {
        check(&asked.command)?;
        let limit = asked.timeout.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let (confined, walls) = self.confined(asked.command).await?;
        let order = Order {
            confined,
            limits: self.limits,
            environment: self.environment.clone(),
            directory: self.workspace.root().to_owned(),
            limit: Duration::from_secs(limit),
            grace: self.grace,
            shown: self.shown,
            walls,
        };
        let ended = process::run(order).await.map_err(|source| Error::Start { source })?;
        let end = ended.end;
        let mut text = told(ended, limit, self.limits);
        if let Some(gaps) = self.gaps() {
            text = with_note(text, &gaps);
        }
        Ok((end, text))
    }

    /// What the sandbox does not hold, told once.
    fn gaps(&self) -> Option<String> {
        let Sandbox::By(walls) = &self.sandbox else {
            return None;
        };
        let gaps = walls.gaps();
        let news = !gaps.is_empty() && !self.told.swap(true, Ordering::Relaxed);
        news.then(|| {
            format!("[the sandbox here, {}, does not hold: {}]", walls.name(), gaps.join("; "))
        })
    }

    /// The command behind walls, and the name of what builds them.
    async fn confined(&self, command: String) -> Result<(Confined, Option<Vec<u8>>), Error> {
        let mut line = self.shell().ok_or(Error::NoShell)?;
        line.push(command.into());
        let Sandbox::By(walls) = self.sandbox.clone() else {
            return Ok((line.into(), None));
        };
        let shell = line.first().cloned();
        let root = self.workspace.root().to_owned();
        let confined = tokio::task::spawn_blocking(move || walls.confine(&root, line)).await;
        let confined = confined
            .map_err(|error| Error::Start { source: error.into() })?
            .map_err(|why| Error::Confined { why })?;
        // Some sandboxes are a program around the command, some are none.
        let around = confined.command.first().filter(|program| Some(*program) != shell.as_ref());
        let name = around.and_then(|program| Path::new(program).file_name());
        let name = name.map(|name| name.as_bytes().iter().copied().take(NAME_MAX).collect());
        Ok((confined, name))
    }

    /// Bash without anybody's start files, or what the system has instead.
    fn shell(&self) -> Option<Vec<OsString>> {
        let bash = self.environment.program("bash").map(PathBuf::into_os_string);
        if let Some(bash) = bash {
            return Some(vec![
                bash,
                "--noprofile".into(),
                "--norc".into(),
                "-c".into(),
                "--".into(),
            ]);
        }
        let sh = self.environment.program("sh")?.into_os_string();
        Some(vec![sh, "-c".into(), "--".into()])
    }
}

impl Tool for Bash {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async {
            let arguments = match parse(call) {
                Ok(arguments) => arguments,
                Err(outcome) => return outcome,
            };
            let run = async {
                tokio::select! {
                // What has ended is told, also when it was cancelled just then.
                biased;
                ended = self.run(arguments) => match ended {
                    Ok((End::Exited(_) | End::Signalled(_), text)) => ToolOutcome::text(text),
                    Ok((End::Exceeded(_), text)) => ToolOutcome::failed(text),
                    Ok((_, text)) => ToolOutcome::Failed(FailureKind::Timeout, text),
                    Err(error) => ToolOutcome::failed(error.to_string()),
                },
                () = cx.cancellation.cancelled() => ToolOutcome::Interrupted,
                }
            };
            watched::watched(&self.watch, &self.workspace, cx, run).await
        })
    }
}

fn check(command: &str) -> Result<(), Error> {
    if command.trim().is_empty() {
        return Err(Error::Empty);
    }
    if command.contains('\0') {
        return Err(Error::Nul);
    }
    if command.len() >= COMMAND_MAX {
        return Err(Error::TooLong { bytes: command.len() });
    }
    Ok(())
}

fn told(ended: Ended, limit: u64, limits: Limits) -> String {
    let silent = ended.output.total() == 0;
    let text = ended.output.into_text();
    let note = match ended.end {
        End::Exited(0) if silent => "[no output]".to_owned(),
        End::Exited(0) => return text,
        End::Exited(code) => format!("[exit code {code}{}]", by_signal(code)),
        End::Signalled(signal) => format!("[killed by signal {signal}{}]", name(signal)),
        End::TimedOut => format!("[timed out after {limit} s, asked to end and did]"),
        End::Killed => {
            format!("[timed out after {limit} s and was killed, with all it had started]")
        }
        End::Stuck => {
            format!("[timed out after {limit} s; some of it could not be killed and may still run]")
        }
        End::Exceeded(Excess::Processes) => {
            format!("[killed: more than {} processes]", limits.processes)
        }
        End::Exceeded(Excess::Memory) => {
            format!("[killed: more than {} MiB of memory]", limits.memory >> 20)
        }
    };
    with_note(text, &note)
}

fn with_note(mut text: String, note: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text + note
}

/// A shell reports a child that was killed as 128 and the signal.
fn by_signal(code: i32) -> String {
    match code.checked_sub(128).filter(|signal| (1..=31).contains(signal)) {
        Some(signal) if !name(signal).is_empty() => {
            format!(": killed by signal {signal}{}", name(signal))
        }
        _ => String::new(),
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => ", SIGHUP",
        libc::SIGINT => ", SIGINT",
        libc::SIGQUIT => ", SIGQUIT",
        libc::SIGABRT => ", SIGABRT",
        libc::SIGKILL => ", SIGKILL",
        libc::SIGSEGV => ", SIGSEGV",
        libc::SIGPIPE => ", SIGPIPE",
        libc::SIGTERM => ", SIGTERM",
        libc::SIGXCPU => ", SIGXCPU",
        _ => "",
    }
}

//! The `bash` tool: a shell command in the workspace, supervised and confined.

pub mod background;
mod ending;
mod environment;
mod error;
mod output;
mod spec;
mod tail;
mod watched;
pub(crate) mod wording;

#[cfg(test)]
mod tests;

pub use ending::{EXIT_CODE, Ending, SIGNAL};
pub use environment::Environment;
pub use error::Error;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_port::core::tool::FailureKind;
use legwork_port::core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Undo};
use serde::Deserialize;
use serde_json::json;

use self::background::Background;
use self::output::Output;
use self::spec::spec;
use self::tail::Tail;
use self::wording::with_note;
use crate::arguments::whole;
use crate::changes::{UNWATCHED, Watch};
use crate::process::{End, Order, Running};
use crate::sandbox::{Limits, Sandbox};
use crate::undo::FileUndo;
use crate::workspace::Workspace;

/// Seconds a command may run when the call does not say.
const LIMIT: u64 = 120;
/// Most seconds a call may ask for.
const LIMIT_MAX: u64 = 600;
/// Seconds a command may run in the background when the call does not say; none may longer.
const BACKGROUND_MAX: u64 = 3_600;
/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(3);
/// Bytes of output shown, half from each end.
const SHOWN: usize = 30 * 1024;

/// Most bytes of one argument, its NUL included (`MAX_ARG_STRLEN` of Linux).
const COMMAND_MAX: usize = 128 * 1024;

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    #[serde(default, deserialize_with = "whole")]
    timeout: Option<u64>,
    background: Option<bool>,
}

/// Runs shell commands in a workspace.
///
/// A command and everything that came of it die with the call: at its end, at
/// its limit, when the future is dropped, and when this process is killed.
/// The command sees the variables of its [`Environment`] and no others. With a
/// [`Background`] commands may also be started there, and live on for a while.
#[derive(Clone, Debug)]
pub struct Bash {
    workspace: Workspace,
    environment: Environment,
    sandbox: Sandbox,
    grace: Duration,
    shown: usize,
    limits: Limits,
    /// The gaps of the sandbox that were reported to the model.
    reported: Arc<Mutex<BTreeSet<String>>>,
    spec: Arc<ToolSpec>,
    watch: Arc<Watch>,
    background: Option<Background>,
    undo: FileUndo,
}

impl Bash {
    /// A tool that runs commands in `workspace`, behind the walls of `sandbox`.
    #[must_use]
    pub fn new(workspace: Workspace, environment: Environment, sandbox: Sandbox) -> Self {
        let spec = Arc::new(spec(&sandbox, GRACE, None));
        let undo = FileUndo::new(workspace.clone()).leaving("what else the command did");
        Self {
            workspace,
            environment,
            sandbox,
            grace: GRACE,
            shown: SHOWN,
            limits: Limits::default(),
            reported: Arc::default(),
            spec,
            watch: Arc::default(),
            background: None,
            undo,
        }
    }

    /// The same with another time between TERM and KILL; 3 seconds by default.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        let spec = Arc::new(spec(&self.sandbox, grace, self.background.as_ref()));
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

    /// The same, and commands may be started in the background, to be read of by a
    /// [`BashOutput`](background::BashOutput) of the same.
    #[must_use]
    pub fn with_background(self, background: &Background) -> Self {
        let background = Some(background.clone());
        let spec = Arc::new(spec(&self.sandbox, self.grace, background.as_ref()));
        Self { background, spec, ..self }
    }

    /// Runs a command to its end. Dropping the future kills it.
    async fn run(&self, asked: Arguments, cx: &ToolContext) -> Result<(End, String), Error> {
        let limit = match asked.timeout.unwrap_or(LIMIT).max(1) {
            limit @ ..=LIMIT_MAX => limit,
            asked => return Err(Error::TooSlow { asked }),
        };
        let order = self.order(asked.command).await?;
        let running = Running::start(order, Tail::new(Output::new(self.shown), cx));
        let enough = tokio::time::sleep(Duration::from_secs(limit));
        let ended = running.map_err(Error::start)?.finish(enough).await;
        let (end, output) = ended.map_err(|source| Error::Watch { source })?;
        let text = result_text(end, output.into_output(), limit, self.limits);
        Ok((end, self.with_gaps(text)))
    }

    /// Starts a command in the background; returns the text for the model.
    async fn start(
        &self,
        asked: Arguments,
        background: &Background,
        cx: &ToolContext,
    ) -> Result<String, Error> {
        let limit = asked.timeout.unwrap_or(BACKGROUND_MAX).clamp(1, BACKGROUND_MAX);
        let command = asked.command.clone();
        let order = self.order(asked.command).await?;
        let limit = Duration::from_secs(limit);
        let text = background.start(order, &cx.key, &command, limit, self.shown)?;
        cx.attach(UNWATCHED, json!("it runs in the background"));
        Ok(self.with_gaps(text))
    }

    /// The command, confined, within its bounds.
    async fn order(&self, command: String) -> Result<Order, Error> {
        check(&command)?;
        let mut line = self.shell().ok_or(Error::NoShell)?;
        line.push(command.into());
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

    /// What the sandbox does not hold, and what it did for what it protects.
    fn with_gaps(&self, text: String) -> String {
        let Sandbox::By(walls) = &self.sandbox else { return text };
        let notes = walls.notes().into_iter().map(|note| format!("[{note}]"));
        self.gaps().into_iter().chain(notes).fold(text, |text, note| with_note(text, &note))
    }

    /// What came of a command that ran to its end.
    async fn ran(&self, asked: Arguments, cx: &ToolContext) -> ToolOutcome {
        let ran = self.run(asked, cx).await;
        if let Some(ending) = ran.as_ref().ok().and_then(|(end, _)| Ending::from_end(*end)) {
            ending.attach(cx);
        }
        match ran {
            Ok((End::Exited(_) | End::Signalled(_), text)) => ToolOutcome::text(text),
            Ok((End::Exceeded(_), text)) => ToolOutcome::failed(text),
            Ok((_, text)) => ToolOutcome::Failed(FailureKind::Timeout, text),
            Err(error) => ToolOutcome::failed(error.to_string()),
        }
    }

    /// The gaps of the sandbox, each reported once.
    fn gaps(&self) -> Option<String> {
        let Sandbox::By(walls) = &self.sandbox else {
            return None;
        };
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |gap: &String| reported.insert(gap.clone());
        let gaps: Vec<_> = walls.gaps().into_iter().filter(is_new).collect();
        let line =
            || format!("[the sandbox here, {}, does not hold: {}]", walls.name(), gaps.join("; "));
        (!gaps.is_empty()).then(line)
    }

    /// Bash without anybody's start files, or what the system has instead.
    fn shell(&self) -> Option<Vec<OsString>> {
        let writable = self.workspace.writable();
        let program = |name| self.environment.program_outside(name, &writable);
        let bash = program("bash").map(PathBuf::into_os_string);
        if let Some(bash) = bash {
            return Some(vec![
                bash,
                "--noprofile".into(),
                "--norc".into(),
                "-c".into(),
                "--".into(),
            ]);
        }
        let sh = program("sh")?.into_os_string();
        Some(vec![sh, "-c".into(), "--".into()])
    }
}

impl Tool for Bash {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(&self.undo)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async {
            let arguments: Arguments = match cx.arguments(call) {
                Ok(arguments) => arguments,
                Err(outcome) => return outcome,
            };
            match (&self.background, arguments.background) {
                (Some(background), Some(true)) => {
                    let start = self.start(arguments, background, cx);
                    unless_cancelled(cx, async {
                        start.await.map_or_else(
                            |error| ToolOutcome::failed(error.to_string()),
                            ToolOutcome::text,
                        )
                    })
                    .await
                }
                (None, Some(true)) => ToolOutcome::failed(Error::NoBackground.to_string()),
                _ => {
                    let run = unless_cancelled(cx, self.ran(arguments, cx));
                    watched::watched(&self.watch, &self.workspace, cx, run).await
                }
            }
        })
    }
}

/// The outcome of the work, or that it was interrupted.
async fn unless_cancelled(
    cx: &ToolContext,
    work: impl Future<Output = ToolOutcome>,
) -> ToolOutcome {
    tokio::select! {
        // What has ended is returned, even if it was cancelled at that moment.
        biased;
        done = work => done,
        () = cx.cancellation.cancelled() => ToolOutcome::Interrupted,
    }
}

fn result_text(end: End, output: Output, limit: u64, limits: Limits) -> String {
    let silent = output.total() == 0;
    let text = output.into_text();
    let note = match end {
        End::Exited(0) if silent => "no output".to_owned(),
        End::Exited(0) => return text,
        end => wording::by_itself(end, limits).unwrap_or_else(|| wording::timed_out(end, limit)),
    };
    with_note(text, &format!("[{note}]"))
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

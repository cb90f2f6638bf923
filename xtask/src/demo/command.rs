//! The `legwork` command as a child: run it, follow its events, kill it.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::model::Model;

#[cfg(test)]
mod tests;

/// How often the demo looks whether it is time to kill.
const LOOK: Duration = Duration::from_millis(10);

/// A run that takes longer hangs; a small model on a slow machine stays below.
const LIMIT: Duration = Duration::from_secs(600);

/// The command with everything that each call of it gets.
pub(super) struct Legwork {
    pub(super) program: PathBuf,
    /// Where the store and the agents' folders lie.
    pub(super) folder: PathBuf,
    pub(super) model: Model,
    pub(super) sandbox: Sandbox,
}

/// Whether the shell tool can be confined here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sandbox {
    Bubblewrap,
    Off,
}

impl Sandbox {
    /// Tries bubblewrap as the shell tool needs it.
    pub(super) fn find() -> Self {
        let tried = Command::new("bwrap")
            .args(["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"])
            .args(["--unshare-all", "--cap-drop", "ALL", "true"])
            .stdin(Stdio::null())
            .output();
        match tried {
            Ok(output) if output.status.success() => Self::Bubblewrap,
            _ => Self::Off,
        }
    }

    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap confines the shell tool",
            Self::Off => "bubblewrap does not work here, so the demo runs with --sandbox off",
        }
    }
}

/// What one call of the command came to.
pub(super) struct Run {
    pub(super) session: Option<String>,
    pub(super) resumed_from: Option<String>,
    pub(super) text: Option<String>,
    pub(super) ended: Ended,
}

#[derive(Clone, Copy)]
pub(super) enum Ended {
    Killed,
    ByItself(ExitStatus),
}

impl Legwork {
    /// Begins a session; `is_time` says when to kill, asked with each event's type and between.
    pub(super) fn run(
        &self,
        task: &str,
        folder: &Path,
        is_time: impl Fn(Option<&str>) -> bool,
    ) -> Result<Run, String> {
        let mut command = self.command(&["run"]);
        command.arg("--json").args(["--model", &self.model.name]);
        if let Some(base_url) = &self.model.base_url {
            command.args(["--base-url", base_url]);
        }
        command.arg("--dir").arg(folder);
        if self.sandbox == Sandbox::Off {
            command.args(["--sandbox", "off"]);
        }
        command.arg(task);
        follow(&mut command, is_time)
    }

    /// Goes on with a session, and tells the model of a call in doubt.
    pub(super) fn resume(&self, session: &str, folder: &Path) -> Result<Run, String> {
        let mut command = self.command(&["resume"]);
        command.args(["--json", "--on-doubt", "tell"]);
        command.arg(session).current_dir(folder);
        let mut run = follow(&mut command, |_| false)?;
        run.resumed_from = Some(session.to_owned());
        Ok(run)
    }

    /// Shows a session as the command shows it to a person.
    pub(super) fn show(&self, session: &str) -> Result<(), String> {
        let mut command = self.command(&["sessions", "show"]);
        command.arg(session);
        println!("$ {}", line_of(&command));
        let status = command.status().map_err(|error| format!("cannot start legwork: {error}"))?;
        if status.success() {
            return Ok(());
        }
        Err(format!("`legwork sessions show` ended with {status}"))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let store = self.folder.join("demo.db");
        command.args(words);
        command.arg("--store").arg(format!("sqlite:{}", store.display()));
        if self.model.base_url.is_some() && env::var_os("OPENAI_API_KEY").is_none() {
            // Servers on loopback take any key.
            command.env("OPENAI_API_KEY", "none");
        }
        command
    }
}

/// Shows the events of a run as they come, and kills it when it is time.
fn follow(command: &mut Command, is_time: impl Fn(Option<&str>) -> bool) -> Result<Run, String> {
    println!("$ {}", line_of(command));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start legwork: {error}"))?;
    let events = events(&mut child);
    let mut run = Run { session: None, resumed_from: None, text: None, ended: Ended::Killed };
    let start = Instant::now();
    loop {
        let news = match events.recv_timeout(LOOK) {
            Ok(event) => run.take(&event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let late = start.elapsed() > LIMIT;
        if late || is_time(news.as_deref()) {
            return kill(child, run, late);
        }
    }
    let status = child.wait().map_err(|error| format!("lost legwork: {error}"))?;
    run.ended = Ended::ByItself(status);
    Ok(run)
}

fn kill(mut child: Child, run: Run, late: bool) -> Result<Run, String> {
    // On Unix this is SIGKILL: nothing of the process gets to say goodbye.
    let killed = child.kill().and_then(|()| child.wait());
    killed.map_err(|error| format!("cannot kill legwork: {error}"))?;
    if late {
        return Err(format!("no end after {} s", LIMIT.as_secs()));
    }
    Ok(run)
}

fn events(child: &mut Child) -> Receiver<Value> {
    let (send, receive) = mpsc::channel();
    let out = child.stdout.take();
    thread::spawn(move || {
        let lines = out.map(BufReader::new).into_iter().flat_map(BufRead::lines);
        for line in lines.map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(event) => {
                    if send.send(event).is_err() {
                        return;
                    }
                }
                Err(_) => println!("  {line}"),
            }
        }
    });
    receive
}

impl Run {
    /// Shows an event, keeps what matters of it, and gives its type.
    fn take(&mut self, event: &Value) -> Option<String> {
        let field = |name| event.get(name).and_then(Value::as_str);
        let kind = field("type")?;
        if let Some(session) = field("session") {
            self.session.get_or_insert_with(|| session.to_owned());
        }
        match kind {
            "text_delta" => {}
            "execution_finished" => {
                self.text = field("text").map(str::to_owned);
                println!("  {kind}: {}", facts(event, &["status", "stop_reason", "text"]));
            }
            _ => println!(
                "  {kind} {}",
                facts(event, &["step", "tool", "name", "arguments", "outcome"])
            ),
        }
        Some(kind.to_owned())
    }
}

/// The fields that are there, as `name value`.
fn facts(event: &Value, names: &[&str]) -> String {
    let known = names.iter().filter_map(|name| Some((name, event.get(name)?)));
    let words = known.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name} {text}"),
        None => format!("{name} {value}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The command as a person would type it.
fn line_of(command: &Command) -> String {
    let args = command.get_args().map(|arg| {
        let text = arg.to_string_lossy();
        if text.contains([' ', '`']) { format!("'{text}'") } else { text.into_owned() }
    });
    format!("legwork {}", args.collect::<Vec<_>>().join(" "))
}

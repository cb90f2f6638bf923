//! The `legwork` command as a child, with what each call of it gets.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::model::Model;
use super::run::{Run, follow, line_of};
use crate::cargo;

/// The command with everything that each call of it gets.
pub(super) struct Legwork {
    pub(super) program: PathBuf,
    /// Where the store and the agents' folders lie.
    pub(super) folder: PathBuf,
    pub(super) model: Model,
    pub(super) sandbox: Sandbox,
}

/// Whether the shell tool can be confined here.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Sandbox {
    /// The one that `--sandbox auto` takes.
    Auto(String),
    Off,
}

impl Sandbox {
    /// The one that works here, by the command's own word.
    pub(super) fn find(program: &Path) -> Self {
        let output = Command::new(program)
            .args(["doctor", "--offline", "--json", "--store", "memory:"])
            .stdin(Stdio::null())
            .output();
        let report =
            output.ok().and_then(|output| serde_json::from_slice::<Value>(&output.stdout).ok());
        let name = report.and_then(|report| Some(report.get("sandbox")?.as_str()?.to_owned()));
        name.map_or(Self::Off, Self::Auto)
    }

    pub(super) fn description(&self) -> String {
        match self {
            Self::Auto(name) => format!("{name} confines the shell tool"),
            Self::Off => "no sandbox works here, so the demo runs with --sandbox off".to_owned(),
        }
    }
}

impl Legwork {
    /// Begins a session with a task, and all tools or these; `is_time` says when to kill, asked with each event and between.
    pub(super) fn run(
        &self,
        (task, tools): (&str, Option<&str>),
        folder: &Path,
        is_time: impl Fn(Option<&Value>) -> bool,
    ) -> Result<Run, String> {
        let mut command = self.command(&["run"]);
        command.arg("--json").args(["--model", &self.model.name]);
        self.place(&mut command, folder);
        if let Some(tools) = tools {
            command.args(["--tools", tools]);
        }
        command.arg(task);
        follow(&mut command, is_time)
    }

    /// Has the model answer with a value that fits a schema; gives what was printed.
    pub(super) fn value(
        &self,
        (task, tools): (&str, &str),
        folder: &Path,
        schema: &Path,
    ) -> Result<String, String> {
        let mut command = self.command(&["run"]);
        command.arg("--output-schema").arg(from_root(schema)).args(["--model", &self.model.name]);
        self.place(&mut command, folder);
        command.args(["--output-mode", "schema", "--tools", tools, task]);
        println!("$ {}", line_of(&command));
        let ended = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let ended = ended.map_err(|error| format!("cannot start legwork: {error}"))?;
        if !ended.status.success() {
            return Err(format!("it ended with {}", ended.status));
        }
        Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
    }

    /// Goes on with a session, and tells the model of a call in doubt.
    pub(super) fn resume(&self, session: &str, folder: &Path) -> Result<Run, String> {
        let mut command = self.command(&["resume"]);
        command.args(["--json", "--on-doubt", "tell"]);
        self.place(&mut command, folder);
        command.arg(session);
        let mut run = follow(&mut command, |_| false)?;
        run.resumed_from = Some(session.to_owned());
        Ok(run)
    }

    /// What a journal does not say: where the model is, where it works, and that nothing
    /// confines it.
    fn place(&self, command: &mut Command, folder: &Path) {
        if let Some(base_url) = &self.model.base_url {
            command.args(["--base-url", base_url]);
        }
        command.arg("--dir").arg(from_root(folder));
        if self.sandbox == Sandbox::Off {
            command.args(["--sandbox", "off"]);
        }
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
        command.args(words).current_dir(cargo::root());
        command.arg("--store").arg(format!("sqlite:{}", from_root(&store).display()));
        if let Some(key) = self.model.key {
            command.env("OPENAI_API_KEY", key);
        }
        command
    }
}

/// The path as it is short to read at the root, where the command runs.
fn from_root(path: &Path) -> PathBuf {
    let short = path.strip_prefix(cargo::root()).map(Path::to_path_buf);
    short.unwrap_or_else(|_| path.to_owned())
}

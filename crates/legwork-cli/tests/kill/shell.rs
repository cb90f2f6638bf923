//! The `legwork` command, whose model appends each number with one `bash` call.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use legwork_testkit::Turn;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::{Value, json};

use crate::kill::{Kill, Point, Side};
use crate::observed::Observed;
use crate::scene::{Program, Scene, is_event};

/// Appends a number; stands still before or after it where a test wants that.
const APPEND: &str = "\
stand() { if [ -e hold-$1 ]; then echo $1 > observed; read -r _ < go; fi; }
stand before-$1
echo $1 >> numbers
stand after-$1
";

/// The `legwork` command.
pub(crate) struct Shell;

/// What keeps a command where it stands.
pub(crate) struct Stop {
    flag: PathBuf,
    /// A lock on the store: nobody commits.
    _lock: Option<Connection>,
}

impl Drop for Stop {
    fn drop(&mut self) {
        fs::remove_file(&self.flag).unwrap();
    }
}

impl Program for Shell {
    type Stop = Stop;

    fn prepare(folder: &Path) {
        fs::write(folder.join("append.sh"), APPEND).unwrap();
    }

    fn call(number: usize) -> Turn {
        let command = json!({"command": format!("sh append.sh {number}")});
        Turn::call("bash", command).with_text(format!("I append number {number}."))
    }

    fn command(scene: &Scene<Self>) -> Command {
        match &scene.session {
            Some(session) => scene.legwork(&["resume", "--json", "--on-doubt", "tell", session]),
            None => scene.begin(),
        }
    }

    fn stop(scene: &mut Scene<Self>, kill: Kill) -> Stop {
        let side = match (kill.point, kill.side) {
            (Point::Intent, Side::Before) => "before",
            _ => "after",
        };
        let place = format!("{side}-{}", kill.number);
        let flag = scene.work().join(format!("hold-{place}"));
        File::create(&flag).unwrap();
        scene.start();
        scene.until(&place, |observed| matches!(observed, Observed::Stopped(at) if *at == place));
        if kill.point != Point::Outcome {
            return Stop { flag, _lock: None };
        }
        // The outcome can be told, but not be committed.
        let lock = Connection::open(scene.store()).unwrap();
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        fs::write(scene.work().join("go"), "\n").unwrap();
        scene.until("the outcome", |observed| is_event(observed, "tool_finished", kill.number));
        Stop { flag, _lock: Some(lock) }
    }
}

impl Scene<Shell> {
    pub(crate) fn store(&self) -> PathBuf {
        self.file("sessions.db")
    }

    /// The command on the scene's store, with nothing in its environment but a path.
    pub(crate) fn legwork(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_legwork"));
        command.args(args).arg("--store").arg(format!("sqlite:{}", self.store().display()));
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("LEGWORK_SANDBOX", "off").env("OPENAI_BASE_URL", self.server.base_url());
        command.current_dir(self.work());
        command
    }

    /// The command that begins a session; no step may be lost, for it gets no more.
    pub(crate) fn begin(&self) -> Command {
        let mut command = self.legwork(&["run", "--json", "--model", "test:scripted"]);
        command.args(["--max-steps", "11", "Append the numbers from 1 to 10."]);
        command
    }

    /// The lines that were appended.
    pub(crate) fn numbers(&self) -> Vec<String> {
        let text = fs::read_to_string(self.work().join("numbers")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The entries of the session's journal.
    pub(crate) fn entries(&self) -> Vec<Value> {
        self.journal(|args| self.legwork(args))
    }

    /// Finds the session that a process may have begun without our hearing of it.
    pub(crate) fn look(&mut self) {
        if self.session.is_some() || !self.store().exists() {
            return;
        }
        let store = Connection::open(self.store()).unwrap();
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'journal'";
        if store.query_one(tables, (), |row| row.get::<_, u32>(0)).unwrap() == 0 {
            return;
        }
        // A row's key begins with its session's number. One that was claimed and has no
        // entries did not begin yet.
        let begun = "SELECT name FROM session WHERE id IN (SELECT id >> 32 FROM journal)";
        self.session = store.query_one(begun, (), |row| row.get(0)).optional().unwrap();
    }
}

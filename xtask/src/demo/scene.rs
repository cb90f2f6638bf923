//! One task: begun, killed, resumed, shown.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::Legwork;
use super::run::{Ended, Run};

/// The folder's files: what is read, and what is run (slowly, to be killed in time).
const ORDERS: &str = "apples 12\npears 30\nplums 58\n";
const TALLY: &str = "\
# Adds up the orders. Slow, so that it can be killed while it runs.
echo started >> tally.log
sleep 2
awk '{ total += $2 } END { print \"total\", total }' orders.txt
";

/// A file of this repository, to be asked about.
const SETTINGS: &str = include_str!("../../../rustfmt.toml");

/// When the process is killed.
#[derive(Clone, Copy)]
pub(super) enum Kill {
    /// While the shell command runs.
    InsideTheCommand,
    /// When the first step is journaled, its tools' results with it.
    AfterTheFirstStep,
}

/// A task, when it is killed, and what a right answer has in it.
pub(super) struct Scene {
    pub(super) title: &'static str,
    folder: &'static str,
    task: &'static str,
    /// The tools it may use; none for all. A small model is lost among many.
    tools: Option<&'static str>,
    kill: Kill,
    answer: &'static str,
}

/// For a model that can take several steps.
pub(super) const WHOLE: &[Scene] = &[Scene {
    title: "read, run, answer",
    folder: "whole",
    task: "Read the file orders.txt. Then run the command `sh tally.sh` and tell me the total \
           that it prints.",
    tools: None,
    kill: Kill::InsideTheCommand,
    answer: "100",
}];

/// For a small model, which is good for a step at a time.
pub(super) const ONE_STEP: &[Scene] = &[
    Scene {
        title: "read and answer",
        folder: "read",
        task: "Read the file orders.txt and tell me the number that stands beside pears.",
        tools: Some("read"),
        kill: Kill::AfterTheFirstStep,
        answer: "30",
    },
    Scene {
        title: "answer from a file of this repository",
        folder: "repository",
        task: "Read the file rustfmt.toml and tell me the number that stands beside max_width.",
        tools: Some("read"),
        kill: Kill::AfterTheFirstStep,
        answer: "100",
    },
    Scene {
        title: "run and answer",
        folder: "run",
        task: "Run the command `sh tally.sh` and tell me the total that it prints.",
        tools: Some("read,bash"),
        kill: Kill::AfterTheFirstStep,
        answer: "100",
    },
];

impl Scene {
    /// Plays it, and says what was not as it should be.
    pub(super) fn play(&self, legwork: &Legwork) -> Result<(), String> {
        println!("\n== {}\ntask: {}\n", self.title, self.task);
        let folder = legwork.folder.join(self.folder);
        prepare(&folder)?;
        let log = folder.join("tally.log");
        let first =
            legwork.run((self.task, self.tools), &folder, |news| self.is_time(news, &log))?;
        let session = first.session.clone().ok_or("the run told no session id")?;
        let last = match first.ended {
            Ended::Killed => {
                println!("  -- killed with SIGKILL {}\n", self.moment());
                legwork.resume(&session, &folder)?
            }
            Ended::ByItself(_) => first,
        };
        println!();
        legwork.show(&session)?;
        let starts = fs::read_to_string(&log).map_or(0, |text| text.lines().count());
        println!("\nthe command was started {starts} times");
        self.judge(&last)
    }

    fn is_time(&self, news: Option<&Value>, log: &Path) -> bool {
        match self.kill {
            Kill::InsideTheCommand => log.exists(),
            Kill::AfterTheFirstStep => news.is_some_and(goes_on),
        }
    }

    fn moment(&self) -> &'static str {
        match self.kill {
            Kill::InsideTheCommand => "while the command ran",
            Kill::AfterTheFirstStep => "after the first step",
        }
    }

    fn judge(&self, last: &Run) -> Result<(), String> {
        if last.resumed_from.is_none() {
            return Err(format!("the model ended before it could be killed {}", self.moment()));
        }
        let Ended::ByItself(status) = last.ended else {
            return Err("the resumed run was killed too".to_owned());
        };
        if !status.success() {
            return Err(format!("the resumed run ended with {status}"));
        }
        let text = last.text.as_deref().unwrap_or_default();
        if !text.contains(self.answer) {
            return Err(format!("the answer should have {} in it, but is: {text:?}", self.answer));
        }
        Ok(())
    }
}

/// Whether an event tells of a step that is journaled and not the last.
fn goes_on(event: &Value) -> bool {
    event["type"] == "step_finished" && event["continues"] == true
}

fn prepare(folder: &PathBuf) -> Result<(), String> {
    let cannot = |error| format!("cannot write into {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot)?;
    fs::write(folder.join("rustfmt.toml"), SETTINGS).map_err(cannot)?;
    fs::write(folder.join("orders.txt"), ORDERS).map_err(cannot)?;
    fs::write(folder.join("tally.sh"), TALLY).map_err(cannot)
}

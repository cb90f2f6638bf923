//! Notes names in a ledger, each exactly once, even if the process is killed and resumed.
//!
//! ```text
//! keyed run FOLDER "Note apples, pears and plums"
//! keyed resume FOLDER
//! ```
//!
//! After a crash a call that was running is in doubt: its effect may or may not have happened.
//! An `idempotent` tool is run again with the same key: if the ledger has a line with that key,
//! it does not change, and the result is the same.

#![allow(clippy::print_stdout, reason = "a program that is run on a terminal")]

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use legwork::port::Model;
use legwork::prelude::*;

/// The file of the names; the model never sees it.
struct Ledger(PathBuf);

impl Ledger {
    /// Appends a line with a key, unless there is one.
    fn note(&self, key: &str, name: &str) -> io::Result<()> {
        let written = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        if written.lines().any(|line| line.split_once(' ').is_some_and(|(k, _)| k == key)) {
            return Ok(());
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0)?;
        // A single write, so that a killed process leaves no part of a line.
        file.write_all(format!("{key} {name}\n").as_bytes())?;
        file.sync_all()
    }
}

/// Notes a name in the ledger.
#[tool(idempotent)]
async fn note(name: String, cx: &ToolContext) -> Result<String, String> {
    let ledger = cx.dep::<Ledger>().ok_or("the agent was given no ledger")?;
    ledger.note(&cx.key.to_string(), &name).map_err(|error| error.to_string())?;
    cx.progress("noted");
    Ok(format!("{name} is noted"))
}

/// The agent, with its ledger and its store in a folder.
pub(crate) fn agent(model: impl Model + 'static, folder: &Path) -> legwork::Result<Agent> {
    let agent = Agent::builder(model)
        .instructions("You note names in a ledger, with one call for each.")
        .tools([note])
        .dep(Ledger(folder.join("ledger.txt")))
        .store(format!("sqlite:{}", folder.join("ledger.db").display()))
        .build()?;
    Ok(agent)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let model = || model::from_env("openai:gpt-5-mini");
    let run = match args.as_slice() {
        ["run", folder, task] => {
            agent(model()?, Path::new(folder))?.run(*task).in_session("ledger").await?
        }
        ["resume", folder] => agent(model()?, Path::new(folder))?.resume("ledger").await?,
        _ => return Err("give `run FOLDER TASK` or `resume FOLDER`".into()),
    };
    println!("{}", run.text());
    Ok(())
}

//! A process is killed in the middle of its work; another one goes on, and does nothing twice.
//!
//! The program runs itself, once for each of the two. A script takes the place of the model; for a
//! real one, use `Agent::builder(model::from_env("openai:gpt-5-mini")?)` without a driver.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::fs::OpenOptions;
use std::future::pending;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use serde_json::json;

/// Where letters are posted, and in which of the two processes.
struct Desk {
    letters: PathBuf,
    verb: String,
}

/// Posts a letter.
#[tool]
async fn post(to: String, desk: Dep<Desk>) -> Result<(), std::io::Error> {
    println!("{}: posts a letter to {to}", desk.verb);
    let mut letters = OpenOptions::new().create(true).append(true).open(&desk.letters)?;
    writeln!(letters, "{to}")
}

/// Looks whether an answer came. The first process waits for it until it is killed.
#[tool(read_only)]
async fn look(desk: Dep<Desk>) -> &'static str {
    println!("{}: looks whether an answer came", desk.verb);
    if desk.verb == "run" { pending().await } else { "Bob says yes." }
}

fn agent(verb: &str, folder: &Path) -> legwork::Result<Agent> {
    let to = |name: &str| Line::call("post", json!({"to": name}));
    let waits = Line::call("look", json!({}));
    let script = Scripted::new([to("Ann"), to("Bob"), waits, Line::text("Both know, Bob comes.")]);
    let agent = Agent::builder(NoModel).driver(script).tools([post, look]);
    let desk = Desk { letters: folder.join("letters.txt"), verb: verb.to_owned() };
    Ok(agent.dep(desk).store(format!("sqlite:{}", folder.join("desk.db").display())).build()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [verb, folder] = &args[..] else { return kill_and_resume() };
    let agent = agent(verb, Path::new(folder))?;
    let run = match verb.as_str() {
        "run" => agent.run("Invite Ann and Bob.").in_session("party").await?,
        _ => agent.resume("party").await?,
    };
    println!("{verb}: {}", run.text());
    Ok(())
}

fn kill_and_resume() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let program = |verb| {
        let mut program = Command::new(std::env::current_exe()?);
        program.arg(verb).arg(folder.path());
        Ok::<_, std::io::Error>(program)
    };
    let mut first = program("run")?.stdout(Stdio::piped()).spawn()?;
    for line in BufReader::new(first.stdout.take().ok_or("no output")?).lines() {
        let line = line?;
        println!("{line}");
        if line.contains("looks") {
            first.kill()?;
        }
    }
    println!("the process was killed: {}", !first.wait()?.success());
    program("resume")?.status()?;
    let letters = std::fs::read_to_string(folder.path().join("letters.txt"))?;
    println!("posted: {}", letters.lines().collect::<Vec<_>>().join(", "));
    Ok(())
}

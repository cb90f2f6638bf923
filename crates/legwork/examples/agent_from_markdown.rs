//! An agent defined in a Markdown file, with the models and tools of the program.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::definition::{Definitions, Location, Parts};
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};

/// The content of a file that is usually `.legwork/agents/clerk.md`.
const CLERK: &str = "---
name: clerk
description: Counts words
model: scripted:small
tools: [count_words]
budget:
  steps: 5
---

Count, do not guess.
";

/// Counts the words of a text.
#[tool]
async fn count_words(text: String) -> usize {
    text.split_whitespace().count()
}

/// Turns a text around.
#[tool]
async fn reverse(text: String) -> String {
    text.chars().rev().collect()
}

/// The models that a file may name; a program would use `model::from_env(name)`.
fn models(name: &str) -> Result<ScriptedModel, String> {
    let call = serde_json::json!({"text": "to be or not to be"});
    let turns = [Turn::call("count_words", call), Turn::text("Six.")];
    match name {
        "scripted:small" => Ok(ScriptedModel::new(turns).named(name)),
        _ => Err("only scripted:small is here".to_owned()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("clerk.md"), CLERK)?;
    let wrong = CLERK.replace("name: clerk", "name: wrong").replace("count_words", "count_word");
    std::fs::write(folder.path().join("wrong.md"), wrong)?;

    let agents = Definitions::load(&[Location::given(folder.path())]);
    let parts = Parts::new(agents).models(models).tools([count_words]).tools([reverse]);
    for problem in parts.agent("wrong").err().into_iter().flatten() {
        println!("{}: {}; {}", problem.field.unwrap_or_default(), problem.message, problem.mend);
    }
    let agent = parts.agent("clerk")?.build()?;
    println!("{} by {}", agent.id(), agent.definition().settings.model);
    println!("{}", agent.run("How many words has \"to be or not to be\"?").await?.text());
    Ok(())
}

//! An agent that loads a skill when it needs one, and may then only do what the skill allows.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::definition::{Location, SkillCatalog};
use legwork::prelude::*;
use legwork::skills::{Active, Skills};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

/// The content of a file that is usually `.legwork/skills/proofread/SKILL.md`.
const SKILL: &str = "---
name: proofread
description: Corrects spelling. Use it for every text that goes to a customer.
allowed-tools: look_up
arguments: [language]
---

The text is in $language. Look up what you are not sure of, and change nothing else.
";

/// Looks a word up.
#[tool]
async fn look_up(word: String) -> String {
    format!("{word} is right")
}

/// Sends a text.
#[tool]
async fn send(text: String) -> String {
    format!("sent {text}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("proofread"))?;
    std::fs::write(folder.path().join("proofread/SKILL.md"), SKILL)?;
    let load = |arguments: &str| json!({"name": "proofread", "arguments": arguments});
    let model = ScriptedModel::new([
        Turn::call("load_skill", load("English")),
        Turn::calls([("look_up", json!({"word": "necessary"})), ("send", json!({"text": "x"}))]),
        Turn::call("load_skill", json!({"name": "none"})),
        Turn::call("send", json!({"text": "It is necessary."})),
        Turn::text("Done."),
    ]);
    let agent = Agent::builder(model.clone())
        .tools([look_up])
        .tools([send])
        .capability(Skills::of(&SkillCatalog::load(&[Location::given(folder.path())])))
        .build()?;
    let mut active = agent.run("Send that it is necessary.").open().await?;
    while let Some(state) = active.next().await? {
        let skill = Active::of(&state)?.and_then(|active| active.name);
        let shown = model.asked().pop().map(|asked| asked.tools.join(", ")).unwrap_or_default();
        println!("with {shown} (then under {})", skill.as_deref().unwrap_or("none"));
        for execution in state.last_step_result().iter().flat_map(|r| r.step.tool_executions()) {
            let text = execution.outcome.to_text().to_string();
            println!("  {}: {}", execution.call.name, text.lines().next().unwrap_or_default());
        }
    }
    Ok(())
}

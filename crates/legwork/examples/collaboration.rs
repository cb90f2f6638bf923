//! A writer and a critic work on one goal; a lead decides who works next, and when to end.
//!
//! The models are scripted, so that this runs without a key. For a real model, use
//! `model::from_env("openai:gpt-5-mini")?` in place of one.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

/// Counts the words of a text.
#[tool(read_only)]
async fn count_words(text: String) -> usize {
    text.split_whitespace().count()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let lead = ScriptedModel::new([
        Turn::call("assign", json!({"to": "Will", "task": "write a slogan of four words"})),
        Turn::call("assign", json!({"to": "Cora", "task": "check it"})),
        Turn::call("conclude", json!({"result": "Agents that finish things."})),
    ]);
    let writer = ScriptedModel::new([Turn::text("Agents that finish things.")]);
    let critic = ScriptedModel::new([
        Turn::call("count_words", json!({"text": "Agents that finish things."})),
        Turn::text("Four words, and true."),
    ]);

    let critic = Agent::builder(critic).instructions("You check facts.").tools([count_words]);
    let collaboration = Collaboration::builder()
        .member("Will", "writes", Agent::builder(writer).build()?)
        .member("Cora", "checks what was written", critic.build()?)
        .lead("Lea", Agent::builder(lead).instructions("You lead, and are brief.").build()?)
        .turns(10)
        .build()?;

    let mut run = collaboration.iterate("A slogan for Legwork.");
    while let Some(state) = run.next().await? {
        if let Some(turn) = state.last_step_result() {
            println!("{}: {}", turn.step.speaker, turn.step.text());
        }
    }

    let state = run.state();
    println!("result: {}", state.result().unwrap_or_default());
    println!("{} turns, {} tool calls", state.step_count(), state.used().tool_calls);
    Ok(())
}

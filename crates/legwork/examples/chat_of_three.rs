//! A chat of two models and a script, until the script says a word.
//!
//! The models are scripted, so that this runs without a key. For a real model, use
//! `model::from_env("openai:gpt-5-mini")?` in place of one.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let ada = played(["Rust: it finds my mistakes.", "The compiler teaches it."]);
    let bob = played(["Python: it is there at once.", "Then let us teach Rust."]);
    let chat = Chat::builder()
        .participant(Participant::model("Ada", ada, "You like Rust. Say one sentence."))
        .participant(Participant::model("Bob", bob, "You like Python. Say one sentence."))
        .participant(Participant::scripted("Cleo", ["Who teaches it?", "SETTLED: Rust."]))
        .until_said("SETTLED")
        .budget(Budget::unlimited().steps(12).tokens(20_000))
        .build()?;

    let mut run = chat.iterate("Which language shall the course teach?");
    while let Some(state) = run.next().await? {
        if let Some(turn) = state.last_step_result() {
            println!("{}: {}", turn.step.speaker, turn.step.text());
        }
        // The state is a value: if it is kept, `chat.resume(..)` goes on from it.
    }

    let state = run.state();
    println!("{} turns, {} tokens", state.step_count(), state.used().total_tokens());
    if let Some(outcome) = state.continuation_outcome() {
        println!("{}", outcome.explain());
    }
    Ok(())
}

/// A model that answers with these lines, in order.
fn played<const N: usize>(lines: [&str; N]) -> ScriptedModel {
    ScriptedModel::new(lines.map(Turn::text))
}

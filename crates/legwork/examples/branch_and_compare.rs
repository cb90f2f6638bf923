//! One session is forked at an entry, both ways are taken at the same time, and compared.
//!
//! A script takes the place of the model, so that this runs anywhere and costs nothing. For a real
//! model, use `Agent::builder(model::from_env("openai:gpt-5-mini")?)`.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Arc;

use legwork::agent::memory::MemoryStore;
use legwork::core::Usage;
use legwork::core::budget::{MicroUsd, Price};
use legwork::port::model::Profile;
use legwork::prelude::*;
use legwork_testkit::{Script, ScriptedModel, Turn};

/// Answers what it was asked last; a longer answer costs more.
fn scripted() -> ScriptedModel {
    let script = Script::from_fn(|asked| {
        let (words, output) = match asked.last() {
            last if last.contains("one word") => ("Quill", 10_000),
            last if last.contains("a sentence") => ("Quill, as it writes all of it down.", 90_000),
            _ => ("It keeps a journal.", 20_000),
        };
        Turn::text(words).with_usage(Usage { input: 50_000, output, ..Usage::default() })
    });
    let price = Price::new(MicroUsd::from_usd(1.0), MicroUsd::from_usd(10.0));
    ScriptedModel::new(script).with_profile(Profile::new().with_prices(price))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let agent = Agent::builder(scripted()).store_in(Arc::new(MemoryStore::new())).build()?;
    let session = agent.session("name");
    println!("{}", session.run("What does the program do?").await?.text());

    // Each fork has the conversation up to here, and a journal and costs of its own.
    let here = session.state().await?.head();
    let (short, long) = (session.fork(here).await?, session.fork(here).await?);
    let runs = tokio::join!(short.run("Name it in one word."), long.run("Name it in a sentence."));
    for run in [runs.0?, runs.1?] {
        println!("{}: {}", run.session_used().cost, run.text());
    }

    let before = session.state().await?;
    println!("{}: the session that was forked is as it was", before.session_used().cost);
    Ok(())
}

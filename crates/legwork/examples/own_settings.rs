//! A model whose key and address come from the environment, and whose other settings are its own.
//!
//! `OPENAI_API_KEY=... cargo run -p legwork --example own_settings`
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::time::Duration;

use legwork::model::{self, http::Timeouts, retry::Policy};
use legwork::prelude::*;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "openai:gpt-5-mini".to_owned());
    let timeouts = Timeouts { first_byte: Duration::from_secs(20), ..Timeouts::default() };
    let once_more =
        Policy::default().with_max_retries(1).with_first_wait(Duration::from_millis(10));
    let model = model::builder_from_env(&name)?.timeouts(timeouts).retry(once_more).build()?;
    let agent = Agent::builder(model).build()?;
    println!("{}", agent.run("Which is the largest city of France?").await?.text());
    Ok(())
}

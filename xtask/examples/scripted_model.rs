//! The demo's model: a script behind real HTTP, in a process of its own.
//!
//! An example, so that `cargo xtask` itself builds without the test kit. It prints
//! its base URL, and ends when whoever started it closes its standard input.

#![allow(clippy::print_stdout)]

use std::io::Read;

use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::json;

fn main() -> std::io::Result<()> {
    let server = Server::start(Script::from_fn(say))?;
    println!("{}", server.base_url());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Reads the file, runs the command until it has told a total, then answers.
fn say(asked: &Asked) -> Turn {
    let command = json!({"command": "sh tally.sh"});
    if asked.turn() == 0 {
        let read = Turn::call("read", json!({"path": "orders.txt"}));
        return read.with_text("I will look at the orders first.");
    }
    if asked.turn() == 1 {
        return Turn::call("bash", command).with_text("Now I run the tally.");
    }
    match total(asked.last()) {
        Some(total) => Turn::text(format!("The tally prints a total of {total}.")),
        None => Turn::call("bash", command).with_text("It told no total, so I run it again."),
    }
}

fn total(result: &str) -> Option<&str> {
    let line = result.lines().find_map(|line| line.strip_prefix("total "));
    line.map(str::trim)
}

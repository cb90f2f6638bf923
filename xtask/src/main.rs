//! Automation of the workspace: everything a developer or CI does, as one command.
//!
//! Not part of what is shipped. Read `main` for the list, then the file that is
//! named like the subcommand.

// A command talks on the terminal; the lint is for libraries.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

mod acp;
mod api;
mod bench;
mod budget;
mod cargo;
mod demo;
mod docs;
mod draw;
mod features;
mod fuzz;
mod http;
mod kill;
mod layers;
mod local_model;
mod mcp;
mod mutants;
mod needs;
mod npm;
mod outage;
mod outside;
mod platforms;
mod random;
mod replay;
mod rules;
mod seeded;
mod servers;
mod sources;
mod stranger;
mod sweep;
mod system;
mod test;

/// One thing that `cargo xtask` can do.
struct Command {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        usage: "test [FILTER..]",
        about: "every check that CI makes; with a filter only the tests that match it",
        run: test::run,
    },
    Command {
        name: "demo",
        usage: "demo [--scripted | --local]",
        about: "an agent works, is killed, resumes and finishes (--local: a small open model)",
        run: demo::run,
    },
    Command {
        name: "acp",
        usage: "acp",
        about: "the client library of the Agent Client Protocol drives the command (npm)",
        run: acp::run,
    },
    Command {
        name: "mcp",
        usage: "mcp",
        about: "the conformance suite and the reference servers of MCP (npm)",
        run: mcp::run,
    },
    Command {
        name: "kill",
        usage: "kill [--kills N] [--random N]",
        about: "the release command, killed again and again: 30 times a place, 100 at random",
        run: kill::run,
    },
    Command {
        name: "outage",
        usage: "outage",
        about: "a model's server fails for three minutes, and the command waits for it",
        run: outage::run,
    },
    Command {
        name: "sweep",
        usage: "sweep [--store S] [--full] [--seed S]",
        about: "a run killed, or its disk failing, at each place; --case runs one case again",
        run: sweep::run,
    },
    Command {
        name: "random",
        usage: "random [--runs N] [--seed S] [--minutes M]",
        about: "random programs held against the invariants; --seed alone plays one again",
        run: random::run,
    },
    Command {
        name: "fuzz",
        usage: "fuzz [TARGET..] [--runs N] [--seed S]",
        about: "random and mutated inputs, a million a target, for what reads bytes from outside",
        run: fuzz::run,
    },
    Command {
        name: "bench",
        usage: "bench [--json]",
        about: "measures Legwork beside a hand-written baseline",
        run: bench::run,
    },
    Command {
        name: "layers",
        usage: "layers",
        about: "the edges between crates, against the table of allowed ones",
        run: layers::run,
    },
    Command {
        name: "features",
        usage: "features [--sample]",
        about: "builds each crate by itself, with each of its features alone, and with none; with --sample, as at a commit",
        run: features::run,
    },
    Command {
        name: "platforms",
        usage: "platforms",
        about: "that what is portable compiles for other systems, and uses nothing of one",
        run: platforms::run,
    },
    Command {
        name: "budget",
        usage: "budget [--sizes [FEATURE ...]]",
        about: "crate counts, file sizes, the loop's lines, the size of the command; with --sizes, what features add to a program",
        run: budget::run,
    },
    Command {
        name: "rules",
        usage: "rules [--broken [--list]]",
        about: "the rules and the tests that name them (--broken: breaks rules, to see them caught)",
        run: rules::run,
    },
    Command {
        name: "mutants",
        usage: "mutants [CRATE..] [--shard K/N]",
        about: "changes expressions of a crate, one at a time: its tests must notice",
        run: mutants::run,
    },
    Command {
        name: "stranger",
        usage: "stranger",
        about: "the tests of a crate outside the workspace that stands on legwork-port alone",
        run: stranger::run,
    },
    Command {
        name: "replay",
        usage: "replay FILE.jsonl [--wire W] [--split N]",
        about: "recorded answers of a provider, read as live ones are, a line of JSON each",
        run: replay::run,
    },
    Command {
        name: "requests",
        usage: "requests [--wire W | --provider P]",
        about: "the requests of a matrix of transcripts on each wire, a line of JSON each",
        run: replay::requests,
    },
    Command {
        name: "api",
        usage: "api [--write]",
        about: "the public API of each library, against docs/api",
        run: api::run,
    },
    Command {
        name: "docs",
        usage: "docs [--open]",
        about: "builds the documentation of all crates",
        run: docs::run,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        list();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        list();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: there is no `{name}`; `cargo xtask` alone lists what there is");
        return ExitCode::from(2);
    };
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    println!("cargo xtask COMMAND\n");
    for command in COMMANDS {
        println!("  {:<30} {}", command.usage, command.about);
    }
}

/// Refuses arguments that a command without any was given.
fn no_arguments(args: &[String]) -> Result<(), String> {
    match args.first() {
        None => Ok(()),
        Some(arg) => Err(format!("takes no arguments, but got `{arg}`; leave it out")),
    }
}

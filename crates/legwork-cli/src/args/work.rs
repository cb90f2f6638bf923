//! `legwork work` and `legwork submit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::sessions::age;
use super::{Agent, OnDoubt, Store};

pub(super) const WORK: &str = "\
Examples:
  legwork work --store postgres://db.example.com/agents --concurrency 8
  legwork work --agents ./agents
  legwork work --until-idle
  legwork work --json | jq -c .

A worker runs the sessions of its store that are due: new ones that `legwork submit`
left, those that were answered or spoken to, those whose time came, and those whose
process died. Start as many as you like, on as many machines: the store sees to it
that each session has one at a time. A session that waits for a person or a time
holds no worker.

With --agents, it runs only the sessions of agents that a file in this folder defines,
by the name that the session was begun with, and leaves all others to other workers.

A worker runs the sessions of one directory: the current one, or that of --dir. A
session that was submitted in another one is named and left; start a worker for each
directory. Model, tools and limits of a session are those that it was submitted with;
what loosens its confinement comes from the flags and settings of this command, as
with `legwork resume`.

Ctrl-C or SIGTERM ends the steps under way and then the worker; a second one ends
it at once. Either way the sessions go on elsewhere. The exit code is 0 after the
first and 130 after the second. With --until-idle it is 130 after either, and 1 if
a session failed or could not be run.";

pub(super) const SUBMIT: &str = "\
Examples:
  legwork submit \"Update the dependencies and run the tests\"
  legwork submit --session a1b2c3d4 \"And now the changelog\"
  legwork submit --id nightly-2026-01-31 @nightly.md

The task waits in the store until `legwork work` takes it up. With --id the same
command may be given again: a session of that id is not begun twice, but each
command leaves its task there. A task ends the suspension of a session.";

#[derive(Debug, Args)]
pub(crate) struct Work {
    /// How many sessions to run at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) concurrency: u16,
    /// Run only sessions of the agents in this folder, as its files define them; may be given several times
    #[arg(long, value_name = "DIR", conflicts_with = "agent")]
    pub(crate) agents: Vec<PathBuf>,
    /// How often to ask the store while nothing is due, such as 1s or 1m
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = age)]
    pub(crate) poll: Duration,
    /// End when nothing is due any more
    #[arg(long)]
    pub(crate) until_idle: bool,
    /// What to do about a command that may or may not have happened
    #[arg(long, value_enum, default_value_t = OnDoubt::Ask)]
    pub(crate) on_doubt: OnDoubt,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print what happens as JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Submit {
    /// What is to be done; @FILE reads it from a file, `-` or nothing from standard input
    pub(crate) task: Option<String>,
    /// More words, which a task without quotes has.
    #[arg(hide = true)]
    pub(crate) more: Vec<String>,
    /// Give the task to this session instead of a new one
    #[arg(long, value_name = "ID", add = crate::complete::sessions())]
    pub(crate) session: Option<String>,
    /// The id of the new session
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the session as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

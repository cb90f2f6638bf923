//! `legwork pending`, `approve`, `deny` and `answer`: calls that wait for a person.

use clap::Args;

use super::Store;

pub(super) const PENDING: &str = "\
Examples:
  legwork pending                  what waits in all sessions
  legwork pending a1b2c3d4         what waits in one, and in its subagents
  legwork pending --json | jq .    for programs, a line of JSON for each call

Answer a call with `legwork approve`, `deny` or `answer`, from any terminal; then
go on with `legwork resume`.";

pub(super) const APPROVE: &str = "\
Examples:
  legwork approve a1b2c3d4                  the one call that waits
  legwork approve a1b2c3d4 5e6f7a8b         the call of this name in `legwork pending`
  legwork approve a1b2c3d4 --all            each call that waits now
  legwork approve a1b2c3d4 --always         this call, and all later ones of its tool
  legwork approve a1b2c3d4 --rule 'bash(cargo test:*)'
  legwork approve a1b2c3d4 --arguments '{\"command\":\"ls\"}'

What is approved is the call as it is shown: its tool and arguments. With
--arguments it runs with others, which the tool checks. An approval for later
calls, too, holds in this session only.";

pub(super) const DENY: &str = "\
Examples:
  legwork deny a1b2c3d4
  legwork deny a1b2c3d4 2 -m \"use rg, not grep\"

The call does not run. The model reads why, and goes on.";

pub(super) const ANSWER: &str = "\
Examples:
  legwork answer a1b2c3d4 --tell            a call in doubt: the model checks for itself
  legwork answer a1b2c3d4 --run-again       a call in doubt: run it once more
  legwork answer a1b2c3d4 --result \"done\"   the result, of whatever call waits
  legwork answer a1b2c3d4 --result 2        a question of the agent: its second choice

A call is in doubt if it was running when the process died: it may or may not
have happened. --result is read as JSON, or as text if it is none. The answer to a
question is a choice, by its words or number, or other words where it takes them.";

/// A call that waits, in a session.
#[derive(Debug, Args)]
pub(crate) struct OneCall {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The call, by its name in `legwork pending` [default: the only one]
    pub(crate) call: Option<String>,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Pending {
    /// The session: its id, or the beginning or end of it [default: all]
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: Option<String>,
    /// A line of JSON for each call
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) call: OneCall,
    /// Each call that waits for approval now
    #[arg(long, conflicts_with_all = ["call", "arguments", "rule"])]
    pub(crate) all: bool,
    /// Run it with these arguments instead, a JSON object
    #[arg(long, value_name = "JSON", conflicts_with_all = ["always", "rule"])]
    pub(crate) arguments: Option<String>,
    /// Do not ask again about this tool in this session
    #[arg(long, conflicts_with = "rule")]
    pub(crate) always: bool,
    /// Do not ask again about calls that a rule means, such as bash(git log:*)
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Deny {
    #[command(flatten)]
    pub(crate) call: OneCall,
    /// What the model reads
    #[arg(long, short, value_name = "WORDS", default_value = "The user said no.")]
    pub(crate) message: String,
}

#[derive(Debug, Args)]
#[group(id = "verdict", required = true, multiple = false, args = ["tell", "run_again", "result"])]
pub(crate) struct Answer {
    #[command(flatten)]
    pub(crate) call: OneCall,
    /// Tell the model that the call was cut off
    #[arg(long)]
    pub(crate) tell: bool,
    /// Run it again, although it may have happened
    #[arg(long)]
    pub(crate) run_again: bool,
    /// Give its result instead of running it; or the input that it asks for: text, or a JSON object
    #[arg(long, value_name = "VALUE")]
    pub(crate) result: Option<String>,
}

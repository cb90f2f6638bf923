//! `legwork steer`, `follow-up` and `stop`: what is said to a session from another process.

use clap::Args;

use super::Store;

pub(super) const STEER: &str = "\
Examples:
  legwork steer a1b2c3d4 \"Leave the tests alone, fix the parser\"
  legwork steer a1b2c3d4 @hint.md
  legwork steer a1b2c3d4 - < hint.md

The process that runs the session takes the message up before the next inference:
tool calls of the turn that have not begun are skipped, those that run are awaited.
A session that waits for an answer, or was interrupted, reads it once it is resumed.
If the session has ended, the message is the task of its next execution, which
`legwork resume` begins.

Messages are durable, and each is delivered once, in order.";

pub(super) const FOLLOW_UP: &str = "\
Examples:
  legwork follow-up a1b2c3d4 \"Then update the changelog\"
  legwork follow-up a1b2c3d4 @next.md

The message does not disturb the work under way: it is read when the agent would
otherwise be done. If a limit or `legwork stop` ends the execution first, or if the
session has ended, it is the task of the next execution, which `legwork resume` begins.";

pub(super) const STOP: &str = "\
Examples:
  legwork stop a1b2c3d4
  legwork stop a1b2c3d4 --reason \"wrong branch\"

A session that runs makes no further step: what was finished is kept, and the
execution ends as cancelled. One that waits or was interrupted ends once it is
resumed. The session stays usable: `legwork run --session` gives it a new task.";

pub(super) const SUSPEND: &str = "\
Examples:
  legwork suspend a1b2c3d4
  legwork suspend a1b2c3d4 --reason \"until the tests are green\"

A session that runs makes the step under way and rests before the next one; its
execution does not end. No worker takes it up, and what is said to it waits, until
`legwork resume` goes on with it or it is given a task.";

/// A message to a session.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The message; @FILE reads it from a file, `-` from standard input
    pub(crate) words: String,
    /// More words, which a message without quotes has.
    #[arg(hide = true)]
    pub(crate) more: Vec<String>,
    /// Print what became of it as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// Why, which is recorded
    #[arg(long, value_name = "WORDS", default_value = "The user stopped it.")]
    pub(crate) reason: String,
    /// Print what became of it as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Suspend {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// Why, which is recorded
    #[arg(long, value_name = "WORDS", default_value = "The user suspended it.")]
    pub(crate) reason: String,
    /// Print what became of it as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

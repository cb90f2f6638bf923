//! `legwork sessions tree`, `branch`, `rewind`, `fork`, `label` and `title`.

use clap::Args;

use crate::args::{Agent, Output, Store};

pub(super) const TREE: &str = "\
Examples:
  legwork sessions tree a1b2c3d4
  legwork sessions tree a1b2c3d4 --json | jq -c .

A line is a task or a step: the entry that a branch can begin at, what happened,
the tokens and the cost, and labels. Where two ways went on from one entry, both
are set in below it. The line marked * is the head, where the session goes on.";

pub(super) const BRANCH: &str = "\
Examples:
  legwork sessions tree a1b2c3d4            find the entry to go back to
  legwork sessions branch a1b2c3d4 15       go back to it, in the same session
  legwork sessions branch a1b2c3d4 good     the same, by its label
  legwork sessions branch a1b2c3d4 15 --summary
  legwork run --session a1b2c3d4 \"Try it without a cache\"

What came after the entry stays in the tree: `branch` to an entry there leads back.
Files that were changed stay as they are; `legwork undo` takes changes back. Calls
that wait for an answer stay where they are, and wait again after going back there.
With --summary the model of the session first says what was tried and found out, and
reads that at the beginning of the new branch. The head moves between steps, while
no process runs the session.";

pub(super) const REWIND: &str = "\
Examples:
  legwork sessions rewind a1b2c3d4              to before the last task
  legwork sessions rewind a1b2c3d4 --steps 2    to before the last two steps

It moves the head as `legwork sessions branch` does; nothing is deleted.";

pub(super) const FORK: &str = "\
Examples:
  legwork sessions fork a1b2c3d4           a new session from where it stands
  legwork sessions fork a1b2c3d4 15        a new session from an entry
  legwork sessions fork a1b2c3d4 good      the same, by its label

The new session has the conversation up to the entry, with a journal of its own;
both go on by themselves, at the same time if you want. Calls that are open at the
entry are answered as skipped. What the session used, its labels, what waits in its
inbox and what was approved are not copied.";

pub(super) const LABEL: &str = "\
Examples:
  legwork sessions label a1b2c3d4 good              label where it stands
  legwork sessions label a1b2c3d4 good --entry 15   label an entry
  legwork sessions label a1b2c3d4 --entry 15        take its label away

A label names an entry for `branch` and `fork`, and `legwork sessions list --label`.";

pub(super) const TITLE: &str = "\
Examples:
  legwork sessions title a1b2c3d4 \"Parser, second try\"
  legwork sessions title a1b2c3d4           the first line of its task again";

pub(super) const COPY: &str = "\
Examples:
  legwork sessions copy sqlite:work.db postgres://db.example.com/agents
  legwork sessions copy jsonl:old sqlite:new.db a1b2c3d4

The sessions keep their ids, entries and what waits in their inboxes; those of
subagents come with the ones that they work for. A copy that was cut off goes on
where it was when the command is given again. Nothing is removed. A session that is
in use, or that cannot be read, is left out: it is named, and the exit code is 1.";

#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// The address of the store to copy from
    pub(crate) from: String,
    /// The address of the store to copy to; it is made if it is missing
    pub(crate) to: String,
    /// The sessions: their ids, or the beginnings or ends of them [default: all]
    #[arg(value_name = "ID")]
    pub(crate) sessions: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one line of the tree a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Branch {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The entry to go back to: its number, or its label
    pub(crate) entry: String,
    /// Have the model summarise what is left, for the new branch
    #[arg(long)]
    pub(crate) summary: bool,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Rewind {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// Go back to before so many of the last steps, and not to before the task
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The entry to begin at: its number, or its label [default: where the session stands]
    pub(crate) entry: Option<String>,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Label {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The label; none takes the entry's label away
    pub(crate) label: Option<String>,
    /// The number of the entry [default: where the session stands]
    #[arg(long, value_name = "N")]
    pub(crate) entry: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
}

#[derive(Debug, Args)]
pub(crate) struct Title {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The title; none takes it away
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) store: Store,
}

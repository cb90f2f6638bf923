//! `legwork sessions`.

use clap::{Args, Subcommand};

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions list                 the sessions changed last
  legwork sessions show 0198c3f2        what happened in one, step by step
  legwork sessions diff 0198c3f2        which files it changed, and how
  legwork sessions show 0198c3f2 --json | jq .type";

const DIFF_EXAMPLES: &str = "\
Examples:
  legwork sessions diff 0198c3f2                  the changes, as a patch
  legwork sessions diff 0198c3f2 --stat           which files, and how many lines
  legwork sessions diff 0198c3f2 | git apply -R   take them back

It tells what the tools write and edit changed, from the journal alone; what a
shell command changed is told where the workspace is small enough to be watched.";

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, the one changed last first
    List(List),
    /// Show what happened in a session
    Show(Show),
    /// Show the files that a session changed, before and after
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Diff),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How many to list at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one session a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session: its id, or the beginning of it
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the entries of its journal, one a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The session: its id, or the beginning of it
    pub(crate) session: String,
    /// Only tell the files and how many lines changed in each
    #[arg(long, conflicts_with = "json")]
    pub(crate) stat: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one file a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Sessions {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
            Self::Diff(args) => args.json,
        }
    }
}

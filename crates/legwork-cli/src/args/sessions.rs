//! `legwork sessions`.

use clap::{Args, Subcommand};

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions list                 the sessions changed last
  legwork sessions show 0198c3f2        what happened in one, step by step
  legwork sessions show 0198c3f2 --json | jq .type";

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, the one changed last first
    List(List),
    /// Show what happened in a session
    Show(Show),
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

impl Sessions {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
        }
    }
}

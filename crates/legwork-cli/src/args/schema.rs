//! `legwork schema`.

use clap::{Args, ValueEnum};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork schema entry > entry.schema.json
  legwork schema events | jq '.\"$defs\" | keys'";

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// What it describes
    #[arg(value_name = "OF")]
    pub(crate) of: Described,
}

/// What there is a schema of.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Described {
    /// An entry of a journal, as `sessions show --json` prints it
    Entry,
    /// A line of `run --json`
    Events,
    /// A file of settings, legwork.toml
    Settings,
    /// The file that defines an agent
    Agent,
}

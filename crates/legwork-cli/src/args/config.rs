//! `legwork config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Agent, Store};

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show what `legwork run` would work with, and where each value was said
    Show(ConfigShow),
    /// Show which files are looked at, and which of them are there
    Path(ConfigPath),
    /// Write your file of settings, with all keys as comments
    Init,
    /// Print the JSON Schema of legwork.toml, for editors
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigShow {
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one object, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigPath {
    /// The directory to look from [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print one file a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Config {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::Show(args) => args.json,
            Self::Path(args) => args.json,
            Self::Init | Self::Schema => false,
        }
    }
}

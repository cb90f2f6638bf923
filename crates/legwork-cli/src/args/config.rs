//! `legwork config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Agent, Store};

const SHOW_EXAMPLES: &str = "\
Examples:
  legwork config show
  legwork config show --dir ~/project --model ollama:qwen3
  legwork config show --json | jq .values.model

Of a key it says where it is. It is not read, and no command for it is run.";

const PATH_EXAMPLES: &str = "\
Examples:
  legwork config path
  $EDITOR \"$(legwork config path --json | jq -rs '.[0].path')\"";

const INIT_EXAMPLES: &str = "\
Examples:
  legwork config init
  legwork --config ~/work.toml config init";

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show what `legwork run` would work with, and where each value was said
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Box<ConfigShow>),
    /// Show which files are looked at, and which of them are there
    #[command(after_help = PATH_EXAMPLES)]
    Path(ConfigPath),
    /// Write your file of settings, with all keys as comments
    #[command(after_help = INIT_EXAMPLES)]
    Init,
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
            Self::Init => false,
        }
    }
}

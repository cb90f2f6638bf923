//! `legwork doctor`.

use std::path::PathBuf;

use clap::Args;

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork doctor
  legwork doctor --dir ~/project
  legwork doctor --model ollama:qwen3   another model than the configured one
  legwork doctor --offline              ask no model
  legwork doctor --json | jq '.checks[] | select(.state != \"good\")'

The model is asked for a few tokens, once, for at most 20 seconds; it says what
that cost. The exit code is 0 if commands can run in a sandbox, the store works
and the model answers, or is not asked, else 1.";

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The directory that an agent would work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The model to try, as PROVIDER:NAME [default: the configured one]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Where it serves [default: OPENAI_BASE_URL, else the provider's own]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Ask no model
    #[arg(long, conflicts_with = "model")]
    pub(crate) offline: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print what was found as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

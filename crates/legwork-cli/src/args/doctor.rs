//! `legwork doctor`.

use std::path::PathBuf;

use clap::Args;

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork doctor
  legwork doctor --dir ~/project
  legwork doctor --model ollama:qwen3   another model than the configured one
  legwork doctor --offline              ask no model and no server
  legwork doctor --sandbox              try each promise of the sandboxes, from inside
  legwork doctor --json | jq '.checks[] | select(.state != \"good\")'

The model is asked for a few tokens, once, for at most 20 seconds; it says what
that cost. A store on a server is asked for a session, for at most 10 seconds. The exit code is 0 if commands can run in a sandbox, the store works
and the model answers, or is not asked, else 1. With --sandbox it is 0 if a sandbox works and each holds
what docs/sandbox.md says that it holds.";

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
    /// Ask no model, and no server that keeps sessions
    #[arg(long, conflicts_with = "model")]
    pub(crate) offline: bool,
    /// Try what each sandbox promises, by commands in it, and nothing else
    #[arg(long, conflicts_with_all = ["model", "base_url", "offline"])]
    pub(crate) sandbox: bool,
    /// Make an attempt from inside of a sandbox
    #[arg(long, hide = true, num_args = 2, value_names = ["NAME", "ARGUMENT"])]
    pub(crate) attempt: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print what was found as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

//! `legwork acp`.

use clap::Args;

use super::{Agent, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork acp --model openai:gpt-5-mini   what an editor starts
  legwork acp --agent reviewer --approve writes

Standard input and output are the editor's; warnings are on standard error. The editor
names the directory of each session. A session of the editor is a session like any
other: `legwork sessions list` shows it, and `legwork steer` reaches it.

Zed, in settings.json (the key of the model goes in env, or in your legwork.toml):
  \"agent_servers\": {
    \"Legwork\": {
      \"type\": \"custom\",
      \"command\": \"legwork\",
      \"args\": [\"acp\", \"--model\", \"openai:gpt-5-mini\"]
    }
  }";

#[derive(Debug, Args)]
pub(crate) struct Acp {
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
}

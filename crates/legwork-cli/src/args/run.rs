//! `legwork run`.

use clap::Args;

use super::{Agent, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork run \"Read notes.txt and list what is left to do\"
  legwork run --model openai:gpt-5 --max-steps 20 \"Fix the failing test\"
  legwork run --model my:qwen --base-url http://127.0.0.1:8080/v1 \"Hello\"
  legwork run --json \"Count the lines of *.rs\" | jq -r .type
  legwork run - < task.txt

Environment:
  LEGWORK_MODEL    the model, if --model is not given
  LEGWORK_STORE    the store, if --store is not given
  OPENAI_API_KEY   the key; it is sent, never stored
  OPENAI_BASE_URL  where openai:... is served, if --base-url is not given

What is not given comes from legwork.toml: `legwork help config`.";

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What is to be done; `-`, or nothing, reads it from standard input
    pub(crate) task: Option<String>,
    /// Give the task to this finished session instead of a new one
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one event a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

//! `legwork context`.

use std::path::PathBuf;

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork context
  legwork context --dir crates/parser
  legwork context --json | jq .total_tokens

The agent gets the content of AGENTS.md files: your own one in ~/.config/legwork,
then, if the project is trusted (`legwork help trust`), those from the root of the
repository down to the directory. Of a file at
most 64 KB are included, of all 256 KB. A link that leads out of the repository is
not followed. `legwork run --no-context` leaves them out.

Tokens are OpenAI's since gpt-4o; for another model's the count is marked ≈.";

#[derive(Debug, Args)]
pub(crate) struct Context {
    /// The directory to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The model [default: LEGWORK_MODEL, else openai:gpt-5-mini]
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub(crate) model: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

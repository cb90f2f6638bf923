//! `legwork models`.

use clap::{Args, Subcommand};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork models list                 what the known servers offer
  legwork models list ollama
  legwork models show openai:gpt-5    its window, its price, what it can do
  legwork models ping ollama:qwen3    whether a model answers, and how fast";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork models list
  legwork models list ollama
  legwork models list my --base-url http://127.0.0.1:8080/v1
  legwork models list --json | jq -r '.provider as $p | .models[] | \"\\($p):\\(.id)\"'

Of a server that does not run one line says so. Exit code 1 if the one that was
named does not answer.";

const SHOW_EXAMPLES: &str = "\
Examples:
  legwork models show openai:gpt-5-mini
  legwork models show anthropic:claude-haiku-4-5
  legwork models show --json google:gemini-2.5-pro | jq .abilities

It asks no server. What it prints was read on the day that it names; a table
[models.\"PROVIDER:NAME\"] in your own legwork.toml counts before it.";

const PING_EXAMPLES: &str = "\
Examples:
  legwork models ping
  legwork models ping openai:gpt-5-mini
  legwork models ping my:qwen --base-url http://127.0.0.1:8080/v1
  legwork models ping --json ollama:qwen3 | jq .answer_ms

It asks for a few tokens, once, and costs as much. Exit code 1 if there is no
answer.";

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// List the models that servers offer
    #[command(after_help = LIST_EXAMPLES)]
    List(ModelsList),
    /// Show what is known of a model: its limits, its price, its abilities
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ModelsShow),
    /// Ask a model for a few tokens, to see whether it answers
    #[command(after_help = PING_EXAMPLES)]
    Ping(ModelsPing),
}

#[derive(Debug, Args)]
pub(crate) struct ModelsList {
    /// The provider to ask [default: all that are known]
    pub(crate) provider: Option<String>,
    /// Where it serves [default: OPENAI_BASE_URL for openai, else the provider's own]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Print one server a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsShow {
    /// The model
    #[arg(value_name = "PROVIDER:NAME")]
    pub(crate) model: String,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsPing {
    /// The model [default: LEGWORK_MODEL, else openai:gpt-5-mini]
    #[arg(value_name = "PROVIDER:NAME")]
    pub(crate) model: Option<String>,
    /// Where it serves [default: OPENAI_BASE_URL, else the provider's own]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Seconds to wait for the answer; a local server may have to load the model first
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Print what came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Models {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
            Self::Ping(args) => args.json,
        }
    }
}

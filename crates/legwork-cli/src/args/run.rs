//! `legwork run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Agent, Output, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork run \"Read notes.txt and list what is left to do\"
  legwork run --model openai:gpt-5 --max-steps 20 \"Fix the failing test\"
  legwork run --model my:qwen --base-url http://127.0.0.1:8080/v1 \"Hello\"
  legwork run --json \"Count the lines of *.rs\" | jq -r .type
  legwork run --agent reviewer \"Review the last commit\"
  legwork run @task.md
  legwork run -c \"And now the tests\"
  git diff | legwork run \"Review this change\"
  legwork run --image screen.png \"What is wrong in this picture?\"
  legwork run --output-schema city.json \"The largest city of France\" | jq .name

A task that begins with @ names a file that holds it; @@ stands for one @. What is
piped in beside a task comes after it, between <stdin> and </stdin>. Give < /dev/null
where standard input is a pipe that stays open.

Environment:
  LEGWORK_MODEL    the model, if --model is not given
  LEGWORK_STORE    the store, if --store is not given
  OPENAI_API_KEY   the key; it is sent, never stored
  OPENAI_BASE_URL  where openai:... is served, and models of providers without an
                   address of their own, if --base-url is not given
  NO_COLOR         no colours, if set to something
  LEGWORK_PLAIN    output for screen readers, as --plain; so does ACCESSIBLE

What is not given comes from legwork.toml: `legwork help config`.";

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What is to be done; @FILE reads it from a file, `-` or nothing from standard input
    pub(crate) task: Option<String>,
    /// More words, which a task without quotes has.
    #[arg(hide = true)]
    pub(crate) more: Vec<String>,
    /// Show the model a picture (PNG, JPEG, GIF or WebP); may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) image: Vec<PathBuf>,
    /// Answer with JSON that fits the JSON Schema in this file, and print it alone
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// How the model is asked for it [default: a tool call, where the model calls tools]
    #[arg(long, value_name = "MODE", requires = "output_schema")]
    pub(crate) output_mode: Option<OutputMode>,
    /// Give the task to this finished session instead of a new one
    #[arg(long, value_name = "ID", add = crate::complete::sessions())]
    pub(crate) session: Option<String>,
    /// Give the task to the last session that was begun in this directory
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub(crate) goes_on: bool,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// How a model is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputMode {
    /// It calls a tool whose arguments are the value
    Tool,
    /// The server holds the answer to the schema
    Schema,
    /// The server holds the answer to be a JSON object
    Object,
    /// The prompt asks for a fenced block of JSON
    Fenced,
    /// The prompt asks for JSON
    Prompt,
}

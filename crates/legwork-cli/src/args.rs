//! The command line: what can be typed, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

const EXAMPLES: &str = "\
Examples:
  export OPENAI_API_KEY=sk-...
  legwork run \"Find out why the tests fail and tell me\"
  legwork run --model ollama:qwen3 --dir ~/project \"Summarise README.md\"
  legwork run - < task.txt
  legwork sessions list
  legwork resume 0198c3f2

Exit codes:
    0  completed
    1  failed, or the store is unusable
    2  wrong usage
    3  stopped by a limit
    4  waits for an answer
  130  interrupted; resume goes on";

const RUN_EXAMPLES: &str = "\
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
  OPENAI_BASE_URL  where openai:... is served, if --base-url is not given";

const RESUME_EXAMPLES: &str = "\
Examples:
  legwork resume 0198c3f2                    go on where it was
  legwork resume 0198c3f2 --on-doubt tell    go on after a command was cut off
  legwork resume 0198c3f2 --max-steps 200    go on after a limit, now raised

A command that was running when the process died may or may not have done its
work. By default (ask) nothing is run then: the session waits, this says for
what, and the exit code is 4. With `tell` the model is told that it was cut off
and checks for itself. Model, address and directory are those of the session,
unless given again.";

const SESSIONS_EXAMPLES: &str = "\
Examples:
  legwork sessions list                 the sessions changed last
  legwork sessions show 0198c3f2        what happened in one, step by step
  legwork sessions show 0198c3f2 --json | jq .type";

/// An agent that finishes what it starts.
///
/// Give it a task: it works with tools in a directory and journals every step. Kill it
/// at any moment; `legwork resume` goes on where it was.
#[derive(Debug, Parser)]
#[command(name = "legwork", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an agent on a task in a new session
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Go on with a session where it stands
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(Resume),
    /// Look at sessions
    #[command(subcommand, after_help = SESSIONS_EXAMPLES)]
    Sessions(Sessions),
}

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

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The session: its id, or the beginning of it
    pub(crate) session: String,
    /// What to do about a command that may or may not have happened
    #[arg(long, value_enum, default_value_t = OnDoubt::Ask)]
    pub(crate) on_doubt: OnDoubt,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one event a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the agent works with, as far as it was said.
#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// The model [default: the session's, else LEGWORK_MODEL, else openai:gpt-5-mini]
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub(crate) model: Option<String>,
    /// Where a Chat Completions API is served [default: the session's, else OPENAI_BASE_URL, else the provider's]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The directory to work in [default: the session's, else the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What confines the commands that are run [default: the session's, else bubblewrap]
    #[arg(long, value_enum)]
    pub(crate) sandbox: Option<Sandbox>,
    /// Stop after so many steps [default: the session's, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Store {
    /// Where sessions live, as sqlite:PATH [default: LEGWORK_STORE, else in ~/.local/state]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

/// What to do about calls that began and have no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnDoubt {
    /// Run nothing, wait for an answer
    Ask,
    /// Tell the model that it was cut off
    Tell,
}

/// What confines commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sandbox {
    /// Only the directory and /tmp can be written, no network; no command runs if it does not work
    #[default]
    Bubblewrap,
    /// Commands may do all that you may
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, the one changed last first
    List(List),
    /// Show what happened in a session
    Show(Show),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How many to list at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one session a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session: its id, or the beginning of it
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the entries of its journal, one a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Command {
    /// Whether the output is to be JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Run(Run { json, .. })
            | Self::Resume(Resume { json, .. })
            | Self::Sessions(Sessions::List(List { json, .. }))
            | Self::Sessions(Sessions::Show(Show { json, .. })) => *json,
        }
    }
}

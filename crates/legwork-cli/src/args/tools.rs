//! `legwork tools`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use legwork::tools::sandbox::Network;

use super::{ApproveBy, Sandbox};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork tools list                     what the agent can call
  legwork tools show edit                what a tool takes and does
  legwork tools call read '{\"path\": \"README.md\"}'";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork tools list
  legwork tools list --approve writes    with what asks for approval
  legwork tools list --json | jq -r .name

Below a tool stand the decorators that it went through, the innermost first: what asks
before it runs, what limits, renames or caches it. In JSON they are its `chain`.";

const SHOW_EXAMPLES: &str = "\
Examples:
  legwork tools show bash
  legwork tools show bash --json | jq .parameters";

const CALL_EXAMPLES: &str = "\
Examples:
  legwork tools call read '{\"path\": \"src/main.rs\", \"limit\": 20}'
  legwork tools call bash '{\"command\": \"cargo test\"}' --dir ~/project
  legwork tools call write @arguments.json
  jq -n '{pattern: \"TODO\"}' | legwork tools call search -

It is the very tool that the agent has: the same directory, sandbox and check of
the arguments. Nothing is journaled. Exit codes: 0 it worked, 1 it failed, 2 no
such tool or arguments that do not fit, 130 interrupted. The exit code of a
command is part of what `bash` gives.";

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List the tools that the agent has
    #[command(after_help = LIST_EXAMPLES)]
    List(ToolsList),
    /// Show what a tool does and takes
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ToolsShow),
    /// Call a tool by hand, without a model and without a journal
    #[command(after_help = CALL_EXAMPLES)]
    Call(ToolsCall),
}

#[derive(Debug, Args)]
pub(crate) struct ToolsList {
    #[command(flatten)]
    pub(crate) around: Surroundings,
    /// When a person is asked before a call runs, as in a run [default: ask]
    #[arg(long, value_name = "WHEN|FILE", value_parser = super::approve_by, add = crate::complete::approve())]
    pub(crate) approve: Option<ApproveBy>,
    /// Print one tool a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsShow {
    /// The tool's name
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) around: Surroundings,
    /// Print it as JSON, with the schema of its arguments
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsCall {
    /// The tool's name
    pub(crate) name: String,
    /// Its arguments, a JSON object; `-` reads it from standard input, `@FILE` from a file
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    #[command(flatten)]
    pub(crate) around: Surroundings,
    /// Print what came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where tools work, and what confines them.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Surroundings {
    /// The directory to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What confines the commands that are run [default: auto]
    #[arg(long, value_enum)]
    pub(crate) sandbox: Option<Sandbox>,
    /// Which network these commands reach: off, all, or hosts such as api.example.com,*.npmjs.org [default: off]
    #[arg(long, value_name = "off|all|HOST,..", value_parser = crate::config::network)]
    pub(crate) network: Option<Network>,
    /// A path beside the directory that the tools may use; may be given again
    #[arg(long, value_name = "PATH[:ro]")]
    pub(crate) allow_path: Vec<String>,
}

impl Tools {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
            Self::Call(args) => args.json,
        }
    }
}

//! `legwork agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork agents list              which agents there are
  legwork agents show reviewer     what one of them says, and what it comes to
  legwork agents check             what is wrong with agents and skills
  legwork run --agent reviewer \"Review the last commit\"

Agents are files *.md, *.yaml and *.json in ~/.config/legwork/agents (yours) and
.legwork/agents (the project's, where it is trusted); skills are folders in skills
beside them. If two have the same name, yours is used; project:NAME is the project's.";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork agents list
  legwork agents list --json | jq -r .name";

const SHOW_EXAMPLES: &str = "\
Examples:
  legwork agents show reviewer
  legwork agents show ./reviewer.yaml --markdown > reviewer.md";

const CHECK_EXAMPLES: &str = "\
Examples:
  legwork agents check
  legwork agents check .legwork/agents/reviewer.md .legwork/skills/pdf
  legwork agents check --json | jq -r .mend

Exit codes: 0 nothing is wrong, or only warnings; 1 an error.";

#[derive(Debug, Subcommand)]
pub(crate) enum Agents {
    /// List the agents that there are
    #[command(after_help = LIST_EXAMPLES)]
    List(AgentsList),
    /// Show what an agent says, and what it comes to here
    #[command(after_help = SHOW_EXAMPLES)]
    Show(AgentsShow),
    /// Check agents and skills, and say what mends them
    #[command(after_help = CHECK_EXAMPLES)]
    Check(AgentsCheck),
}

/// Where agents are looked for.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Around {
    /// The directory whose project is meant [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// One more folder of agents, which win over yours and the project's; may be given again
    #[arg(long, value_name = "DIR")]
    pub(crate) agents_dir: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct AgentsList {
    #[command(flatten)]
    pub(crate) around: Around,
    /// Print one agent a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AgentsShow {
    /// The agent's name, or the file that defines it
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) around: Around,
    /// Print its definition as Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AgentsCheck {
    /// Files or folders of agents or skills [default: yours and the project's]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) around: Around,
    /// Print one problem a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Agents {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
            Self::Check(args) => args.json,
        }
    }
}

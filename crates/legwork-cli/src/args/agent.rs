//! The settings of an agent: flags that several commands share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use legwork::core::budget::MicroUsd;
use legwork::tools::sandbox::Network;
use serde::{Deserialize, Serialize};

use super::ApproveBy;

/// The settings of an agent that flags give.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Agent {
    /// The agent, by its name or its file [default: the session's, else the built-in one]
    #[arg(long, value_name = "NAME", add = crate::complete::agents())]
    pub(crate) agent: Option<String>,
    /// An additional folder of agents, which take precedence; may be given several times
    #[arg(long, value_name = "DIR", requires = "agent")]
    pub(crate) agents_dir: Vec<PathBuf>,
    /// The model, also with options, such as openai:gpt-5-mini?thinking=high [default: the session's, else LEGWORK_MODEL, else openai:gpt-5-mini]
    #[arg(long, value_name = "PROVIDER:NAME", add = crate::complete::models())]
    pub(crate) model: Option<String>,
    /// How much the model thinks: off, minimal, low, medium, high, or a number of tokens [default: the session's, else the provider's]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) thinking: Option<String>,
    /// The sampling temperature, such as 0.2 [default: the session's, else the provider's]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) temperature: Option<String>,
    /// The base URL of a Chat Completions API [default: OPENAI_BASE_URL, else the provider's]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The directory to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The sandbox of commands [default: auto, or the sandbox of the session if it is stricter]
    #[arg(long, value_enum)]
    pub(crate) sandbox: Option<Sandbox>,
    /// The network that commands may reach: off, all, or hosts such as api.example.com,*.npmjs.org [default: off]
    #[arg(long, value_name = "off|all|HOST,..", value_parser = crate::config::network)]
    pub(crate) network: Option<Network>,
    /// When you are asked before a tool call runs: never, ask (as the tools say), writes, all, or a file of rules [default: ask, or that of the session if it asks more]
    #[arg(long, value_name = "WHEN|FILE", value_parser = super::approve_by, add = crate::complete::approve())]
    pub(crate) approve: Option<ApproveBy>,
    /// Do not include AGENTS.md files in the instructions [default: the session's choice, else include them]
    #[arg(long)]
    pub(crate) no_context: bool,
    /// Trust the project for this run: use its AGENTS.md, settings, agents and skills
    #[arg(long)]
    pub(crate) trust: bool,
    /// Give the agent only these tools, such as read,list,search [default: the session's, else all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', add = crate::complete::tools())]
    pub(crate) tools: Option<Vec<String>>,
    /// Stop after this many steps [default: the session's, else 100]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_steps: Option<u64>,
    /// Stop before more tool calls than this begin [default: the session's, else no limit]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_tool_calls: Option<u64>,
    /// Stop before more input and output tokens than this are used [default: the session's, else no limit]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop before more input tokens than this are used [default: the session's, else no limit]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_input_tokens: Option<u64>,
    /// Stop before more output tokens than this are used [default: the session's, else no limit]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_output_tokens: Option<u64>,
    /// Stop before more US dollars than this are spent [default: the session's, else no limit]
    #[arg(long, value_name = "USD", value_parser = crate::config::usd, allow_negative_numbers = true)]
    pub(crate) max_usd: Option<MicroUsd>,
    /// Stop after this much active time, such as 90s or 30m [default: the session's, else no limit]
    #[arg(long, value_name = "TIME", value_parser = crate::config::time_limit, allow_negative_numbers = true)]
    pub(crate) max_time: Option<Duration>,
    /// Retry failed requests to the model for this long, such as 90s or 1h; 0s disables retries [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = crate::config::duration)]
    pub(crate) retry_for: Option<Duration>,
    /// Append what models are sent and what they answer to this file, for debugging: it holds the conversation, and no key
    #[arg(long, value_name = "FILE")]
    pub(crate) traffic: Option<PathBuf>,
    /// Kill a command that writes more than this to disk, such as 500MB or 10GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::config::bytes)]
    pub(crate) max_write: Option<u64>,
    /// An additional path that the agent may use; may be given several times
    #[arg(long, value_name = "PATH[:ro]")]
    pub(crate) allow_path: Vec<String>,
}

impl Agent {
    /// The file of permissions that is named, if one is.
    pub(crate) fn permissions(&self) -> Option<&Path> {
        self.approve.as_ref().and_then(ApproveBy::file)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Store {
    /// The store of sessions: sqlite:PATH, jsonl:DIR, postgres://HOST/DATABASE or redis://HOST [default: LEGWORK_STORE, else in ~/.local/state]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

/// The sandbox of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sandbox {
    /// Bubblewrap, else Landlock; if neither works you are asked, or no command runs
    #[default]
    Auto,
    /// Commands write only to the directory and a private /tmp; the home is hidden
    Bubblewrap,
    /// As bubblewrap, but enforces less (Landlock and seccomp): see `legwork doctor`
    Landlock,
    /// Commands may do everything that you may
    Off,
}

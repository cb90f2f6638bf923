//! What the agent works with: the flags that several verbs share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use legwork::core::budget::MicroUsd;
use legwork::tools::sandbox::Network;
use serde::{Deserialize, Serialize};

/// What the agent works with, as far as it was said.
#[derive(Debug, Default, Args)]
pub(crate) struct Agent {
    /// An agent by its name, or the file that defines it [default: the session's, else legwork's own]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// One more folder of agents, which win over yours and the project's; may be given again
    #[arg(long, value_name = "DIR", requires = "agent")]
    pub(crate) agents_dir: Vec<PathBuf>,
    /// The model [default: the session's, else LEGWORK_MODEL, else openai:gpt-5-mini]
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub(crate) model: Option<String>,
    /// Where a Chat Completions API is served [default: OPENAI_BASE_URL, else the provider's]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The directory to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What confines the commands that are run [default: auto, or what confined the session if that is stricter]
    #[arg(long, value_enum)]
    pub(crate) sandbox: Option<Sandbox>,
    /// Which network these commands reach: off, all, or hosts such as api.example.com,*.npmjs.org [default: off]
    #[arg(long, value_name = "off|all|HOST,..", value_parser = crate::config::network)]
    pub(crate) network: Option<Network>,
    /// Do not tell the agent what AGENTS.md files say [default: as the session, else tell it]
    #[arg(long)]
    pub(crate) no_context: bool,
    /// Trust the project this time: take its AGENTS.md, settings, agents and skills
    #[arg(long)]
    pub(crate) trust: bool,
    /// Give the agent these tools only, such as read,list,search [default: the session's, else all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Stop after so many steps [default: the session's, else 100]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_steps: Option<u64>,
    /// Stop before more US dollars are spent [default: the session's, else no limit]
    #[arg(long, value_name = "USD", value_parser = crate::config::usd, allow_negative_numbers = true)]
    pub(crate) max_cost: Option<MicroUsd>,
    /// Stop before more tokens go in and out [default: the session's, else no limit]
    #[arg(long, value_name = "N", value_parser = crate::config::count, allow_negative_numbers = true)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop after so much active time, such as 90s or 30m [default: the session's, else no limit]
    #[arg(long, value_name = "TIME", value_parser = crate::config::active_time, allow_negative_numbers = true)]
    pub(crate) max_active_time: Option<Duration>,
    /// Repeat a failed request to the model for so long, such as 90s or 1h; 0s for never [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = crate::config::duration)]
    pub(crate) retry_for: Option<Duration>,
    /// End a command that writes more to a disk, such as 500MB or 10GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::config::bytes)]
    pub(crate) max_write: Option<u64>,
    /// A path beside the directory that the agent may use; may be given again
    #[arg(long, value_name = "PATH[:ro]")]
    pub(crate) allow_path: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Store {
    /// Where sessions live, as sqlite:PATH [default: LEGWORK_STORE, else in ~/.local/state]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

/// What confines commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sandbox {
    /// Bubblewrap, else Landlock; where neither works you are asked, or no command runs
    #[default]
    Auto,
    /// Only the directory and a private /tmp can be written; the home is hidden
    Bubblewrap,
    /// The same by Landlock and seccomp, which hold less: see `legwork doctor`
    Landlock,
    /// Commands may do all that you may
    Off,
}

//! `legwork mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Agent, Store, Surroundings};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork mcp add memory --env MEMORY_FILE_PATH=memory.json -- mcp-server-memory
  legwork mcp add docs https://mcp.example.com/mcp --header Authorization=DOCS_TOKEN
  legwork mcp test docs                  connects, and lists its tools
  legwork run \"What do you remember of me?\"

The agent has the tools of these servers in addition to its own, each under the name of its
server: `memory_read_graph`. A server that is a command runs in the sandbox, as
commands of the agent do (--sandbox, --network), with its variables and no secret of
your environment. Servers are in your own legwork.toml, in tables [mcp.NAME]; those of
a project's legwork.toml start only once you trust the project.";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork mcp list
  legwork mcp list --json | jq -r .name";

const ADD_EXAMPLES: &str = "\
Examples:
  legwork mcp add memory --env MEMORY_FILE_PATH=memory.json -- mcp-server-memory
  legwork mcp add files --trusted -- mcp-server-filesystem .
  legwork mcp add gh --env GITHUB_TOKEN -- github-mcp-server stdio
  legwork mcp add docs https://mcp.example.com/mcp --header Authorization=DOCS_TOKEN

It is written to your own legwork.toml, and so is the value of --env NAME=VALUE. For a
secret give --env NAME: the server gets what your own variable NAME holds. --header
NAME=VARIABLE sends what that variable holds, as a bearer token if it is one word in
Authorization. --trusted believes what a server says of its tools: which only read,
which may be repeated, and how they are to be used.";

const RM_EXAMPLES: &str = "\
Examples:
  legwork mcp rm memory";

const LOGIN_EXAMPLES: &str = "\
Examples:
  legwork mcp login docs
  legwork mcp login docs --port 8976     for a client whose address is registered

It prints an address for your browser, and waits five minutes for you to come back
from it. What is granted is kept in a file that only you can read, and renewed when
it ends; `legwork mcp logout` forgets it. A run never asks.";

const TEST_EXAMPLES: &str = "\
Examples:
  legwork mcp test memory
  legwork mcp test memory --json | jq -r '.tools[].name'

It connects as a run does, lists the tools, and closes the connection. Exit codes:
0 it works, 1 it does not.";

const SERVE_EXAMPLES: &str = "\
Examples:
  legwork mcp serve                       what a client of the protocol starts
  legwork mcp serve --agent reviewer --approve writes
  legwork mcp serve --listen 127.0.0.1:8931
  legwork mcp serve --listen 127.0.0.1:8931 --token LEGWORK_MCP_TOKEN

A client gives the agent tasks, looks at its sessions in this directory, steers and
stops them, and calls the tools of the agent one by one. What needs approval is asked
of the person in front of the client. Each task is a session like any other: `legwork
sessions list` shows it, and it can be resumed when this was killed.

Without --listen, standard input and output are the client's, and warnings are on
standard error. With it, clients use http://ADDRESS/mcp, and send a token: the one that
the variable named by --token holds, or one that is printed.

In the settings of a client (the key of the model goes in env, or in your legwork.toml):
  \"mcpServers\": {
    \"legwork\": { \"command\": \"legwork\", \"args\": [\"mcp\", \"serve\", \"--dir\", \"/path/to/project\"] }
  }";

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// List the servers whose tools the agent has
    #[command(after_help = LIST_EXAMPLES)]
    List(McpList),
    /// Add a server to your own settings: a command, or an address
    #[command(after_help = ADD_EXAMPLES)]
    Add(McpAdd),
    /// Remove a server from your own settings
    #[command(visible_alias = "remove", after_help = RM_EXAMPLES)]
    Rm(McpRemove),
    /// Connect to a server, and list its tools
    #[command(after_help = TEST_EXAMPLES)]
    Test(McpTest),
    /// Log in to a server that asks for authorization, in a browser
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(McpLogin),
    /// Forget what was granted for a server
    Logout(McpLogout),
    /// Be a server: an agent, its tools and its sessions for clients of the protocol
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<McpServe>),
}

#[derive(Debug, Args)]
pub(crate) struct McpServe {
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Serve over HTTP at this address, and not over standard input and output
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Your variable that holds the token which clients over HTTP have to send [default: a new one]
    #[arg(long, value_name = "VARIABLE", requires = "listen")]
    pub(crate) token: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct McpList {
    /// The directory whose project is looked at [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print one server a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpAdd {
    /// What it is called: letters, digits, `_` and `-`
    pub(crate) name: String,
    /// Its address
    #[arg(conflicts_with = "command", required_unless_present = "command")]
    pub(crate) url: Option<String>,
    /// The program that it is, and its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<String>,
    /// A variable of its environment: a value, or your own variable of that name
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<String>,
    /// A header of each request, and your own variable that holds its value
    #[arg(long, value_name = "NAME=VARIABLE")]
    pub(crate) header: Vec<String>,
    /// It speaks the transport of before 2025, a stream of events at its address
    #[arg(long, conflicts_with = "command")]
    pub(crate) sse: bool,
    /// Only this tool, by its name on the server; may be given again
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Vec<String>,
    /// How long a call may take [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = crate::config::time_limit)]
    pub(crate) timeout: Option<Duration>,
    /// Give the agent its resources and prompts, too, as tools
    #[arg(long)]
    pub(crate) resources: bool,
    /// Let it ask the model in the middle of a call, within the budget of the session
    #[arg(long)]
    pub(crate) sampling: bool,
    /// Believe what it says of the effects of its tools
    #[arg(long)]
    pub(crate) trusted: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpRemove {
    /// Its name
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct McpLogin {
    /// Its name
    pub(crate) name: String,
    /// The port that the browser comes back to on this machine [default: any free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

#[derive(Debug, Args)]
pub(crate) struct McpLogout {
    /// Its name
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct McpTest {
    /// Its name
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) around: Surroundings,
    /// Print what it is as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Mcp {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Test(args) => args.json,
            Self::Add(_) | Self::Rm(_) | Self::Login(_) | Self::Logout(_) | Self::Serve(_) => false,
        }
    }
}

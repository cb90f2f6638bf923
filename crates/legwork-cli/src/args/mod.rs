//! The command line: what can be typed, and the help that teaches it; a file per verb.

mod acp;
mod agent;
mod agents;
mod answers;
mod asking;
mod chat;
mod compact;
mod completions;
mod config;
mod context;
mod doctor;
mod inbox;
mod man;
mod mcp;
mod models;
mod output;
mod resume;
mod run;
mod schema;
mod sessions;
mod tools;
mod trust;
mod undo;
mod work;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use acp::Acp;
pub(crate) use agent::{Agent, Sandbox, Store};
pub(crate) use agents::{Agents, AgentsCheck, AgentsList, AgentsShow, Around};
pub(crate) use answers::{Answer, Approve, Deny, OneCall, Pending};
pub(crate) use asking::{ApproveBy, AskFor, approve_by};
pub(crate) use chat::Chat;
pub(crate) use compact::Compact;
pub(crate) use completions::Completions;
pub(crate) use config::{Config, ConfigPath, ConfigShow};
pub(crate) use context::Context;
pub(crate) use doctor::Doctor;
pub(crate) use inbox::{Stop, Suspend, Words};
pub(crate) use man::Man;
pub(crate) use models::{Models, ModelsList, ModelsPing, ModelsShow};
pub(crate) use output::{Color, Content, Output};
pub(crate) use resume::{OnDoubt, Resume};
pub(crate) use run::{OutputMode, Run};
pub(crate) use schema::{Described, Schema};
pub(crate) use sessions::{
    Branch, Check, Copy, Diff, Export, Fork, Format, Import, Label, List, Remove, Rewind, Search,
    Sessions, Set, Show, Status, Title, Tree,
};

pub(crate) use mcp::{Mcp, McpAdd, McpList, McpLogin, McpLogout, McpRemove, McpServe, McpTest};
pub(crate) use tools::{Surroundings, Tools, ToolsCall, ToolsList, ToolsShow};
pub(crate) use trust::{Trust, TrustAdd, TrustList, TrustRemove};
pub(crate) use undo::Undo;
pub(crate) use work::{Submit, Work};

const EXAMPLES: &str = "\
Examples:
  export OPENAI_API_KEY=sk-...
  legwork
  legwork run \"Find out why the tests fail and tell me\"
  legwork run --model ollama:qwen3 --dir ~/project \"Summarise README.md\"
  legwork run - < task.txt
  legwork -c \"And now the tests\"
  legwork resume a1b2c3d4
  legwork approve a1b2c3d4
  legwork steer a1b2c3d4 \"Leave the tests alone\"
  legwork sessions list
  legwork models ping
  legwork help sessions

Exit codes:
    0  completed
    1  failed, or the store is unusable
    2  wrong usage
    3  stopped by a limit
    4  waits for an answer
  130  interrupted; resume goes on with what is unfinished";

/// An agent that finishes what it starts.
///
/// Give it a task: it works with tools in a directory and journals every step. Kill it
/// at any moment; `legwork resume` goes on where it was.
#[derive(Debug, Parser)]
#[command(name = "legwork", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Go on with the last session that was begun in this directory: with a task as `legwork run
    /// --continue`, else as `legwork chat --continue`
    // For the help alone: the command line is completed before it is read.
    #[arg(short = 'c', long = "continue", value_name = "TASK", num_args = 0..=1)]
    goes_on: Option<Option<String>>,
    /// Your file of settings [default: LEGWORK_CONFIG, else ~/.config/legwork/legwork.toml]
    #[arg(long, value_name = "PATH", global = true, display_order = 900)]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk with an agent, and steer it while it works
    #[command(after_help = chat::EXAMPLES)]
    Chat(Chat),
    /// Run an agent on a task in a new session
    #[command(after_help = run::EXAMPLES)]
    Run(Run),
    /// Go on with a session where it stands
    #[command(after_help = resume::EXAMPLES)]
    Resume(Resume),
    /// See which calls wait for a person, in all sessions or in one
    #[command(after_help = answers::PENDING)]
    Pending(Pending),
    /// Approve a call that waits for approval
    #[command(after_help = answers::APPROVE)]
    Approve(Approve),
    /// Deny a call that waits for approval
    #[command(after_help = answers::DENY)]
    Deny(Deny),
    /// Decide about a call in doubt, or give the result of a call that waits
    #[command(after_help = answers::ANSWER)]
    Answer(Answer),
    /// Say something that a session's very next inference reads
    #[command(after_help = inbox::STEER)]
    Steer(Words),
    /// Say something for when a session would otherwise stop
    #[command(after_help = inbox::FOLLOW_UP)]
    FollowUp(Words),
    /// Stop what a session does, in whatever process it runs
    #[command(after_help = inbox::STOP)]
    Stop(Stop),
    /// Suspend a session: it rests until it is resumed or given a task
    #[command(after_help = inbox::SUSPEND)]
    Suspend(Suspend),
    /// Put a summary in place of the beginning of a conversation
    #[command(after_help = compact::EXAMPLES)]
    Compact(Compact),
    /// Take back what a session did, the last call first
    #[command(after_help = undo::EXAMPLES)]
    Undo(Undo),
    /// Leave a task in the store for a worker
    #[command(after_help = work::SUBMIT)]
    Submit(Submit),
    /// Run the sessions of a store that are due, beside any number of other workers
    #[command(after_help = work::WORK)]
    Work(Work),
    /// Work inside an editor, which starts this and speaks the Agent Client Protocol with it
    #[command(after_help = acp::EXAMPLES)]
    Acp(Acp),
    /// Look at sessions
    #[command(subcommand, after_help = sessions::EXAMPLES)]
    Sessions(Sessions),
    /// See what works on this machine, and what to do about what does not
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(Doctor),
    /// Look at settings: what holds, and where it was said
    #[command(subcommand, after_help = crate::config::help::text())]
    Config(Config),
    /// See which models there are, and whether they answer
    #[command(subcommand, after_help = models::EXAMPLES)]
    Models(Models),
    /// Show the instructions that the agent gets before the task, and their size
    #[command(after_help = context::EXAMPLES)]
    Context(Context),
    /// Look at agents that are defined in files, and check them
    #[command(subcommand, after_help = agents::EXAMPLES)]
    Agents(Agents),
    /// Look at the agent's tools, and call one by hand
    #[command(subcommand, after_help = tools::EXAMPLES)]
    Tools(Tools),
    /// Look at MCP servers whose tools the agent has, add others, and be one
    #[command(subcommand, after_help = mcp::EXAMPLES)]
    Mcp(Mcp),
    /// See which projects are trusted, and trust others
    #[command(subcommand, after_help = trust::EXAMPLES)]
    Trust(Trust),
    /// Print a JSON Schema of a file or stream of Legwork
    #[command(after_help = schema::EXAMPLES)]
    Schema(Schema),
    /// Print what a shell needs to complete this command's words
    #[command(after_help = completions::EXAMPLES)]
    Completions(Completions),
    /// Print the manual page, or write the pages of all verbs
    #[command(after_help = man::EXAMPLES)]
    Man(Man),
}

impl Command {
    /// Whether the output is to be JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Run(args) => args.output.json,
            Self::Resume(args) => args.output.json,
            Self::Pending(args) => args.json,
            Self::Steer(args) | Self::FollowUp(args) => args.json,
            Self::Stop(args) => args.json,
            Self::Suspend(args) => args.json,
            Self::Submit(args) => args.json,
            Self::Work(args) => args.json,
            Self::Compact(args) => args.output.json,
            Self::Undo(args) => args.json,
            Self::Sessions(args) => args.json(),
            Self::Config(args) => args.json(),
            Self::Doctor(args) => args.json,
            Self::Models(args) => args.json(),
            Self::Context(args) => args.json,
            Self::Agents(args) => args.json(),
            Self::Tools(args) => args.json(),
            Self::Mcp(args) => args.json(),
            Self::Trust(args) => args.json(),
            Self::Acp(_)
            | Self::Chat(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
            Self::Approve(_) | Self::Deny(_) | Self::Answer(_) => false,
        }
    }
}

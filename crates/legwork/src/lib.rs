//! LLM agents whose sessions survive a crash.
//!
//! Each session is an append-only journal: a program that uses an [`Agent`] can be killed at any
//! moment and resumed from there. This crate joins the core, the ports, the runtime and the
//! drivers under one face. It is deliberately not a command or a server.
//!
//! ```no_run
//! use legwork::prelude::*;
//!
//! /// Adds two whole numbers.
//! #[tool(read_only)]
//! async fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! #[tokio::main]
//! async fn main() -> legwork::Result<()> {
//!     let agent = Agent::builder(model::from_env("openai:gpt-5-mini")?)
//!         .instructions("You are a careful clerk.")
//!         .tools([add])
//!         .store("sqlite:clerk.db")
//!         .budget(Budget::usd(0.50).steps(20))
//!         .build()?;
//!     let run = agent.run("What is 17 + 25?").await?;
//!     println!("{}", run.text());
//!     Ok(())
//! }
//! ```
//!
//! A struct that is an argument of a tool derives `serde::Deserialize` and
//! `schemars::JsonSchema`, for which a program depends on `serde = { version = "1", features =
//! ["derive"] }` and `schemars = "1"`.
//!
//! Read the modules in this order: [`model`], [`embedder`], [`mod@tool`], [`toolset`] (sources of
//! tools, decorated and combined), [`pending`] (calls that wait for an answer), [`store`],
//! [`capability`], [`context`] (what models read of a session), `output`, `definition` and `skills` (agents and skills as files), then [`agent`],
//! [`port`] and [`core`].
//!
//! # Features
//!
//! Without a feature its modules and types do not exist, and a name or an address that needs it,
//! such as `sqlite:clerk.db`, is an error that says which feature to enable. All features but
//! `tools` work on any system that tokio runs on.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | the attribute `#[tool]` |
//! | `openai` | yes | models that speak Chat Completions, of most providers |
//! | `responses` | yes | models of OpenAI over its API Responses: `openai-responses:NAME` |
//! | `anthropic` | yes | models of Anthropic |
//! | `gemini` | yes | models of Google |
//! | `bedrock` | | models on AWS Bedrock |
//! | `embeddings` | yes | [`embedder`]: texts as vectors; the APIs that have them bring it |
//! | `output` | yes | `output`: answers as values of types, `agent.output::<T>()`, `model.extract::<T>(..)` |
//! | `proxy` | yes | requests to models go through the proxies that the environment names |
//! | `sqlite` | yes | stores at `sqlite:PATH`; compiles SQLite, which is C |
//! | `jsonl` | | stores at `jsonl:DIR`: plain files |
//! | `postgres` | | stores at `postgres://HOST/DATABASE`, for processes on many machines |
//! | `redis` | | stores at `redis://HOST`, for processes on many machines |
//! | `worker` | | `worker`: processes on one store that run the sessions that are due |
//! | `acp` | | `acp`: agents inside editors that speak the Agent Client Protocol |
//! | `tools` | | `tools`, and the capabilities `files`, `bash` and `coding`; Linux only |
//! | `web` | | `web` (the tools `fetch` and `web_search`), and the capability of that name |
//! | `definitions` | | `definition` and `skills`: agents and skills as files |
//! | `orchestrate` | | `orchestrate`: `Chat`, `Collaboration`, `ToolUse` |
//! | `mcp` | | `mcp`: tools of servers that speak the Model Context Protocol |
//! | `oauth` | | `mcp::oauth`: logging in to MCP servers |
//! | `mcp-server` | | `mcp_server`: agents as servers of that protocol |
//! | `otel` | | `otel`: traces and metrics of runs, to a collector of OpenTelemetry |
//! | `http2` | | HTTP/2 to models whose servers offer it |
//! | `compression` | | answers of models compressed with gzip or Brotli |
//! | `zstd` | | answers compressed with Zstandard, too; compiles its library, which is C |
//! | `schema` | | JSON Schemas of what a journal contains |
#![forbid(unsafe_code)]

pub mod capability;
#[cfg(feature = "definitions")]
pub mod definition;
pub mod embedder;
mod error;
pub mod model;
#[cfg(feature = "output")]
pub mod output;
pub mod pending;
#[cfg(feature = "definitions")]
pub mod skills;
pub mod store;
pub mod tool;
pub mod toolset;

pub use error::{Error, Result};
/// Agents inside editors, over the Agent Client Protocol.
///
/// Needs the feature `acp`.
#[cfg(feature = "acp")]
pub use legwork_acp as acp;
pub use legwork_agent as agent;
pub use legwork_agent::context;
pub use legwork_agent::{
    Agent, Capability, Description, EventKind, Override, Run, RunEvent, Session, Subagent,
    Unfinished, hook,
};
pub use legwork_core as core;
/// Needs the feature `macros`.
#[cfg(feature = "macros")]
pub use legwork_macros::tool;
/// Needs the feature `mcp`.
#[cfg(feature = "mcp")]
pub mod mcp;
/// Agents as servers of the Model Context Protocol.
///
/// Needs the feature `mcp-server`.
#[cfg(feature = "mcp-server")]
pub use legwork_mcp_server as mcp_server;
/// Needs the feature `orchestrate`.
#[cfg(feature = "orchestrate")]
pub use legwork_orchestrate as orchestrate;
#[cfg(feature = "orchestrate")]
pub use legwork_orchestrate::{Chat, Collaboration, Participant, StepByStep, ToolUse};

/// Needs the feature `otel`.
#[cfg(feature = "otel")]
pub use legwork_otel as otel;
pub use legwork_port as port;
/// Needs the feature `tools`.
#[cfg(feature = "tools")]
pub use legwork_tools as tools;
/// Tools for the web: pages as text, and searches.
///
/// Needs the feature `web`.
#[cfg(feature = "web")]
pub use legwork_web as web;
/// Workers: many processes on one store, which run the sessions that are due.
///
/// Needs the feature `worker`.
#[cfg(feature = "worker")]
pub use legwork_worker as worker;

/// What most programs need, in one line.
pub mod prelude {
    #[cfg(feature = "output")]
    pub use crate::output::{Extract, TypedOutput};
    pub use crate::pending::Answer;
    pub use crate::store::BuilderExt;
    pub use crate::toolset::{ToolExt, Toolset, ToolsetExt};
    pub use crate::{Agent, Error, EventKind, Run, RunEvent, Session, hook};
    #[cfg(feature = "orchestrate")]
    pub use crate::{Chat, Collaboration, Participant, StepByStep, ToolUse};
    pub use crate::{embedder, model, tool, toolset};
    pub use legwork_core::continuation::End;
    pub use legwork_core::tool::FailureKind;
    pub use legwork_core::{
        AgentState, Budget, EffectClass, ExecutionStatus, Message, OnDoubt, Progress, ToolOutcome,
    };
    pub use legwork_port::{Dep, Tool, ToolContext, Trigger};
}

#[doc(hidden)]
pub mod __private {
    pub use legwork_core as core;
    pub use legwork_port as port;
    pub use schemars;
    pub use serde;
    pub use serde_json;
}

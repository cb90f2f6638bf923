//! Agents inside editors: a server for the Agent Client Protocol, version 1.
//!
//! An editor starts a program, speaks JSON-RPC with it over two streams, and shows what an agent
//! does: its words, its tool calls with diffs, the calls that need approval. [`Server`] is the
//! program's side of that. A conversation of the editor is a session of a store, so what the
//! editor shows is a display of the one event stream, and what it says goes through the journal
//! and the inbox: other processes may look at the session, steer it and answer for it meanwhile.
//!
//! It is deliberately no terminal, no file system and no policy: which agent works in a
//! directory, and in which sandbox, says the program ([`Host`]). It runs no MCP server that an
//! editor names, and says so.
//!
//! ```
//! # use std::sync::Arc;
//! # use legwork_agent::{Agent, memory::MemoryStore};
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork_acp::Server;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (model, store) = (ScriptedModel::new([Turn::text("done")]), Arc::new(MemoryStore::new()));
//! # let (input, output) = (tokio::io::empty(), tokio::io::sink());
//! let agent = Agent::builder(model).id("clerk").store_in(store).build()?;
//! // A program takes `tokio::io::stdin()` and `tokio::io::stdout()`.
//! Server::new(agent).serve(input, output).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`host`], `server` (the streams), `service` (a method each),
//! `turn` (what a prompt does), `editor` (what the editor is shown and asked), `replay`, `wire`.
#![forbid(unsafe_code)]

mod client;
mod editor;
pub mod host;
mod lines;
mod prompt;
mod replay;
mod server;
mod service;
mod stop;
mod turn;
mod wire;

pub use host::{Host, Mode, Wanted, Workplace};
pub use server::Server;

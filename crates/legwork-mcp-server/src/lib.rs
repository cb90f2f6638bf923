//! Agents of Legwork as servers of the Model Context Protocol.
//!
//! A program that speaks the protocol, such as an assistant or another agent, gives tasks to an
//! agent, looks at its sessions, steers them and calls its tools. [`Agents`] is what it is
//! offered; a task is a session of a store, so it survives the server, and what waits for a
//! person is asked of the person in front of the client. [`Server`] speaks the protocol, in both
//! revisions (2025-11-25 and 2026-07-28), over two streams or over HTTP; it serves any
//! [`Service`], so a program may offer something else in the same way.
//!
//! It is deliberately no policy: which agent works, where, and what it may do says the program
//! ([`Host`]). The model behind a client is never a person: it cannot approve a call.
//!
//! ```
//! # use std::sync::Arc;
//! # use legwork_agent::{Agent, memory::MemoryStore};
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork_mcp_server::{Agents, Server};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (model, store) = (ScriptedModel::new([Turn::text("done")]), Arc::new(MemoryStore::new()));
//! # let (input, output) = (tokio::io::empty(), tokio::io::sink());
//! let agent = Agent::builder(model).id("clerk").store_in(store).build()?;
//! // A program takes `tokio::io::stdin()` and `tokio::io::stdout()`.
//! Server::new(Agents::new(agent)).serve(input, output).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`service`] (what a server offers), [`content`], [`question`]
//! and [`client`] (what a service may ask while it answers), [`task`], `handler` (a method of the
//! protocol each), `server` and `http` (the wires), [`agent`] (an agent as a service).
#![forbid(unsafe_code)]

pub mod agent;
pub mod client;
pub mod content;
mod handler;
mod http;
pub mod question;
mod sealed;
mod server;
pub mod service;
pub mod task;

pub use agent::{Agents, Host};
pub use client::Client;
pub use http::Access;
pub use server::Server;
pub use service::{Error, Service};

//! Tools of servers that speak the Model Context Protocol, for agents of Legwork.
//!
//! A [`Server`] is a toolset: it is connected to when a run first needs it, its tools have the
//! name of the server before theirs, and a changed list of tools is read for the next step. A
//! server that ends in the middle of a call fails that call; the run goes on, and the next one
//! connects anew, a bounded number of times.
//!
//! What a server asks of a person in the middle of a call (an elicitation) is input that the call
//! waits for ([`PendingReason::Input`](legwork_core::state::PendingReason)): it is answered from
//! any process, and the call goes on with it. What it asks of a model (sampling) is asked of the
//! model of the session, where [`Server::sampling`] says so.
//!
//! It is deliberately careful with what a server says: schemas that refer to other places are
//! never fetched, hints about effects count only where the server is trusted, and one tool that
//! is wrong costs that tool.
//!
//! ```no_run
//! use legwork_mcp::{Program, Server};
//!
//! // It runs with all rights of this process, and with this environment alone.
//! let program = Program::unconfined("mcp-server-memory");
//! let program = program.env("MEMORY_FILE_PATH", "/var/lib/memory.json");
//! let memory = Server::new("memory", program).trusted();
//! // Agent::builder(model).toolset(memory)
//! # drop(memory);
//! ```
//!
//! Read the modules in this order: [`connect`] (streams to a server), [`program`] (a child
//! process), `attended` (its standard error), `http` (a server elsewhere: [`Endpoint`]), [`server`]
//! (what an agent is given), `opened` (the tools as they are listed now), `connection` (one that is
//! live), `handshake`, `fault`, `handler` and `calls` (what a server says meanwhile), `input`,
//! `sampling` and `asked` (what it asks a person or the model), `listing`, `names`, `schema`,
//! `effect`, `tool`, `offer`, `result`. With the feature `oauth`, the module `oauth` logs in to
//! servers over HTTP.
#![forbid(unsafe_code)]

mod asked;
mod attended;
mod calls;
pub mod connect;
mod connection;
mod effect;
mod fault;
mod handler;
mod handshake;
mod held;
mod http;
mod input;
mod listing;
mod names;
#[cfg(feature = "oauth")]
pub mod oauth;
mod offer;
mod opened;
pub mod program;
mod result;
mod sampling;
mod schema;
pub mod server;
mod tool;

pub use connect::{Connect, Connected, Error};
pub use http::Endpoint;
pub use names::is_server_name;
pub use program::Program;
pub use server::{Seen, Server};

//! The `legwork` command.
//!
//! A person gives a task, an agent works on it, every step is journaled; killed at any
//! moment, `legwork resume` goes on. The command depends on the façade alone and keeps
//! nothing of its own: what it shows is either news of a run or a fold over a journal.
//!
//! Read the modules in this order: `args`, `commands`, `config`, `settings`,
//! `toolset`, `worker`, `work`, then `display`.
//!
//! It is deliberately no library: all that is public is the command itself.
#![forbid(unsafe_code)]

mod acp;
mod agents;
mod approval;
mod args;
mod ceiling;
mod chat;
mod commands;
mod complete;
mod config;
mod context;
mod display;
mod error;
mod exit;
#[doc(hidden)]
pub mod fuzzing;
mod keyboard;
mod leftover;
mod mcp;
mod model;
mod notify;
mod output_schema;
mod recorded;
mod sandbox;
mod session;
mod settings;
mod shell;
mod short_id;
mod signals;
mod store_address;
mod task;
mod telemetry;
mod toolset;
mod traffic;
mod trust;
mod web;
mod work;
mod worker;

use std::process::ExitCode;

/// Runs the command with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    commands::main().into()
}

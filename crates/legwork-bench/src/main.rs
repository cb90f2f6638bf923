//! Measurements of Legwork against a hand-written baseline.
//!
//! One executable contains the scripted server, both sides of each round, and the
//! harness that starts these as child processes. It is not a profiler, and it does
//! not measure models. Read it in this order: `workload`,
//! `subject`, `server`, `harness`.

// Only a benchmark may read the clocks directly.
#![allow(clippy::disallowed_methods)]

mod api;
mod error;
mod harness;
mod measure;
mod probe;
mod script;
mod server;
mod stats;
mod stores;
mod subject;
mod syncs;
mod workload;

use std::{io::Write, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use tokio::runtime::{Builder, Runtime};

use error::Error;
use harness::Side;
use subject::{baseline::Baseline, legwork::Legwork};
use workload::{Conditions, Workload};

/// The allocator of the `legwork` command.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures Legwork against a hand-written baseline.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure both sides in rounds and report
    Run(harness::Options),
    /// Serve scripted answers until standard input closes; prints its port
    Server,
    /// Watch a store, as a process of the workload IDLE; prints what the process takes
    #[command(hide = true)]
    Watch,
    /// Measure one side once; prints its figures as JSON
    Subject {
        /// The side
        side: Side,
        /// The workload
        #[arg(ignore_case = true)]
        workload: Workload,
        /// The scripted server's address, with `/v1`
        #[arg(long)]
        base_url: String,
        /// An empty folder to write in
        #[arg(long)]
        dir: PathBuf,
        /// Bytes that the durable baseline appends in a step
        #[arg(long, default_value_t = 0)]
        bytes: usize,
        /// Durable writes that it makes of them
        #[arg(long, default_value_t = 1)]
        writes: usize,
        /// Measured executions of a counted workload, if not as many as usual
        #[arg(long)]
        executions: Option<usize>,
    },
}

fn main() -> ExitCode {
    let Err(error) = act(Cli::parse().command) else {
        return ExitCode::SUCCESS;
    };
    // If even this cannot be written, nothing is left to do.
    let _ = writeln!(std::io::stderr(), "legwork-bench: {error}");
    ExitCode::FAILURE
}

/// Does what the command line asks for.
fn act(command: Command) -> Result<(), Error> {
    match command {
        Command::Run(options) => harness::run(&options),
        Command::Watch => runtime()?.block_on(workload::watch()),
        Command::Server => runtime()?.block_on(server::main()),
        Command::Subject { side, workload, base_url, dir, bytes, writes, executions } => {
            install_crypto();
            let writes = (bytes, writes);
            let conditions = Conditions { base_url, dir, writes, executions };
            let sample = runtime()?.block_on(async {
                match side {
                    Side::Baseline => workload::measure::<Baseline>(workload, &conditions).await,
                    Side::Legwork => workload::measure::<Legwork>(workload, &conditions).await,
                }
            })?;
            let text = serde_json::to_string(&sample).map_err(Error::json("the figures"))?;
            writeln!(std::io::stdout(), "{text}").map_err(Error::io("printing the figures"))
        }
    }
}

/// The Tokio runtime of every part, with one thread.
fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread().enable_all().build().map_err(Error::io("starting a runtime"))
}

/// Installs the crypto provider of `rustls`, which `reqwest` needs even without TLS.
fn install_crypto() {
    // An error means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

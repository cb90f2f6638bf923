//! The two sides that are measured, behind one trait.
//!
//! A workload is written once, over [`Subject`]; so both sides are warmed up,
//! timed and checked by the same lines. [`baseline`] is the hand-written loop.

pub(crate) mod baseline;
pub(crate) mod legwork;
pub(crate) mod model;

pub(crate) use ::legwork::store::sqlite::Commits;

use std::{path::PathBuf, sync::Arc};

use crate::{api::Api, error::Error, harness::Side, probe::Probe, script::Script};

/// The instructions of the agent, on both sides.
pub(crate) const INSTRUCTIONS: &str = "You are a careful clerk. Use the tool for every sum.";

/// The task, on both sides.
pub(crate) const TASK: &str = "Add the numbers that you are given.";

/// The description of the tool, on both sides.
pub(crate) const ADD: &str = "Adds two whole numbers.";

/// The setup of a side.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The API of both sides.
    pub(crate) api: Api,
    /// The scripted server's address, with `/v1`.
    pub(crate) base_url: String,
    /// The script of the server.
    pub(crate) script: Script,
    /// Whether answers are streamed.
    pub(crate) streamed: bool,
    /// Pass-through hooks on all triggers; the baseline has none.
    pub(crate) hooks: usize,
    /// Where to write durably, if at all.
    pub(crate) disk: Option<Disk>,
    /// The work of the tool.
    pub(crate) probe: Arc<Probe>,
}

/// Where a side writes, and how much the baseline writes there.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// An empty folder.
    pub(crate) dir: PathBuf,
    /// Bytes that the baseline appends in each step.
    pub(crate) bytes: usize,
    /// Durable writes that the baseline makes of them in each step.
    pub(crate) writes: usize,
    /// Which thread of Legwork's store writes.
    pub(crate) commits: Commits,
}

/// One side: set up once, then run repeatedly.
pub(crate) trait Subject: Clone + Send + Sync + 'static {
    /// The side that it is.
    const SIDE: Side;

    /// Makes the agent: client, tools, store.
    fn open(setup: Setup) -> Result<Self, Error>;

    /// Runs one execution to its end and returns the final text.
    fn run(&self) -> impl Future<Output = Result<String, Error>> + Send;

    /// Bytes that the last execution of a side with a disk recorded, by step.
    ///
    /// The baseline counts the JSON of each step's messages, calls and results;
    /// Legwork counts the payload of the step's entries.
    fn recorded(&self) -> impl Future<Output = Result<Vec<usize>, Error>> + Send;
}

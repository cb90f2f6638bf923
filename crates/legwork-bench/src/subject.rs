//! The two sides under measure, behind one face.
//!
//! A workload is written once, over [`Subject`]; so both sides are warmed up,
//! timed and checked by the same lines. [`floor`] is the hand-written loop, `legwork` is ours.

pub(crate) mod floor;
pub(crate) mod legwork;
pub(crate) mod model;

pub(crate) use ::legwork::store::sqlite::Commits;

use std::{path::PathBuf, sync::Arc};

use crate::{error::Error, probe::Probe, script::Script};

/// What the agent is told on both sides.
pub(crate) const INSTRUCTIONS: &str = "You are a careful clerk. Use the tool for every sum.";

/// What the agent is asked on both sides.
pub(crate) const TASK: &str = "Add the numbers that you are given.";

/// What the tool says of itself on both sides.
pub(crate) const ADD: &str = "Adds two whole numbers.";

/// What a side is set up for.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The scripted server's address, with `/v1`.
    pub(crate) base_url: String,
    /// What the server plays.
    pub(crate) script: Script,
    /// Whether answers are streamed.
    pub(crate) streamed: bool,
    /// Pass-through hooks on all triggers; the floor has none.
    pub(crate) hooks: usize,
    /// Where to write durably, if at all.
    pub(crate) disk: Option<Disk>,
    /// The inside of the tool.
    pub(crate) probe: Arc<Probe>,
}

/// Where a side writes, and how much the floor is to write there.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// An empty folder.
    pub(crate) dir: PathBuf,
    /// Bytes that the floor appends in each step.
    pub(crate) bytes: usize,
    /// Durable writes that the floor makes of them in each step.
    pub(crate) writes: usize,
    /// Which thread writes; the floor has but one.
    pub(crate) commits: Commits,
}

/// One side: made once, then run again and again.
pub(crate) trait Subject: Clone + Send + Sync + 'static {
    /// Makes the agent: client, tools, store.
    fn open(setup: Setup) -> Result<Self, Error>;

    /// Runs one execution to its end and returns the final text.
    fn run(&self) -> impl Future<Output = Result<String, Error>> + Send;

    /// Bytes that the last execution of a side with a disk recorded, by step.
    ///
    /// The floor counts the JSON of each step's messages, calls and results;
    /// Legwork counts the payload of the entries that it keeps of the step.
    fn recorded(&self) -> impl Future<Output = Result<Vec<usize>, Error>> + Send;
}

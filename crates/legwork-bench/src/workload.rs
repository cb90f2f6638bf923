//! The workloads, each written once for both sides.

mod answer;
mod context;
mod crowd;
mod crowd_postgres;
mod fan;
mod handoff;
mod idle;
mod in_process;
mod interrupted;
mod late;
mod late_store;
mod long;
mod on_files;
mod open;
mod partial;
mod steps;
mod tools;

use std::{collections::BTreeMap, path::PathBuf, time::Duration, time::Instant};

use clap::ValueEnum;

use crate::{
    api::Api,
    error::Error,
    measure,
    probe::{Probe, StepTime},
    script::{Script, TOKEN},
    stats,
    stores::Kind,
    subject::{Commits, Disk, Setup, Subject},
};

pub(crate) use idle::watch;

/// A workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum Workload {
    /// 20 steps with one trivial tool call each
    W1,
    /// W1 with 20 pass-through hooks on all triggers
    W1h,
    /// 200 steps in one execution
    W2,
    /// W2 over Responses
    #[value(name = "W2-RESPONSES")]
    W2Responses,
    /// W2 over Messages
    #[value(name = "W2-MESSAGES")]
    W2Messages,
    /// W2 over the Gemini API
    #[value(name = "W2-GEMINI")]
    W2Gemini,
    /// W2 over Bedrock's Converse
    #[value(name = "W2-BEDROCK")]
    W2Bedrock,
    /// Step 2,000 of an execution, compared with step 10
    #[value(name = "W2-LATE")]
    W2Late,
    /// 500 executions of 5 steps at once, each answer 50 ms late
    W3,
    /// 8 tools of 100 ms in one turn
    W4,
    /// A streamed answer of 4,000 tokens
    W5,
    /// W5 over Responses
    #[value(name = "W5-RESPONSES")]
    W5Responses,
    /// W5 over Messages
    #[value(name = "W5-MESSAGES")]
    W5Messages,
    /// W5 over the Gemini API
    #[value(name = "W5-GEMINI")]
    W5Gemini,
    /// W5 over Bedrock's Converse
    #[value(name = "W5-BEDROCK")]
    W5Bedrock,
    /// A step on another API after 200 steps on one, compared with one encoding of them
    Handoff,
    /// 5,000 steps in this process, with 20 hooks and 5 criteria
    Loop,
    /// 64 calls of 10 ms in one turn, and 1,000 further tools, in this process
    Tools,
    /// An output that is read while it arrives, of 100 KB and of 1 MB
    Partial,
    /// Opening a session of 10,000 entries
    Open,
    /// Start of the `legwork` command
    Start,
    /// The `search` tool over 100,000 files, compared with `rg`
    Search,
    /// A command of the `bash` tool in bubblewrap, compared with a bare `bwrap`
    Bash,
    /// W2 with a SQLite store, its tool read-only
    Wp,
    /// WP with the store's own thread, as a server has it
    Wpg,
    /// Whole steps on SQLite and JSONL with a model in this process
    Durable,
    /// Folding and appending step 10,000 in memory, compared with step 10
    #[value(name = "LATE-MEMORY")]
    LateMemory,
    /// Folding and appending step 10,000 on SQLite, compared with step 10
    #[value(name = "LATE-SQLITE")]
    LateSqlite,
    /// Folding and appending step 10,000 on JSONL files, compared with step 10
    #[value(name = "LATE-JSONL")]
    LateJsonl,
    /// Folding and appending step 10,000 on Postgres, compared with step 10
    #[value(name = "LATE-POSTGRES")]
    LatePostgres,
    /// Folding and appending step 10,000 on Redis, compared with step 10
    #[value(name = "LATE-REDIS")]
    LateRedis,
    /// The request of step 5,000 with all transforms, compared with step 50
    Context,
    /// Opening a session of 10,000 entries on Postgres and Redis
    #[value(name = "OPEN-SERVERS")]
    OpenServers,
    /// 10,000 idle sessions in a store that a worker watches
    Idle,
    /// What 1,000 interrupted sessions owe, on SQLite
    Interrupted,
    /// 500 sessions of 5 steps at once on one Postgres, compared with bare inserts
    #[value(name = "CROWD-POSTGRES")]
    CrowdPostgres,
}

impl Workload {
    /// All, in the order in which they run: those that write to the disk come last.
    pub(crate) const ALL: &[Self] = &[
        Self::W1,
        Self::W1h,
        Self::W2,
        Self::W2Responses,
        Self::W2Messages,
        Self::W2Gemini,
        Self::W2Bedrock,
        Self::W2Late,
        Self::W3,
        Self::W4,
        Self::W5,
        Self::W5Responses,
        Self::W5Messages,
        Self::W5Gemini,
        Self::W5Bedrock,
        Self::Handoff,
        Self::Loop,
        Self::Tools,
        Self::Partial,
        Self::Open,
        Self::Start,
        Self::Search,
        Self::Bash,
        Self::Wp,
        Self::Wpg,
        Self::Durable,
        Self::LateMemory,
        Self::LateSqlite,
        Self::LateJsonl,
        Self::LatePostgres,
        Self::LateRedis,
        Self::Context,
        Self::OpenServers,
        Self::Idle,
        Self::Interrupted,
        Self::CrowdPostgres,
    ];

    /// Its name in the command line and the report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::W1 => "W1",
            Self::W1h => "W1H",
            Self::W2 => "W2",
            Self::W2Responses => "W2-RESPONSES",
            Self::W2Messages => "W2-MESSAGES",
            Self::W2Gemini => "W2-GEMINI",
            Self::W2Bedrock => "W2-BEDROCK",
            Self::W2Late => "W2-LATE",
            Self::W3 => "W3",
            Self::W4 => "W4",
            Self::W5 => "W5",
            Self::W5Responses => "W5-RESPONSES",
            Self::W5Messages => "W5-MESSAGES",
            Self::W5Gemini => "W5-GEMINI",
            Self::W5Bedrock => "W5-BEDROCK",
            Self::Handoff => "HANDOFF",
            Self::Wp => "WP",
            Self::Wpg => "WPG",
            Self::Loop => "LOOP",
            Self::Tools => "TOOLS",
            Self::Partial => "PARTIAL",
            Self::Open => "OPEN",
            Self::Start => "START",
            Self::Search => "SEARCH",
            Self::Bash => "BASH",
            Self::Durable => "DURABLE",
            Self::LateMemory => "LATE-MEMORY",
            Self::LateSqlite => "LATE-SQLITE",
            Self::LateJsonl => "LATE-JSONL",
            Self::LatePostgres => "LATE-POSTGRES",
            Self::LateRedis => "LATE-REDIS",
            Self::Context => "CONTEXT",
            Self::OpenServers => "OPEN-SERVERS",
            Self::Idle => "IDLE",
            Self::Interrupted => "INTERRUPTED",
            Self::CrowdPostgres => "CROWD-POSTGRES",
        }
    }

    /// Whether it is measured on Legwork alone: its baseline, if it has one, is within it.
    pub(crate) const fn is_alone(self) -> bool {
        self.is_once()
            || matches!(self, Self::W2Late | Self::Loop | Self::Tools | Self::Partial | Self::Open)
    }

    /// Whether it is measured in the first round only: it takes long, and repeats within itself what
    /// it compares.
    pub(crate) const fn is_once(self) -> bool {
        matches!(
            self,
            Self::Durable
                | Self::LateMemory
                | Self::LateSqlite
                | Self::LateJsonl
                | Self::LatePostgres
                | Self::LateRedis
                | Self::Context
                | Self::OpenServers
                | Self::Idle
                | Self::Interrupted
                | Self::CrowdPostgres
        )
    }

    /// The API that its models speak.
    const fn api(self) -> Api {
        match self {
            Self::W2Responses | Self::W5Responses => Api::Responses,
            Self::W2Messages | Self::W5Messages => Api::Messages,
            Self::W2Gemini | Self::W5Gemini => Api::Gemini,
            Self::W2Bedrock | Self::W5Bedrock => Api::Bedrock,
            _ => Api::Chat,
        }
    }
}

/// The figures of one side in one round, by the name of the measure.
pub(crate) type Sample = BTreeMap<String, f64>;

/// The conditions of one side in one round.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// The scripted server's address, with `/v1`.
    pub(crate) base_url: String,
    /// An empty folder, for a workload that writes.
    pub(crate) dir: PathBuf,
    /// Bytes and durable writes per step, for the durable baseline.
    pub(crate) writes: (usize, usize),
    /// The number of measured executions of a counted workload; none = the usual one.
    pub(crate) executions: Option<usize>,
}

impl Conditions {
    /// A setup for a plain script: unstreamed, no hooks, no disk, a fast tool.
    fn setup(&self, script: Script) -> Setup {
        Setup {
            api: Api::Chat,
            base_url: self.base_url.clone(),
            script,
            streamed: false,
            hooks: 0,
            disk: None,
            probe: Probe::new(Duration::ZERO),
        }
    }

    /// The folder for a workload that writes.
    fn disk(&self) -> Disk {
        let (bytes, writes) = self.writes;
        Disk { dir: self.dir.clone(), bytes, writes, commits: Commits::Inline }
    }
}

/// Measures one side once: warm up, run, check that the work was done.
///
/// # Errors
/// The side failed, or did not do what the script asks for.
pub(crate) async fn measure<S: Subject>(
    workload: Workload,
    conditions: &Conditions,
) -> Result<Sample, Error> {
    let faults = measure::page_faults();
    let mut sample = match workload {
        Workload::W1 => steps::measure::<S>(conditions, 0).await?,
        Workload::W1h => steps::measure::<S>(conditions, 20).await?,
        Workload::W2
        | Workload::W2Responses
        | Workload::W2Messages
        | Workload::W2Gemini
        | Workload::W2Bedrock => long::measure::<S>(conditions, workload.api()).await?,
        Workload::W3 => crowd::measure::<S>(conditions).await?,
        Workload::W4 => fan::measure::<S>(conditions).await?,
        Workload::W5
        | Workload::W5Responses
        | Workload::W5Messages
        | Workload::W5Gemini
        | Workload::W5Bedrock => answer::measure::<S>(conditions, workload.api()).await?,
        Workload::Handoff => handoff::measure(S::SIDE, conditions).await?,
        Workload::Wp => long::measure_durable::<S>(conditions, Commits::Inline).await?,
        Workload::Wpg => long::measure_durable::<S>(conditions, Commits::Grouped).await?,
        // The baseline has no loop, no partial outputs and no store that could be measured alone.
        Workload::Loop => in_process::measure(conditions.executions).await?,
        Workload::Tools => tools::measure().await?,
        Workload::W2Late => late::measure(conditions).await?,
        Workload::Partial => partial::measure()?,
        Workload::Open => {
            open::measure(conditions, &[Kind::Sqlite, Kind::Jsonl, Kind::Memory]).await?
        }
        Workload::OpenServers => open::measure(conditions, &[Kind::Postgres, Kind::Redis]).await?,
        Workload::Durable => on_files::measure(conditions).await?,
        Workload::LateMemory => late_store::measure(Kind::Memory, conditions).await?,
        Workload::LateSqlite => late_store::measure(Kind::Sqlite, conditions).await?,
        Workload::LateJsonl => late_store::measure(Kind::Jsonl, conditions).await?,
        Workload::LatePostgres => late_store::measure(Kind::Postgres, conditions).await?,
        Workload::LateRedis => late_store::measure(Kind::Redis, conditions).await?,
        Workload::Context => context::measure().await?,
        Workload::Idle => idle::measure(conditions).await?,
        Workload::Interrupted => interrupted::measure(conditions).await?,
        Workload::CrowdPostgres => crowd_postgres::measure(conditions).await?,
        // Commands are started by the harness, not by a side.
        Workload::Start | Workload::Search | Workload::Bash => Sample::new(),
    };
    if let Some(peak) = measure::peak_mb() {
        // A workload that does more after its peak has measured it itself.
        sample.entry("peak_mb".to_owned()).or_insert(peak);
    }
    if let (Some(before), Some(after)) = (faults, measure::page_faults()) {
        sample.insert("page_faults".to_owned(), (after - before) as f64);
    }
    Ok(sample)
}

/// Measures one execution by wall and processor time, in seconds, and checks it.
async fn timed<S: Subject>(subject: &S, setup: &Setup) -> Result<(f64, f64), Error> {
    let (start, cpu) = (Instant::now(), measure::cpu());
    let text = subject.run().await?;
    let (wall, cpu) = (start.elapsed(), measure::cpu() - cpu);
    check("length of the final text", setup.script.tokens * TOKEN.len(), text.len())?;
    Ok((wall.as_secs_f64(), cpu.as_secs_f64()))
}

/// Fails if a run did not do the work.
pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Outcome { what, expected: expected.to_string(), found: found.to_string() })
}

/// The median of one clock over a window.
fn middle(window: &[StepTime], clock: impl Fn(&StepTime) -> f64) -> f64 {
    let figures: Vec<_> = window.iter().map(clock).collect();
    stats::median(&figures).unwrap_or_default()
}

/// A sample of these figures.
fn sample<const N: usize>(figures: [(&str, f64); N]) -> Sample {
    figures.map(|(name, figure)| (name.to_owned(), figure)).into()
}

#[cfg(test)]
mod tests;

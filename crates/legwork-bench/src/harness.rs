//! The harness: runs rounds of child processes and summarizes their figures.

mod bash;
mod child;
mod counts;
mod report;
mod search;
mod start;
mod target;

use std::{collections::BTreeMap, io::Write, path::PathBuf};

use bash::Bash;
use child::Server;
use report::Row;
use search::Search;
use start::Command;

use crate::{
    error::Error,
    workload::{Conditions, Sample, Workload},
};

/// What to measure, how often, and how to report it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Workloads to measure; all when none is named
    #[arg(ignore_case = true)]
    workloads: Vec<Workload>,
    /// Rounds; each measures every workload once on both sides
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Print one line of JSON per measure instead of tables
    #[arg(long)]
    json: bool,
    /// Fail if a target is missed
    #[arg(long)]
    check: bool,
    /// Run the baseline on both sides: the ratios then show this machine's noise
    #[arg(long, conflicts_with_all = ["json", "check"])]
    null: bool,
    /// The `legwork` command to start [default: the one next to this executable]
    #[arg(long, value_name = "PATH")]
    legwork: Option<PathBuf>,
    /// Where to write; its disk determines the cost of a durable write
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// One of the two sides that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Side {
    /// The hand-written loop
    Baseline,
    /// Legwork
    Legwork,
}

/// All samples, in the order of the rounds.
type Samples = BTreeMap<(Workload, Side), Vec<Sample>>;

/// Measures, and prints the report.
///
/// # Errors
/// A child failed, or a target was missed under `--check`.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let samples = rounds(options)?;
    let rows = target::MEASURES
        .iter()
        .filter_map(|measure| Row::of(measure, &samples))
        .collect::<Vec<_>>();
    let text = match options.json {
        true => report::lines(&rows)?,
        false => report::tables(&rows, options.rounds),
    };
    if options.null {
        say("the column `legwork` is the baseline again")?;
    }
    write!(std::io::stdout(), "{text}").map_err(Error::io("printing the report"))?;
    let missed = rows.iter().filter(|row| row.is_missed()).count();
    match options.check && missed > 0 {
        true => Err(Error::Missed(missed)),
        false => Ok(()),
    }
}

/// Runs all rounds: each workload once on each side, then all again.
fn rounds(options: &Options) -> Result<Samples, Error> {
    let workloads = match options.workloads.is_empty() {
        true => Workload::ALL,
        false => options.workloads.as_slice(),
    };
    let bench = Bench::open(options, workloads)?;
    let mut samples = counted(&bench, workloads)?;
    for round in 1..=options.rounds {
        say(&format!("round {round} of {}", options.rounds))?;
        for workload in workloads.iter().filter(|workload| round == 1 || !workload.is_once()) {
            for (side, sample) in bench.measure(*workload)? {
                samples.entry((*workload, side)).or_default().push(sample);
            }
        }
    }
    Ok(samples)
}

/// Counts what both sides execute, once: the counts hardly differ from run to run.
fn counted(bench: &Bench, workloads: &[Workload]) -> Result<Samples, Error> {
    let mut samples = Samples::new();
    let workloads = workloads.iter().filter(|workload| counts::is_counted(**workload));
    for workload in workloads {
        if let Some(missing) = counts::missing() {
            say(&format!("skipping the counts: there is no `{missing}`"))?;
            return Ok(samples);
        }
        say(&format!("counting {}", workload.name()))?;
        let sides = match workload {
            Workload::W2Late => &[Side::Legwork][..],
            _ => &[Side::Baseline, Side::Legwork],
        };
        for side in sides.iter().copied() {
            samples.insert((*workload, side), vec![bench.count(side, *workload)?]);
        }
    }
    Ok(samples)
}

/// Reports progress on standard error.
fn say(line: &str) -> Result<(), Error> {
    writeln!(std::io::stderr(), "{line}").map_err(Error::io("printing progress"))
}

/// What all rounds use: the server, the command, and the load of the durable baseline.
struct Bench {
    server: Server,
    command: Option<Command>,
    search: Option<Search>,
    bash: Option<Bash>,
    writes: (usize, usize),
    dir: PathBuf,
    null: bool,
}

impl Bench {
    /// Starts the server and whatever else the workloads need.
    fn open(options: &Options, workloads: &[Workload]) -> Result<Self, Error> {
        let dir = options.dir.clone().unwrap_or_else(std::env::temp_dir);
        std::fs::create_dir_all(&dir).map_err(Error::io(format!("making {}", dir.display())))?;
        let mut bench = Self {
            server: Server::start()?,
            command: None,
            search: None,
            bash: None,
            writes: (0, 1),
            dir,
            null: options.null,
        };
        if workloads.contains(&Workload::Start) {
            bench.command = Some(Command::open(options.legwork.as_deref(), &bench.dir)?);
        }
        if workloads.contains(&Workload::Search) {
            let legwork = start::found(options.legwork.as_deref())?;
            match search::has_baseline() {
                true => bench.search = Some(Search::open(&legwork, &bench.dir)?),
                false => say("skipping SEARCH: its baseline is `rg`, and there is none")?,
            }
        }
        if workloads.contains(&Workload::Bash) {
            match bash::has_baseline() {
                true => bench.bash = Some(Bash::open(&bench.dir)?),
                false => say("skipping BASH: its baseline is `bwrap`, which does not work here")?,
            }
        }
        if workloads.iter().any(|one| matches!(one, Workload::Wp | Workload::Wpg)) {
            bench.writes = bench.trial()?;
        }
        Ok(bench)
    }

    /// What Legwork writes per step, which the durable baseline then writes too.
    fn trial(&self) -> Result<(usize, usize), Error> {
        let sample = self.side(Side::Legwork, Workload::Wp)?;
        let figure = |name| sample.get(name).copied().unwrap_or_default().round() as usize;
        Ok((figure("payload_bytes_per_step"), figure("durable_writes_per_step")))
    }

    /// One round of one workload.
    fn measure(&self, workload: Workload) -> Result<Vec<(Side, Sample)>, Error> {
        if let (Workload::Start, Some(command)) = (workload, &self.command) {
            return Ok(vec![(Side::Legwork, command.measure()?)]);
        }
        if workload == Workload::Handoff {
            // It is counted, and has no times.
            return Ok(Vec::new());
        }
        if workload.is_alone() {
            return Ok(vec![(Side::Legwork, self.side(Side::Legwork, workload)?)]);
        }
        let measure = |side| match (workload, &self.search) {
            (Workload::Search, Some(search)) if self.null => search.measure(Side::Baseline),
            (Workload::Search, Some(search)) => search.measure(side),
            (Workload::Search, None) => Ok(Sample::new()),
            (Workload::Bash, _) => match (&self.bash, self.null) {
                (Some(bash), true) => bash.measure(Side::Baseline),
                (Some(bash), false) => bash.measure(side),
                (None, _) => Ok(Sample::new()),
            },
            _ => self.side(side, workload),
        };
        [Side::Baseline, Side::Legwork].into_iter().map(|side| Ok((side, measure(side)?))).collect()
    }

    /// One side of one round.
    fn side(&self, side: Side, workload: Workload) -> Result<Sample, Error> {
        self.in_folder(side, workload, child::subject)
    }

    /// The counts of one side; empty for a workload that is not counted.
    fn count(&self, side: Side, workload: Workload) -> Result<Sample, Error> {
        self.in_folder(side, workload, counts::measure)
    }

    /// Measures a side in a temporary folder.
    fn in_folder(
        &self,
        side: Side,
        workload: Workload,
        take: impl FnOnce(Side, Workload, &Conditions) -> Result<Sample, Error>,
    ) -> Result<Sample, Error> {
        let dir = tempfile::Builder::new()
            .prefix("legwork-bench-")
            .tempdir_in(&self.dir)
            .map_err(Error::io("making a folder to write in"))?;
        let conditions = Conditions {
            base_url: self.server.base_url(),
            dir: dir.path().to_owned(),
            writes: self.writes,
            executions: None,
        };
        let played = if self.null { Side::Baseline } else { side };
        take(played, workload, &conditions)
    }
}

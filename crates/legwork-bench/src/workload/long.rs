//! W2 and WP: whether late steps cost more than early ones.

use std::path::Path;

use super::{Conditions, Sample, check, middle, sample, timed};
use crate::{
    api::Api,
    error::Error,
    measure,
    probe::{self, Stamp},
    script::Script,
    stats,
    subject::{Commits, Disk, Setup, Subject},
    syncs::Syncs,
};

/// Steps of the execution.
const STEPS: usize = 200;

/// The steps that are measured.
const LOOKS: [usize; 3] = [10, 100, 200];

/// Measured executions of W2; WP has one, its disk is slow.
const RUNS: usize = 5;

/// Runs 200 steps with one tool call each, some times.
pub(super) async fn measure<S: Subject>(
    conditions: &Conditions,
    api: Api,
) -> Result<Sample, Error> {
    let setup = Setup { api, ..conditions.setup(Script::steps(STEPS)) };
    let subject = S::open(setup.clone())?;
    timed(&subject, &setup).await?;
    setup.probe.take();
    let (mut walls, mut cpus, mut windows) = (Vec::new(), 0.0, LOOKS.map(|_| Vec::new()));
    let runs = conditions.executions.unwrap_or(RUNS);
    for _ in 0..runs {
        let (wall, cpu) = timed(&subject, &setup).await?;
        walls.push(wall);
        cpus += cpu;
        let times = probe::step_times(&stamps(&setup)?);
        for (window, number) in windows.iter_mut().zip(LOOKS) {
            window.extend_from_slice(probe::around(&times, number));
        }
    }
    let mut sample = sample([
        ("wall_ms", stats::median(&walls).unwrap_or_default() * 1e3),
        ("cpu_us_per_step", cpus * 1e6 / (runs * STEPS) as f64),
    ]);
    for (window, number) in windows.iter().zip(LOOKS) {
        sample.insert(format!("wall_us_step_{number}"), middle(window, |t| t.wall_us));
        sample.insert(format!("cpu_us_step_{number}"), middle(window, |t| t.cpu_us));
    }
    Ok(sample)
}

/// Executions before the measured one of WP. After these Legwork's store has just emptied
/// its log, so that the files only grow in the measured one.
const WARM_UPS: usize = 2;

/// Runs 200 steps once, on a disk; this thread writes, or one of the store.
pub(super) async fn measure_durable<S: Subject>(
    conditions: &Conditions,
    commits: Commits,
) -> Result<Sample, Error> {
    let disk = Some(Disk { commits, ..conditions.disk() });
    let setup = Setup { disk, ..conditions.setup(Script::steps(STEPS)) };
    let subject = S::open(setup.clone())?;
    for _ in 0..WARM_UPS {
        timed(&subject, &setup).await?;
    }
    setup.probe.take();
    let before = (Syncs::so_far(), measure::written(), size(&conditions.dir)?);
    let (wall, cpu) = timed(&subject, &setup).await?;
    let syncs = Syncs::since(before.0);
    let stamps = stamps(&setup)?;
    let times = probe::step_times(&stamps);
    let within = writes_within(&stamps);
    let (steps, storage) = (STEPS as f64, syncs.time.as_secs_f64());
    let mut sample = sample([
        ("wall_ms_per_step", wall * 1e3 / steps),
        ("cpu_us_per_step", cpu * 1e6 / steps),
        ("durable_writes_per_step", within / times.len() as f64),
        ("durable_writes_around", syncs.count as f64 - within),
        ("storage_ms_per_step", storage * 1e3 / steps),
        ("beside_ms_per_step", (wall - storage) * 1e3 / steps),
        ("file_bytes_per_step", (size(&conditions.dir)? - before.2) / steps),
    ]);
    if let (Some(from), Some(to)) = (before.1, measure::written()) {
        sample.insert("written_bytes_per_step".to_owned(), (to - from) as f64 / steps);
    }
    for number in LOOKS {
        let window = probe::around(&times, number);
        sample.insert(format!("wall_us_step_{number}"), middle(window, |t| t.wall_us));
    }
    sample.extend(payload(&subject.recorded().await?)?);
    Ok(sample)
}

/// The bytes that steps recorded: on average, at the measured steps, and their ratio.
fn payload(steps: &[usize]) -> Result<Sample, Error> {
    check("steps on record", STEPS, steps.len())?;
    let total: usize = steps.iter().sum();
    let at = |number: usize| {
        let end = number.min(STEPS - 1);
        let window = steps.get(end.saturating_sub(5)..end).unwrap_or_default();
        window.iter().sum::<usize>() as f64 / window.len().max(1) as f64
    };
    let mut sample = sample([
        ("payload_bytes_per_step", total as f64 / STEPS as f64),
        ("payload_growth", at(200) / at(10)),
    ]);
    for number in LOOKS {
        sample.insert(format!("payload_bytes_step_{number}"), at(number));
    }
    Ok(sample)
}

/// The calls of the execution that just ended.
fn stamps(setup: &Setup) -> Result<Vec<Stamp>, Error> {
    let stamps = setup.probe.take();
    check("tool calls", setup.script.total_calls(), stamps.len())?;
    Ok(stamps)
}

/// Durable writes from the first call to the last.
fn writes_within(stamps: &[Stamp]) -> f64 {
    match (stamps.first(), stamps.last()) {
        (Some(first), Some(last)) => (last.syncs.count - first.syncs.count) as f64,
        _ => 0.0,
    }
}

/// Bytes of all files of a folder.
fn size(dir: &Path) -> Result<f64, Error> {
    let what = || Error::io(format!("looking into {}", dir.display()));
    let mut total = 0;
    for file in std::fs::read_dir(dir).map_err(what())? {
        let file = file.map_err(what())?;
        total += file.metadata().map_err(what())?.len();
    }
    Ok(total as f64)
}

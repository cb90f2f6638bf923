//! How many instructions and system calls a side executes, which noise does not affect.
//!
//! A side runs twice, with few and with more executions; the difference is the count of the
//! executions, without start and warm-up.

use std::{fs, path::Path, process::Command};

use super::{Side, child};
use crate::{
    api::Api,
    error::Error,
    workload::{Conditions, Sample, Workload},
};

/// What is counted, and how.
struct Counter {
    /// The name of the figure, without the unit of work.
    name: &'static str,
    /// The program that counts.
    program: &'static str,
    /// Its arguments, before the output file.
    args: &'static [&'static str],
    /// The option for the output file.
    output: &'static str,
    /// Reads the count from the file.
    read: fn(&str) -> Option<f64>,
}

const COUNTERS: [Counter; 2] = [
    Counter {
        name: "instructions",
        program: "valgrind",
        args: &["--quiet", "--tool=callgrind"],
        output: "--callgrind-out-file=",
        read: instructions,
    },
    Counter {
        name: "syscalls",
        program: "strace",
        args: &["--follow-forks", "--summary-only"],
        output: "--output=",
        read: syscalls,
    },
];

/// What a workload is counted over.
struct Extent {
    /// Executions of the first and of the second run; of W2-LATE the steps of its one execution.
    executions: (usize, usize),
    /// The unit of the counts, and how many of it an execution has.
    unit: (&'static str, f64),
}

/// The early and the late steps of W2-LATE; of the late ones many, because what the allocator does
/// at the end of so long a run would upset the counts of a few.
const EARLY: Extent = Extent { executions: (5, 25), unit: ("step_10", 1.0) };
const LATE: Extent = Extent { executions: (1_800, 2_200), unit: ("step_2000", 1.0) };

/// What a workload is counted over; none if it is not counted.
fn extent(workload: Workload) -> Option<Extent> {
    let (executions, unit) = match workload {
        Workload::W1 | Workload::W1h => ((10, 40), ("step", 20.0)),
        Workload::W2
        | Workload::W2Responses
        | Workload::W2Messages
        | Workload::W2Gemini
        | Workload::W2Bedrock => ((1, 3), ("step", 200.0)),
        Workload::W5
        | Workload::W5Responses
        | Workload::W5Messages
        | Workload::W5Gemini
        | Workload::W5Bedrock => ((5, 25), ("answer", 1.0)),
        Workload::Handoff => ((1, 4), ("handoff", Api::ALL.len() as f64)),
        _ => return None,
    };
    Some(Extent { executions, unit })
}

/// Whether a workload is counted.
pub(super) fn is_counted(workload: Workload) -> bool {
    workload == Workload::W2Late || extent(workload).is_some()
}

/// A counting program that is not installed.
pub(super) fn missing() -> Option<&'static str> {
    let works = |program: &str| Command::new(program).arg("--version").output().is_ok();
    COUNTERS.map(|counter| counter.program).into_iter().find(|program| !works(program))
}

/// The counts of one side; none for a workload that is not counted.
///
/// # Errors
/// A counting program failed, or did not write a count.
pub(super) fn measure(
    side: Side,
    workload: Workload,
    conditions: &Conditions,
) -> Result<Sample, Error> {
    let mut sample = Sample::new();
    if workload == Workload::W2Late {
        let counters = &COUNTERS[..1];
        for extent in [EARLY, LATE] {
            sample.extend(difference(side, workload, conditions, &extent, counters)?);
        }
        let figure = |name: &str| sample.get(name).copied().unwrap_or_default();
        let growth = figure("instructions_per_step_2000") / figure("instructions_per_step_10");
        sample.insert("instruction_growth".to_owned(), growth);
    } else if let Some(extent) = extent(workload) {
        sample = difference(side, workload, conditions, &extent, &COUNTERS)?;
    }
    Ok(sample)
}

/// What the executions by which two runs differ come to, for each unit.
fn difference(
    side: Side,
    workload: Workload,
    conditions: &Conditions,
    extent: &Extent,
    counters: &[Counter],
) -> Result<Sample, Error> {
    let Extent { executions: (few, more), unit: (unit, size) } = *extent;
    let mut sample = Sample::new();
    for counter in counters {
        let count = |executions| {
            let executions = Some(executions);
            let conditions = Conditions { executions, ..conditions.clone() };
            counter.count(side, workload, &conditions)
        };
        let one = (count(more)? - count(few)?) / (more - few) as f64;
        sample.insert(format!("{}_per_{unit}", counter.name), one / size);
    }
    Ok(sample)
}

impl Counter {
    /// Counts a whole process.
    fn count(&self, side: Side, workload: Workload, conditions: &Conditions) -> Result<f64, Error> {
        let file = conditions.dir.join(self.program);
        let mut tracer = Command::new(self.program);
        tracer.args(self.args).arg(format!("{}{}", self.output, file.display()));
        child::subject_under(&mut tracer, side, workload, conditions)?;
        self.read(&file)
    }

    fn read(&self, file: &Path) -> Result<f64, Error> {
        let text = fs::read_to_string(file)
            .map_err(Error::io(format!("reading what {} counted", self.program)))?;
        (self.read)(&text).ok_or_else(|| Error::Outcome {
            what: "what a tracer counted",
            expected: format!("a count of {}", self.name),
            found: text.lines().last().unwrap_or_default().to_owned(),
        })
    }
}

/// The line `summary: 12345` of a file of callgrind.
fn instructions(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("summary:"))?.trim().parse().ok()
}

/// The fourth column of the line that ends with `total`.
fn syscalls(text: &str) -> Option<f64> {
    let total = text.lines().rfind(|line| line.trim_end().ends_with(" total"))?;
    total.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests;

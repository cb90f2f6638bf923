//! `cargo xtask mutants`: whether the tests of a crate notice when its code changes.
//!
//! `cargo-mutants` changes one expression at a time in a copy of the tree and runs the
//! crate's tests. A mutant that no test notices survives; `xtask/survivors/CRATE.txt` lists
//! those that may, with a reason each. Any other survivor fails the command, as does a
//! crate below its target.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{cargo, test};

mod outcomes;
mod survivors;
#[cfg(test)]
mod tests;

use outcomes::{Mutant, Outcomes};
use survivors::Survivors;

/// The crates that are held to a target: the least share of caught mutants, in percent.
const TARGETS: &[(&str, u64)] = &[
    ("legwork-core", 97),
    ("legwork-toolset", 92),
    ("legwork-lifecycle", 92),
    ("legwork-session", 92),
    ("legwork-runtime", 92),
    ("legwork-agent", 92),
    ("legwork-orchestrate", 92),
    ("legwork-output", 92),
    ("legwork-store", 92),
];

/// Crates whose behaviour is tested from above, and the crates whose tests do.
const TESTED_BY: &[(&str, &[&str])] = &[
    ("legwork-toolset", &["legwork-toolset", "legwork-agent"]),
    ("legwork-lifecycle", &["legwork-lifecycle", "legwork-agent"]),
    ("legwork-session", &["legwork-session", "legwork-agent"]),
    ("legwork-runtime", &["legwork-runtime", "legwork-agent"]),
    ("legwork-orchestrate", &["legwork-orchestrate", "legwork-agent"]),
];

const FOLDER: &str = "xtask/survivors";

/// What is asked for when arguments are wrong.
const USAGE: &str = "takes [CRATE..] [--shard K/N] [--file GLOB] [--jobs N] [--list]";

/// Seconds until a mutant's tests are ended. The tests of a crate take a tenth of it.
const TIMEOUT: &str = "180";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// Those with a target when there is none.
    crates: Vec<String>,
    /// `K/N`: every Nth mutant from the Kth on, K from 0.
    shard: Option<String>,
    files: Vec<String>,
    jobs: Option<String>,
    list: bool,
}

impl Plan {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut plan = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().cloned().ok_or(format!("{arg} takes a value; {USAGE}"));
            match arg.as_str() {
                "--list" => plan.list = true,
                "--shard" => plan.shard = Some(value()?),
                "--file" => plan.files.push(value()?),
                "--jobs" => plan.jobs = Some(value()?),
                flag if flag.starts_with('-') => return Err(format!("{USAGE}, not `{flag}`")),
                name => plan.crates.push(name.to_owned()),
            }
        }
        if plan.crates.is_empty() {
            plan.crates = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        }
        Ok(plan)
    }

    /// The flags that choose mutants of a crate.
    fn choice(&self, package: &str) -> Vec<String> {
        let mut flags = vec!["--package".to_owned(), package.to_owned()];
        for file in &self.files {
            flags.extend(["--file".to_owned(), file.clone()]);
        }
        if let Some(shard) = &self.shard {
            flags.extend(["--sharding", "round-robin", "--shard", shard].map(str::to_owned));
        }
        flags
    }
}

/// Tests the mutants of each crate, and fails for one whose tests notice too little.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let plan = Plan::read(args)?;
    if !test::has_nextest() {
        return Err("it needs nextest: `cargo install --locked cargo-nextest`".to_owned());
    }
    install()?;
    let results = plan.crates.iter().map(|package| of_crate(package, &plan));
    let problems: Vec<_> = results.filter_map(Result::err).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("\n")),
    }
}

/// Installs `cargo-mutants` where it is missing.
fn install() -> Result<(), String> {
    let version = cargo::command().args(["mutants", "--version"]).output();
    if version.is_ok_and(|version| version.status.success()) {
        return Ok(());
    }
    println!("installing cargo-mutants");
    let status = cargo::command().args(["install", "--locked", "cargo-mutants"]).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err("`cargo install --locked cargo-mutants` failed; see above".to_owned()),
    }
}

fn of_crate(package: &str, plan: &Plan) -> Result<(), String> {
    if plan.list {
        return started(cargo::command().arg("mutants").arg("--list").args(plan.choice(package)));
    }
    let path = cargo::root().join(FOLDER).join(format!("{package}.txt"));
    let listed = match path.exists() {
        true => Survivors::read(&text(&path)?).map_err(|it| format!("{}: {it}", path.display()))?,
        false => Survivors::default(),
    };
    let all = all(package)?;
    let outcomes = tested(package, plan)?;
    let report = Report { package, all: &all, listed: &listed, outcomes: &outcomes };
    println!("{report}");
    let problems = report.problems();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("\n")),
    }
}

/// All mutants of a crate, without testing them.
fn all(package: &str) -> Result<Vec<Mutant>, String> {
    let output = cargo::command()
        .args(["mutants", "--list", "--json", "--package", package])
        .output()
        .map_err(|error| format!("cannot start `cargo mutants`: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    outcomes::mutants(&String::from_utf8_lossy(&output.stdout))
}

/// Tests the mutants that were chosen; a baseline without a change comes first.
fn tested(package: &str, plan: &Plan) -> Result<Outcomes, String> {
    let folder = cargo::metadata()?.target_directory.join("mutants").join(package);
    let cannot = |error| format!("cannot make {}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(cannot)?;
    // Outcomes of an earlier run are not read for this one.
    let _ = fs::remove_file(folder.join("mutants.out/outcomes.json"));
    let mut command = cargo::command();
    command.args(["mutants", "--test-tool", "nextest", "--cap-lints", "true"]);
    command.args(["--timeout", TIMEOUT, "--output"]).arg(&folder);
    command.args(plan.choice(package));
    for (_, tests) in TESTED_BY.iter().filter(|(name, _)| *name == package) {
        command.args(tests.iter().flat_map(|tests| ["--test-package", tests]));
    }
    command.args(["--jobs", plan.jobs.as_deref().unwrap_or("2")]);
    // A test that hangs ends the run, long before the timeout; debug information would only
    // fill the disk.
    command.env("NEXTEST_PROFILE", "broken");
    command.envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_TEST_DEBUG", "0")]);
    let status =
        command.status().map_err(|error| format!("cannot start `cargo mutants`: {error}"))?;
    // Survivors and timeouts are outcomes too, and a baseline that fails says so in its file.
    if !status.code().is_some_and(|code| [0, 2, 3, 4].contains(&code)) {
        return Err(format!("{package}: `cargo mutants` failed ({status}); see above"));
    }
    Outcomes::read(&text(&folder.join("mutants.out/outcomes.json"))?)
        .map_err(|problem| format!("{package}: {problem}"))
}

fn started(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("`cargo mutants` failed; its messages stand above".to_owned()),
    }
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// What the tests of a crate noticed.
struct Report<'a> {
    package: &'a str,
    all: &'a [Mutant],
    listed: &'a Survivors,
    outcomes: &'a Outcomes,
}

impl Report<'_> {
    /// The share of viable mutants that were caught, in hundredths of a percent.
    fn share(&self) -> u64 {
        let (caught, missed) = (self.outcomes.caught.len(), self.outcomes.missed.len());
        let viable = u64::try_from(caught + missed).unwrap_or(u64::MAX);
        u64::try_from(caught)
            .unwrap_or(0)
            .saturating_mul(10_000)
            .checked_div(viable)
            .unwrap_or(10_000)
    }

    /// Everything that fails the command, a line each.
    fn problems(&self) -> Vec<String> {
        let lines = |what: &str, mutants: Vec<&Mutant>| -> Vec<String> {
            mutants.into_iter().map(|Mutant(name)| format!("{what}: {name}")).collect()
        };
        let file = format!("{FOLDER}/{}.txt", self.package);
        let mut problems =
            lines("survived, and is not listed", self.listed.unlisted(self.outcomes));
        let caught = self.listed.caught(self.outcomes, self.all);
        problems.extend(lines(&format!("caught: take it out of {file}"), caught));
        let gone = self.listed.unknown(self.all);
        problems.extend(lines(&format!("there is no such mutant: take it out of {file}"), gone));
        if let Some((_, target)) = TARGETS.iter().find(|(name, _)| *name == self.package)
            && self.share() < target * 100
        {
            problems.push(format!("{}: fewer than {target} % caught", self.package));
        }
        problems
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcomes { caught, missed, unviable } = self.outcomes;
        let (whole, part) = (self.share() / 100, self.share() % 100);
        write!(f, "{}: {whole}.{part:02} % caught: ", self.package)?;
        write!(f, "{} of {} viable mutants; ", caught.len(), caught.len() + missed.len())?;
        write!(f, "{unviable} did not compile, ")?;
        write!(f, "{} of {} were tested", caught.len() + missed.len() + unviable, self.all.len())
    }
}

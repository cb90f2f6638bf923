//! What `cargo-mutants` writes: the mutants of a crate, and what became of each.

use serde::Deserialize;

/// A change of one expression, without the line it is on: `FILE: replace A with B in F`.
///
/// Two places of one function may give the same text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mutant(pub(super) String);

/// What became of the mutants that were tested.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// A test failed, or did not end.
    pub(super) caught: Vec<Mutant>,
    /// All tests passed.
    pub(super) missed: Vec<Mutant>,
    /// How many did not compile: they say nothing about tests.
    pub(super) unviable: usize,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    file: String,
}

#[derive(Deserialize)]
struct File {
    outcomes: Vec<Outcome>,
    end_time: Option<String>,
}

#[derive(Deserialize)]
struct Outcome {
    scenario: Scenario,
    summary: Summary,
}

#[derive(Deserialize)]
enum Scenario {
    Baseline,
    Mutant(Named),
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Summary {
    Success,
    CaughtMutant,
    MissedMutant,
    Unviable,
    Failure,
    Timeout,
}

impl Mutant {
    fn of(named: &Named) -> Self {
        let Named { name, file } = named;
        let place = name.strip_prefix(file.as_str()).unwrap_or(name);
        let what = place.split_once(": ").map_or(place, |(_, what)| what);
        Self(format!("{file}: {what}"))
    }
}

/// The mutants that `cargo mutants --list --json` lists.
pub(super) fn mutants(json: &str) -> Result<Vec<Mutant>, String> {
    let named: Vec<Named> = serde_json::from_str(json)
        .map_err(|error| format!("cannot read the list of mutants: {error}"))?;
    Ok(named.iter().map(Mutant::of).collect())
}

impl Outcomes {
    /// Reads `outcomes.json`.
    ///
    /// # Errors
    /// For a run that did not end, and for one whose tests fail before anything is changed.
    pub(super) fn read(json: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(json)
            .map_err(|error| format!("cannot read the outcomes of mutants: {error}"))?;
        let mut read = Self::default();
        for Outcome { scenario, summary } in &file.outcomes {
            match (scenario, summary) {
                (Scenario::Baseline, Summary::Success) => {}
                (Scenario::Baseline, summary) => {
                    return Err(format!("without any change the tests end in {summary:?}"));
                }
                (Scenario::Mutant(named), Summary::CaughtMutant | Summary::Timeout) => {
                    read.caught.push(Mutant::of(named));
                }
                (Scenario::Mutant(named), Summary::MissedMutant) => {
                    read.missed.push(Mutant::of(named));
                }
                (Scenario::Mutant(_), Summary::Unviable) => read.unviable += 1,
                (Scenario::Mutant(named), summary) => {
                    return Err(format!("{}: ended in {summary:?}", named.name));
                }
            }
        }
        match file.end_time {
            Some(_) => Ok(read),
            None => Err("the run did not end".to_owned()),
        }
    }
}

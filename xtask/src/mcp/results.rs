//! What the conformance suite found.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A check of the suite.
#[derive(Debug, Deserialize)]
pub(super) struct Check {
    id: String,
    status: String,
    #[serde(default, rename = "errorMessage")]
    error: Option<String>,
}

/// Prints the results of scenarios, and collects those that did not pass.
#[derive(Default)]
pub(super) struct Report {
    wrong: Vec<String>,
}

impl Report {
    /// Takes the checks of a scenario.
    pub(super) fn add(&mut self, revision: &str, scenario: &str, checks: &[Check]) {
        let problems = problems(checks);
        let passed = checks.iter().filter(|check| check.status == "SUCCESS").count();
        println!("{revision} {scenario}: {passed} checks passed");
        problems.iter().for_each(|problem| println!("  {problem}"));
        if !problems.is_empty() {
            self.wrong.push(format!("{revision} {scenario}"));
        }
    }

    /// Whether all scenarios passed.
    ///
    /// # Errors
    /// When one did not.
    pub(super) fn result(self, what: &str) -> Result<(), String> {
        match self.wrong.as_slice() {
            [] => Ok(()),
            wrong => Err(format!("{what} does not conform: {}", wrong.join(", "))),
        }
    }
}

/// What is wrong: what failed or warns, and a scenario of which nothing was checked.
pub(super) fn problems(checks: &[Check]) -> Vec<String> {
    let is_wrong = |check: &&Check| matches!(check.status.as_str(), "FAILURE" | "WARNING");
    let wrong = checks.iter().filter(is_wrong).map(|check| {
        let why = check.error.as_deref().unwrap_or_default();
        format!("{} {}: {why}", check.status, check.id)
    });
    let mut wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() && !checks.iter().any(|check| check.status == "SUCCESS") {
        wrong.push("nothing was checked".to_owned());
    }
    wrong
}

/// The checks of the only scenario in a folder, at any depth; none if there are no results.
pub(super) fn of_one(folder: &Path) -> Result<Option<Vec<Check>>, String> {
    find(folder).map(|path| read(&path)).transpose()
}

/// The checks of a scenario of the server, among those of others; none if it has no results.
pub(super) fn of_server(folder: &Path, scenario: &str) -> Result<Option<Vec<Check>>, String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(None) };
    let found = entries
        .flatten()
        .find(|entry| entry.file_name().to_str().is_some_and(|name| is_of(name, scenario)));
    found.map(|entry| read(&entry.path().join("checks.json"))).transpose()
}

/// Whether a folder is that of a scenario: `server-SCENARIO-2026-07-28T10-20-30-400Z`.
pub(super) fn is_of(folder: &str, scenario: &str) -> bool {
    let rest = folder.strip_prefix("server-").and_then(|rest| rest.strip_prefix(scenario));
    let Some(time) = rest.and_then(|rest| rest.strip_prefix('-')) else { return false };
    let form = "0000-00-00T00-00-00-000Z";
    let same = |(c, form): (char, char)| if form == '0' { c.is_ascii_digit() } else { c == form };
    time.len() == form.len() && time.chars().zip(form.chars()).all(same)
}

/// The only file with results in a folder, at any depth.
fn find(folder: &Path) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => {
                if let Some(found) = find(&path) {
                    return Some(found);
                }
            }
            false if entry.file_name() == "checks.json" => return Some(path),
            false => {}
        }
    }
    None
}

fn read(path: &Path) -> Result<Vec<Check>, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| at(&error))?;
    serde_json::from_str(&text).map_err(|error| at(&error))
}

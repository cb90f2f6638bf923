//! The scenarios of the suite in which it is the server of our client.

use std::path::Path;

use super::REVISIONS;
use super::results::{self, Check, Report};
use super::suite::{Side, Suite};

/// Plays each scenario, one after the other: some of them measure times.
pub(super) fn conforms(suite: &Suite, client: &Path) -> Result<(), String> {
    let mut report = Report::default();
    for revision in REVISIONS {
        let scenarios = suite.required(revision.name, Side::Client, revision.client)?;
        for scenario in scenarios {
            let checks = play(suite, client, &scenario, revision.name)?;
            report.add(revision.name, &scenario, &checks);
        }
    }
    report.result("the client")
}

fn play(
    suite: &Suite,
    client: &Path,
    scenario: &str,
    revision: &str,
) -> Result<Vec<Check>, String> {
    let (mut command, out) = suite.play(Side::Client)?;
    command.arg("--command").arg(client);
    command.args(["--scenario", scenario, "--spec-version", revision]);
    let played = command.output();
    let played = played.map_err(|error| format!("the suite cannot be started: {error}"))?;
    results::of_one(out)?.ok_or_else(|| {
        let said = String::from_utf8_lossy(&played.stdout);
        format!("the suite gives no results for {scenario}:\n{said}")
    })
}

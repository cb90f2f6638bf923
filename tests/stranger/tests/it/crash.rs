//! Crashes at every commit of a run with the stranger's tools and lifecycle.

use legwork_port::core::{ExecutionStatus, ToolOutcome};
use legwork_testkit::crash::{self, Ended};
use stranger::chisel::Stone;
use stranger::quota::Quota;

use crate::agent::{agent, turns};

/// A numeral stands once, or the model was told that nobody knows.
fn carved_once(ended: &Ended<Stone>, number: u64, numeral: &str) -> Result<(), String> {
    let stands = ended.world.numerals().iter().filter(|there| *there == numeral).count();
    let told = ended.state.step_results().any(|result| {
        result.step.tool_executions().any(|execution| {
            *execution.outcome == ToolOutcome::Interrupted
                && execution.call.arguments.contains(&number.to_string())
        })
    });
    match (stands, told) {
        (1, _) | (0, true) => Ok(()),
        _ => Err(format!("{numeral} stands {stands} times, told as interrupted: {told}")),
    }
}

#[tokio::test]
async fn every_crash_ends_as_the_undisturbed_run() {
    let make = |stone: &Stone, store| agent(turns(), stone, store);
    let report = crash::simulate("17?", make).crash_everywhere().await.unwrap();
    assert_eq!(report.plain.world.numerals(), ["XLII", "MCMXC"]);
    assert!(report.crashed.len() >= 8, "{} crashes", report.crashed.len());
    report.check(|plain, crashed| {
        let quota = |ended: &Ended<Stone>| ended.state.context().metadata.get(Quota::NAME).cloned();
        if (quota(crashed), &crashed.text) != (quota(plain), &plain.text) {
            return Err(format!("{:?}, {:?}", quota(crashed), crashed.text));
        }
        if crashed.state.status() != Some(&ExecutionStatus::Completed) {
            return Err(format!("status {:?}", crashed.state.status()));
        }
        if crashed.world.numerals().iter().any(|numeral| numeral == "IV") {
            return Err("what was blocked was carved".to_owned());
        }
        carved_once(crashed, 42, "XLII")?;
        carved_once(crashed, 1990, "MCMXC")
    });
}

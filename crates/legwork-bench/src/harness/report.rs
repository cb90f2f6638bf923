//! The figures as tables for people and as lines for programs.

use std::fmt::Write;

use clap::ValueEnum;
use serde::Serialize;

use super::{
    Samples, Side,
    target::{Limit, Measure},
};
use crate::{error::Error, stats::Spread, workload::Workload};

/// One measure, summarized over all rounds.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    #[serde(serialize_with = "name")]
    workload: Workload,
    measure: &'static str,
    rounds: usize,
    baseline: Option<Spread>,
    legwork: Spread,
    /// Ratio of the medians; the spread is that of the ratios round by round.
    ratio: Option<Spread>,
    /// The largest figure that meets the target.
    limit: Option<f64>,
    met: Option<bool>,
    /// Whether `--check` fails if it is missed. A time does not decide where instructions were
    /// counted.
    decides: bool,
    #[serde(skip)]
    target: Option<Limit>,
}

impl Row {
    /// Summarizes a measure; none if it was not taken.
    pub(super) fn of(measure: &Measure, samples: &Samples) -> Option<Self> {
        let figures = |side| -> Vec<f64> {
            let rounds = samples.get(&(measure.workload, side));
            let rounds = rounds.map_or([].as_slice(), Vec::as_slice);
            let figure = |sample: &super::Sample| sample.get(measure.name).copied();
            rounds.iter().filter_map(figure).collect()
        };
        let (baseline, legwork) = (figures(Side::Baseline), figures(Side::Legwork));
        let (below, above) = (Spread::of(&baseline), Spread::of(&legwork)?);
        let median = below.map(|spread| spread.median);
        let limit = measure.limit.and_then(|limit| limit.value(median));
        Some(Self {
            workload: measure.workload,
            measure: measure.name,
            rounds: legwork.len(),
            baseline: below,
            legwork: above,
            ratio: Spread::ratio(&legwork, &baseline).filter(|ratio| ratio.median.is_finite()),
            limit,
            met: limit.map(|limit| above.median <= limit),
            decides: !is_time(measure.name) || !is_counted(measure.workload, samples),
            target: measure.limit,
        })
    }

    /// Whether a target is missed that decides.
    pub(super) fn is_missed(&self) -> bool {
        self.decides && self.met == Some(false)
    }

    /// The row as a line of a table.
    fn line(&self) -> String {
        let baseline = self.baseline.map_or(String::new(), |baseline| number(baseline.median));
        let (ratio, spread) = match &self.ratio {
            Some(ratio) => (format!("{:.2}", ratio.median), spread(ratio)),
            None => (String::new(), spread(&self.legwork)),
        };
        let verdict = match self.met {
            Some(true) => "met",
            Some(false) if self.decides => "MISSED",
            Some(false) => "missed (counts decide)",
            None => "",
        };
        let line = format!(
            "  {:<25}{baseline:>10}{:>10}{ratio:>7}  {spread:<32}{:<20}{verdict}",
            self.measure,
            number(self.legwork.median),
            self.target.map_or(String::new(), target),
        );
        line.trim_end().to_owned()
    }
}

/// Whether a measure is a time.
fn is_time(measure: &str) -> bool {
    measure.starts_with("cpu_") || measure.starts_with("wall_")
}

/// Whether the instructions of a workload were counted.
fn is_counted(workload: Workload, samples: &Samples) -> bool {
    let sample = samples.get(&(workload, Side::Legwork)).and_then(|rounds| rounds.first());
    sample.is_some_and(|sample| sample.keys().any(|name| name.starts_with("instructions_")))
}

/// One line of JSON per row.
pub(super) fn lines(rows: &[Row]) -> Result<String, Error> {
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(row).map_err(Error::json("a row of the report"))?;
        text.push('\n');
    }
    Ok(text)
}

/// One table per workload.
pub(super) fn tables(rows: &[Row], rounds: u32) -> String {
    let mut text = format!(
        "{rounds} rounds. Medians; ratio of medians; in brackets the quartiles and the range,\n\
         round by round: of the ratio, or of the figure where there is no baseline.\n"
    );
    let mut workload = None;
    for row in rows {
        if workload.replace(row.workload) != Some(row.workload) {
            text += &heading(row.workload);
        }
        text += &row.line();
        text.push('\n');
    }
    text
}

/// The head of a workload's table.
fn heading(workload: Workload) -> String {
    let value = workload.to_possible_value();
    let help = value.as_ref().and_then(|value| value.get_help());
    let mut text = format!("\n{}", workload.name());
    if let Some(help) = help {
        // Writing to a string cannot fail.
        let _ = write!(text, "  {help}");
    }
    let columns = ["", "baseline", "legwork", "ratio", "spread", "target"];
    let [first, baseline, legwork, ratio, spread, target] = columns;
    let _ = writeln!(
        text,
        "\n  {first:<25}{baseline:>10}{legwork:>10}{ratio:>7}  {spread:<32}{target}"
    );
    text
}

/// A target as text.
fn target(limit: Limit) -> String {
    match (limit.times, limit.plus) {
        (0.0, plus) => format!("≤ {plus}"),
        (times, 0.0) => format!("≤ {times} × baseline"),
        (times, plus) => format!("≤ {times} × + {plus}"),
    }
}

/// Quartiles and range.
fn spread(spread: &Spread) -> String {
    format!(
        "({}-{}, {}-{})",
        number(spread.q1),
        number(spread.q3),
        number(spread.min),
        number(spread.max)
    )
}

/// A figure, rounded to three significant digits or a whole number.
fn number(figure: f64) -> String {
    match figure.abs() {
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        _ => format!("{figure:.2}"),
    }
}

/// Serializes a workload as its name.
fn name<S: serde::Serializer>(workload: &Workload, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(workload.name())
}

#[cfg(test)]
mod tests;

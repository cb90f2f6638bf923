use super::{Row, lines, tables};
use crate::{
    harness::{Samples, Side, target::MEASURES},
    workload::{Sample, Workload},
};

/// Samples of W1's processor time, one a round.
fn samples(baseline: &[f64], legwork: &[f64]) -> Samples {
    let rounds = |figures: &[f64]| -> Vec<Sample> {
        let sample = |figure: &f64| Sample::from([("cpu_us_per_step".to_owned(), *figure)]);
        figures.iter().map(sample).collect()
    };
    Samples::from([
        ((Workload::W1, Side::Baseline), rounds(baseline)),
        ((Workload::W1, Side::Legwork), rounds(legwork)),
    ])
}

fn rows(samples: &Samples) -> Vec<Row> {
    MEASURES.iter().filter_map(|measure| Row::of(measure, samples)).collect()
}

#[test]
fn a_ratio_within_its_target_is_met() {
    let rows = rows(&samples(&[100.0, 100.0, 110.0], &[110.0, 112.0, 115.0]));
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].met, Some(true));
    assert!(tables(&rows, 3).contains("≤ 1.2 × baseline    met"));
}

#[test]
fn a_ratio_above_its_target_is_missed() {
    let rows = rows(&samples(&[100.0], &[121.0]));
    assert!(rows[0].is_missed());
    assert!(tables(&rows, 1).ends_with("MISSED\n"));
}

#[test]
fn a_time_beside_counts_is_shown_and_decides_nothing() {
    let mut samples = samples(&[100.0], &[121.0]);
    for (side, count) in [(Side::Baseline, 50.0), (Side::Legwork, 49.0)] {
        let counts = Sample::from([("instructions_per_step".to_owned(), count)]);
        samples.entry((Workload::W1, side)).or_default().insert(0, counts);
    }
    let rows = rows(&samples);
    let measures: Vec<_> = rows.iter().map(|row| (row.measure, row.met, row.is_missed())).collect();
    let missed = ("instructions_per_step", Some(false), true);
    assert_eq!(measures, [missed, ("cpu_us_per_step", Some(false), false)]);
    assert!(tables(&rows, 1).ends_with("missed (counts decide)\n"));
}

#[test]
fn a_row_is_a_line_of_json() {
    let text = lines(&rows(&samples(&[100.0], &[150.0]))).unwrap();
    let row: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(row["workload"], "W1");
    assert_eq!(row["ratio"]["median"], 1.5);
    assert_eq!(row["limit"], 120.0);
    assert_eq!(row["met"], false);
}

#[test]
fn each_workload_has_a_line() {
    for workload in Workload::ALL {
        assert!(MEASURES.iter().any(|measure| measure.workload == *workload), "{workload:?}");
    }
}

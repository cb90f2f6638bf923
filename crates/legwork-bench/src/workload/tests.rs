use clap::ValueEnum;
use tokio::net::TcpListener;

use super::{Conditions, Workload, check, measure};
use crate::{server, subject::baseline::Baseline};

/// Measures the baseline on a workload, against a real server on loopback.
async fn baseline(workload: Workload) -> super::Sample {
    crate::install_crypto();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, None));
    let dir = tempfile::tempdir().unwrap();
    let conditions = Conditions {
        base_url: format!("http://{address}/v1"),
        dir: dir.path().to_owned(),
        writes: (1000, 2),
        // Unoptimised, a run of 5,000 steps takes long; figures come of one.
        executions: (workload == Workload::Loop).then_some(1),
    };
    measure::<Baseline>(workload, &conditions).await.unwrap()
}

#[test]
fn names_are_those_of_the_command_line() {
    assert_eq!(Workload::ALL, Workload::value_variants());
    for workload in Workload::ALL {
        let value = workload.to_possible_value().unwrap();
        assert_eq!(value.get_name(), workload.name());
    }
}

#[tokio::test]
async fn a_turn_has_figures() {
    let sample = baseline(Workload::W4).await;
    assert!(sample["wall_ms"] >= 100.0);
    assert!(sample["cpu_us"] > 0.0);
}

#[tokio::test]
async fn the_durable_baseline_has_figures() {
    let sample = baseline(Workload::Wp).await;
    assert!(sample["durable_writes_per_step"] >= 2.0);
    assert_eq!(sample["file_bytes_per_step"], 1000.0);
    assert!(sample["payload_growth"] < 1.1);
}

#[tokio::test]
async fn the_loop_alone_has_figures() {
    let sample = baseline(Workload::Loop).await;
    for name in ["wall_growth", "cpu_growth", "clone_ns", "peak_mb", "wall_us_step_5000"] {
        assert!(sample[name] > 0.0, "{name}: {sample:?}");
    }
    let hooks = sample["wall_us_per_step"] - sample["wall_us_without_hooks"];
    assert_eq!(sample["hooks_us_per_step"], hooks);
}

#[test]
fn work_not_done_is_an_error() {
    assert!(check("tool calls", 19, 19).is_ok());
    let said = check("tool calls", 19, 18).unwrap_err().to_string();
    assert!(said.contains("expected 19, found 18"), "{said}");
}

//! A worker, as the child process that this test binary becomes.

use std::env;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::Control;
use legwork_worker::{Agents, Worker, WorkerEvent};

use super::ledger::Ledger;
use super::points::{Points, says};
use super::{clerk, place};

/// The address of the store, the file of the effects, and how long a claim lasts.
pub(super) const URL: &str = "LEGWORK_TEST_WORKER_URL";
pub(super) const LEDGER: &str = "LEGWORK_TEST_WORKER_LEDGER";
pub(super) const LEASE: &str = "LEGWORK_TEST_WORKER_LEASE_MS";

/// How often a worker asks while nothing is due.
const POLL: Duration = Duration::from_millis(100);

/// In the child it is a worker; in a run of the tests there is nothing to do.
#[test]
fn works_in_a_child() {
    let (Ok(url), Some(ledger)) = (env::var(URL), env::var_os(LEDGER)) else { return };
    let lease = Duration::from_millis(env::var(LEASE).unwrap().parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work(&url, Path::new(&ledger), lease));
}

async fn work(url: &str, ledger: &Path, lease: Duration) {
    let (store, points) = (place::open(url, lease), Arc::new(Points::default()));
    let agent = clerk::agent(Arc::clone(&store), &Ledger::at(ledger), &points);
    let control = Control::default();
    listen(points, control.clone());
    let worker = Worker::new(store, Agents::new([agent])).concurrency(3).poll(POLL);
    worker.control(control).report(report).run().await;
}

/// Does what the parent says; ends the process when there is no parent any more.
fn listen(points: Arc<Points>, control: Control) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            match line.unwrap().split_once(' ') {
                Some(("go", at)) => points.go(at.parse().unwrap()),
                _ => control.rest.cancel(),
            }
        }
        std::process::exit(1);
    });
}

fn report(event: &WorkerEvent<'_>) {
    match event {
        WorkerEvent::Began(due) => says(format!("began {}", due.session)),
        WorkerEvent::Rested { session, .. } => says(format!("rested {session}")),
        WorkerEvent::TakenOver { session } => says(format!("lost {session}")),
        WorkerEvent::Failed { session, failure, .. } => says(format!("failed {session} {failure}")),
        WorkerEvent::StoreFailed { error, .. } => says(format!("away {error}")),
        _ => {}
    }
}

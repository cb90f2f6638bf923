//! Calls that are ended while their change is under way.

use std::convert::Infallible;
use std::sync::mpsc;

use legwork_port::Cancellation;
use legwork_port::core::ToolOutcome;

use super::super::change::{Leave, change};

/// A change that tells when it runs and then waits for a word.
struct Waiting {
    /// Raised once it runs.
    runs: Cancellation,
    go_on: mpsc::Sender<()>,
    allowed: mpsc::Receiver<bool>,
}

enum Asks {
    BeforeTheWord,
    AfterTheWord,
}

fn waiting(asks: Asks) -> (Waiting, impl FnOnce(&Leave) -> Result<String, Infallible>) {
    let runs = Cancellation::new();
    let tell = runs.clone();
    let (go_on, word) = mpsc::channel();
    let (answer, allowed) = mpsc::channel();
    let job = move |leave: &Leave| {
        let early = matches!(asks, Asks::BeforeTheWord).then(|| leave.used());
        tell.cancel();
        let _ = word.recv();
        let _ = answer.send(early.unwrap_or_else(|| leave.used()));
        Ok("done".to_owned())
    };
    (Waiting { runs, go_on, allowed }, job)
}

#[tokio::test]
async fn a_change_that_has_not_begun_never_does() {
    let (waiting, job) = waiting(Asks::AfterTheWord);
    let cancellation = Cancellation::new();
    let cancel = async {
        waiting.runs.cancelled().await;
        cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(change(&cancellation, job), cancel);
    assert!(matches!(outcome, ToolOutcome::Interrupted), "{outcome:?}");
    waiting.go_on.send(()).expect("waits");
    assert_eq!(waiting.allowed.recv(), Ok(false));
}

#[tokio::test]
async fn a_change_that_has_begun_is_awaited_and_told() {
    let (waiting, job) = waiting(Asks::BeforeTheWord);
    let cancellation = Cancellation::new();
    let cancel = async {
        waiting.runs.cancelled().await;
        cancellation.cancel();
        waiting.go_on.send(()).expect("waits");
    };
    let (outcome, ()) = tokio::join!(change(&cancellation, job), cancel);
    assert_eq!(outcome.for_model(), "done");
    assert_eq!(waiting.allowed.recv(), Ok(true));
}

#[tokio::test]
async fn dropping_the_call_ends_it() {
    let (waiting, job) = waiting(Asks::AfterTheWord);
    let cancellation = Cancellation::new();
    tokio::select! {
        outcome = change(&cancellation, job) => unreachable!("{outcome:?}"),
        () = waiting.runs.cancelled() => {}
    }
    waiting.go_on.send(()).expect("waits");
    assert_eq!(waiting.allowed.recv(), Ok(false));
}

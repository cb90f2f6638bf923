//! Calls that are ended while their change is under way.

use std::convert::Infallible;
use std::sync::mpsc;

use legwork_port::core::{AgentState, EffectKey, Seq, SessionId, ToolOutcome};
use legwork_port::{Cancellation, ToolContext};

use super::super::change::{Changed, Leave, change};

/// A change that reports when it runs and then waits to be let on.
struct Waiting {
    /// Raised once it runs.
    runs: Cancellation,
    go_on: mpsc::Sender<()>,
    allowed: mpsc::Receiver<bool>,
}

fn context(cancellation: &Cancellation) -> ToolContext {
    let session = SessionId::new("ending");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    ToolContext::new(AgentState::new(session), key, cancellation.clone())
}

enum Asks {
    BeforeTheWord,
    AfterTheWord,
}

fn waiting(asks: Asks) -> (Waiting, impl FnOnce(&Leave) -> Result<Changed, Infallible>) {
    let runs = Cancellation::new();
    let running = runs.clone();
    let (go_on, word) = mpsc::channel();
    let (answer, allowed) = mpsc::channel();
    let job = move |leave: &Leave| {
        let early = matches!(asks, Asks::BeforeTheWord).then(|| leave.used());
        running.cancel();
        let _ = word.recv();
        let _ = answer.send(early.unwrap_or_else(|| leave.used()));
        Ok(Changed::nothing("done".to_owned()))
    };
    (Waiting { runs, go_on, allowed }, job)
}

#[tokio::test]
async fn a_change_that_has_not_begun_never_does() {
    let (waiting, job) = waiting(Asks::AfterTheWord);
    let cancellation = Cancellation::new();
    let cx = context(&cancellation);
    let cancel = async {
        waiting.runs.cancelled().await;
        cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(change(&cx, job), cancel);
    assert!(matches!(outcome, ToolOutcome::Interrupted), "{outcome:?}");
    waiting.go_on.send(()).expect("waits");
    assert_eq!(waiting.allowed.recv(), Ok(false));
}

#[tokio::test]
async fn a_change_that_has_begun_is_awaited_and_reported() {
    let (waiting, job) = waiting(Asks::BeforeTheWord);
    let cancellation = Cancellation::new();
    let cx = context(&cancellation);
    let cancel = async {
        waiting.runs.cancelled().await;
        cancellation.cancel();
        waiting.go_on.send(()).expect("waits");
    };
    let (outcome, ()) = tokio::join!(change(&cx, job), cancel);
    assert_eq!(outcome.to_text(), "done");
    assert_eq!(waiting.allowed.recv(), Ok(true));
}

#[tokio::test]
async fn dropping_the_call_ends_it() {
    let (waiting, job) = waiting(Asks::AfterTheWord);
    let cancellation = Cancellation::new();
    let cx = context(&cancellation);
    tokio::select! {
        outcome = change(&cx, job) => unreachable!("{outcome:?}"),
        () = waiting.runs.cancelled() => {}
    }
    waiting.go_on.send(()).expect("waits");
    assert_eq!(waiting.allowed.recv(), Ok(false));
}

//! Futures that are polled a few times and dropped, as a `select!` or a timeout does.
//!
//! ```
//! use legwork_agent::Agent;
//! use legwork_testkit::{ScriptedModel, Turn, polls};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let model = ScriptedModel::new([Turn::text("hi")]);
//! let agent = Agent::builder(model).build().unwrap();
//! let dropped = polls::drop_at_each(
//!     || agent.run("hello"),
//!     async |_polls, run| assert!(run.is_none_or(|run| run.unwrap().text() == "hi")),
//! );
//! assert_eq!(dropped.await, 1, "with nothing to wait for it is ready at once");
//! # }
//! ```

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Polls a future at most so many times and drops it; none if it was not ready by then.
///
/// It is polled again when it was woken, as any executor does.
pub async fn at_most<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Makes a future anew, drops it after its first poll, makes it anew, drops it after its
/// second poll and so on, until one completes. Gives how many polls that one took.
///
/// `dropped` sees after each how many polls there were, and the output of the one that
/// completed: there it looks at what is left, and mends the scene for the next.
pub async fn drop_at_each<F: Future>(
    mut make: impl FnMut() -> F,
    mut dropped: impl AsyncFnMut(usize, Option<F::Output>),
) -> usize {
    let mut polls = 1;
    loop {
        let output = at_most(polls, make()).await;
        let completed = output.is_some();
        dropped(polls, output).await;
        if completed {
            return polls;
        }
        polls += 1;
    }
}

/// Lets everything else that runs have so many turns.
pub async fn others(mut turns: usize) {
    poll_fn(|cx| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

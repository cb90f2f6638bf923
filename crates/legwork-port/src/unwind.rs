//! Code that others wrote, held against panics: what panics failed, and unwinds no further.
//!
//! All such code is called through these two functions: drivers, error handlers, observers,
//! toolsets, sources of ids, lifecycles, hooks, tools, models, speakers and selectors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use legwork_core::error::panic_message;

/// Calls plain code.
///
/// # Errors
/// What it said when it panicked.
pub fn call<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(words)
}

/// Calls code that gives a future, at once, and waits for that.
///
/// # Errors
/// What either said when it panicked.
pub fn run<F: Future + Unpin>(code: impl FnOnce() -> F) -> Running<F> {
    Running(call(code))
}

/// A future of code that others wrote, or what that said when it panicked before.
///
/// It is a type of its own, not a function that waits: hooks run through it by the dozen in
/// each step, and so it is no larger than what it holds.
#[must_use = "futures do nothing unless polled"]
pub struct Running<F>(Result<F, String>);

impl<F: Future + Unpin> Future for Running<F> {
    type Output = Result<F::Output, String>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = match &mut self.0 {
            Ok(running) => call(|| Pin::new(running).poll(cx)),
            Err(panic) => Err(std::mem::take(panic)),
        };
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

#[cold]
fn words(panic: Box<dyn Any + Send>) -> String {
    panic_message(&*panic)
}

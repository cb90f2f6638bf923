//! Code that others wrote, held against panics: what panics failed, and unwinds no further.
//!
//! All such code is called through these two functions: drivers, error handlers, observers,
//! toolsets, sources of ids, lifecycles, hooks, tools, models, speakers and selectors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use legwork_core::error::panic_message;

/// Calls plain code.
///
/// # Errors
/// What it said when it panicked.
pub(crate) fn call<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(words)
}

/// Calls code that gives a future, and waits for that.
///
/// # Errors
/// What either said when it panicked.
pub(crate) async fn run<F: Future>(code: impl FnOnce() -> F) -> Result<F::Output, String> {
    // It may panic before there is a future, so it is called inside.
    AssertUnwindSafe(async { code().await }).catch_unwind().await.map_err(words)
}

fn words(panic: Box<dyn Any + Send>) -> String {
    panic_message(&*panic)
}

//! A failed request that is repeated, in words.

use legwork::core::Micros;

use super::text::{one_line, time};

/// What was shown of an answer that broke off.
pub(super) const VOID: &str =
    "the answer broke off: what is shown of it above is void, and it is asked for again";

/// The wait: how long, for what, and how long such waits go on.
pub(super) fn waiting(attempt: u32, wait: Micros, left: Micros, error: &str) -> String {
    let (wait, left) = (time(wait.into()), time(left.into()));
    let (attempt, error) = (attempt.saturating_add(1), one_line(error));
    format!("waiting {wait} before attempt {attempt}: {error} (retries end in {left})")
}

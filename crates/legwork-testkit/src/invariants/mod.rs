//! What holds of every request, state and journal, whatever happened to the run.
//!
//! Each check holds rules of `docs/behaviour.md` and names them. A test of an agent of
//! your own calls them on what it has at hand:
//!
//! ```
//! use legwork_agent::Agent;
//! use legwork_testkit::{ScriptedModel, Turn, crash, invariants};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let model = ScriptedModel::new([Turn::text("hi")]);
//! let agent = Agent::builder(model.clone()).build().unwrap();
//! let run = agent.run("hello").await.unwrap();
//! invariants::of_state(run.state()).unwrap();
//! for request in model.requests() {
//!     invariants::well_formed(&request).unwrap();
//! }
//! let report = crash::simulate("hello", |_: &(), store| {
//!     Agent::builder(ScriptedModel::new([Turn::text("hi")])).store_in(store).build()
//! });
//! let report = report.crash_everywhere().await.unwrap();
//! report.check(|_, crashed| invariants::of_tree(&crashed.journals).map_err(|v| v.to_string()));
//! # }
//! ```

mod calls;
mod journal;
mod limits;
mod money;
mod request;
mod said;
mod state;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::Event;
use legwork_core::journal::Journal;
use legwork_core::{Entry, Seq, SessionId};

use crate::conformance::Violation;

pub use journal::of_journal;
pub use request::well_formed;
pub use state::of_state;
pub use tree::of_tree;

/// The journals of all sessions of a store.
pub type Journals = BTreeMap<SessionId, Journal>;

/// What a check says: nothing, or what does not hold.
pub type Checked = Result<(), Violation>;

/// What does not hold, found by a check.
pub(crate) fn broken<T>(check: &'static str, found: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { check, found: found.into() })
}

/// The entries of a journal without those that a fork copied: they charge nothing, and the
/// subagents of their calls are another session's.
fn own_entries(journal: &Journal) -> impl Iterator<Item = &Arc<Entry>> {
    let copied = journal.entries().first().and_then(|first| match &first.event {
        Event::SessionStarted(started) => started.forked_from.as_ref().map(|from| from.copied),
        _ => None,
    });
    let last = Seq(copied.unwrap_or(0).saturating_add(1));
    journal.entries().iter().filter(move |entry| entry.seq <= Seq(1) || entry.seq > last)
}

/// Goes on if it holds, else returns the check that found otherwise, and what it found.
macro_rules! hold {
    ($check:expr, $holds:expr, $($found:tt)+) => {
        if !$holds {
            return $crate::invariants::broken($check, format!($($found)+));
        }
    };
}

pub(crate) use hold;

//! Which ids a store takes.

use std::sync::Arc;

use legwork_port::Store;
use legwork_port::store::Error;

use super::super::{Outcome, ensure};
use super::samples::{claim, note, session, tried};

type Subject = Arc<dyn Store>;

/// Ids that people would not see as they are, or that a command would take for something else.
const UNFIT: [&str; 16] = [
    "",
    "--yes",
    "a\nb",
    "a\r",
    "\u{0}",
    "a\u{1b}[2J",
    "a\u{7f}",
    "a\u{85}b",
    "a\u{2028}b",
    "a\u{202e}b",
    "a\u{2067}b",
    "a\u{61c}b",
    "a\u{200b}b",
    "a\u{feff}b",
    "a\u{e0041}b",
    "a\u{ad}b",
];

const FIT: [&str; 6] = ["a", "my task", "it's $HOME; x", "über-漢字-🧵", "e\u{301}", "a/../b"];

pub(super) async fn s13_9_an_id_that_is_not_seen_is_refused(store: &Subject) -> Outcome {
    let long = "long".repeat(1_000);
    for id in UNFIT.into_iter().chain([&*long]) {
        let id = session(id);
        let claimed = store.claim(&id).await.map(drop);
        ensure!(
            matches!(claimed, Err(Error::Id { .. })),
            "claiming the session {:?} gave {claimed:?}",
            id.as_str()
        );
        let posted = store.post(&id, "key", &note("x")).await;
        ensure!(
            matches!(posted, Err(Error::Id { .. })),
            "posting to the session {:?} gave {posted:?}",
            id.as_str()
        );
    }
    Ok(())
}

pub(super) async fn s13_9_an_id_that_is_seen_is_taken(store: &Subject) -> Outcome {
    for id in FIT {
        let id = session(id);
        drop(claim(&**store, &id).await?);
        tried("posting", store.post(&id, "key", &note("x")).await)?;
    }
    Ok(())
}

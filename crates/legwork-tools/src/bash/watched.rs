//! A command whose changes of files are kept with its result.

use std::sync::Arc;

use legwork_port::ToolContext;
use serde_json::json;

use crate::blocking;
use crate::changes::{METADATA, UNWATCHED, Watch};
use crate::workspace::Workspace;

/// Runs something and leaves what it changed in the metadata of the call; why not, where
/// that cannot be reported.
pub(super) async fn watched<T>(
    watch: &Arc<Watch>,
    workspace: &Workspace,
    cx: &ToolContext,
    work: impl Future<Output = T>,
) -> T {
    let (looking, place) = (Arc::clone(watch), workspace.clone());
    let before = blocking::run(move |stop| looking.before(&place, stop)).await.ok().flatten();
    let done = work.await;
    let (looking, place) = (Arc::clone(watch), workspace.clone());
    let after = blocking::run(move |stop| looking.after(&place, &before?, stop)).await;
    match after.ok().flatten() {
        None => cx.attach(UNWATCHED, json!("the workspace has too many files to be watched")),
        Some(seen) => {
            if seen.left_out > 0 {
                let more = format!("{} more files were changed", seen.left_out);
                cx.attach(UNWATCHED, json!(more));
            }
            let changes = serde_json::to_value(&seen.changes).ok();
            if let Some(changes) = changes.filter(|_| !seen.changes.is_empty()) {
                cx.attach(METADATA, changes);
            }
        }
    }
    done
}

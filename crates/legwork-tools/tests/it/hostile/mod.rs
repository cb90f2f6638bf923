//! Each file tool on each hostile input: what the model reads, and what is bounded.

mod binary;
mod changed;
mod child;
mod circle;
mod empty;
mod endings;
mod full;
mod killed;
mod large;
mod long;
mod names;
mod old_kernel;
mod pause;
mod permission;
mod pipe;
mod refusal;

use legwork_tools::{Edit, List, Read, Search, Workspace, Write};
use serde_json::{Value, json};

use crate::fixture::call;

#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("mod.rs");
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hostile");
    for file in std::fs::read_dir(dir).expect("listed") {
        let name = file.expect("read").file_name().into_string().expect("UTF-8");
        let module = name.trim_end_matches(".rs");
        assert!(module == "mod" || listed.contains(&format!("mod {module};")), "{name}");
    }
}

/// What each tool says of a path, one after the other: whether it worked, and the words.
///
/// `write` is asked without leave to overwrite; `search` and `edit` look for `needle`.
async fn said(workspace: &Workspace, path: &str) -> String {
    let edits = json!([{ "old": "needle", "new": "found" }]);
    let workspace = || workspace.clone();
    let mut text = String::new();
    for (tool, outcome) in [
        ("read", call(&Read::new(workspace()), &json!({ "path": path })).await),
        ("list", call(&List::new(workspace()), &json!({ "path": path })).await),
        (
            "search",
            call(&Search::new(workspace()), &json!({ "pattern": "needle", "path": path })).await,
        ),
        (
            "write",
            call(&Write::new(workspace()), &json!({ "path": path, "content": "new\n" })).await,
        ),
        ("edit", call(&Edit::new(workspace()), &json!({ "path": path, "edits": edits })).await),
    ] {
        let sign = if outcome.is_ok() { "+" } else { "-" };
        let words = outcome.to_text();
        text.push_str(&format!("{sign} {tool}: {}\n", words.trim_end()));
    }
    text
}

/// What `write` says when it may overwrite.
async fn overwritten(workspace: &Workspace, path: &str, content: &str) -> String {
    let asked = json!({ "path": path, "content": content, "overwrite": true });
    one(call(&Write::new(workspace.clone()), &asked).await)
}

/// What `edit` says.
async fn edited(workspace: &Workspace, path: &str, edits: Value) -> String {
    let asked = json!({ "path": path, "edits": edits });
    one(call(&Edit::new(workspace.clone()), &asked).await)
}

fn one(outcome: legwork_port::core::ToolOutcome) -> String {
    let sign = if outcome.is_ok() { "+" } else { "-" };
    format!("{sign} {}", outcome.to_text())
}

/// Runs a test to its end where no runtime is.
fn block_on<F: Future>(work: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

//! The stranger's model, embedder, toolset, lifecycle and sandbox keep the promises of their ports.

use std::process::Command;

use legwork_port::Deps;
use legwork_testkit::conformance::model::{Behaviour, TEXT};
use legwork_testkit::conformance::{embedder, lifecycle, model, sandbox, toolset};
use stranger::cell::Cell;
use stranger::chisel::Stone;
use stranger::letters::Letters;
use stranger::quota::Quota;
use stranger::tape::{Recorder, Tape};
use stranger::workshop::Workshop;

use crate::Folder;

#[tokio::test]
async fn the_model_keeps_them() {
    let add = |arguments: &str| ("add".to_owned(), arguments.to_owned());
    let make = async |behaviour| {
        Recorder::new(match behaviour {
            Behaviour::Text => Tape::Text(TEXT.to_owned()),
            Behaviour::ToolCalls => {
                Tape::Calls([r#"{"a":1,"b":2}"#, r#"{"a":3,"b":4}"#].map(add).into())
            }
            Behaviour::Fails => Tape::Blank,
        })
    };
    model::check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn the_embedder_keeps_them() {
    embedder::check(async || Letters::default()).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn the_toolset_keeps_them() {
    let make = async || Workshop::new(Stone::default());
    let checked = toolset::check(make, Deps::default).await;
    checked.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn the_lifecycle_keeps_them() {
    for (tool, calls) in [("look", 1), ("look", 0), ("fail", 0), ("carve", 9)] {
        let checked = lifecycle::check(async || Quota::new(tool, calls)).await;
        checked.unwrap_or_else(|violations| panic!("{violations}"));
    }
}

#[tokio::test]
async fn the_sandbox_keeps_them() {
    let folder = Folder::new();
    if !Command::new("bwrap").args(["--version"]).status().is_ok_and(|end| end.success()) {
        return println!("skipped: there is no bwrap here");
    }
    let checked = sandbox::check(async || Cell, &folder.0).await;
    checked.unwrap_or_else(|violations| panic!("{violations}"));
}

//! File tools make Git run nothing: what a repository is made of is not theirs to write.

use legwork_tools::workspace::Access;
use legwork_tools::{Edit, Write};

use crate::fixture::{Fixture, ok, refused};

fn repository(place: &Fixture, name: &str) {
    std::fs::create_dir_all(place.path(name).join("objects")).expect("made");
    std::fs::write(place.path(name).join("HEAD"), "ref: refs/heads/main\n").expect("written");
    std::fs::write(place.path(name).join("config"), "[core]\n").expect("written");
}

/// What makes Git run programs, and what it is found by.
const PARTS: [&str; 8] = [
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "hooks/pre-commit",
    "info/attributes",
    "modules/x/config",
    "HEAD",
];

#[tokio::test]
async fn s13_4_a_repository_of_any_shape_is_not_written() {
    let (place, other) = (Fixture::new(), Fixture::new());
    for name in ["bare.git", "elsewhere", "deep/a/b/c/d/bare"] {
        repository(&place, name);
    }
    repository(&other, "");
    std::os::unix::fs::symlink("elsewhere", place.path("way")).expect("linked");
    let workspace = place.workspace().allow(other.path(""), Access::ReadWrite).expect("allowed");
    let outside = other.path("").display().to_string();
    for git in ["bare.git", "elsewhere", "way", "deep/a/b/c/d/bare", outside.trim_end_matches('/')]
    {
        for part in PARTS {
            let path = format!("{git}/{part}");
            let write = Write::new(workspace.clone());
            let text = refused!(write, { "path": path.clone(), "content": "lost" });
            assert!(
                text.contains("repository of git") || text.contains("has not been read"),
                "{path}: {text}"
            );
        }
        let edit = Edit::new(workspace.clone());
        refused!(edit, { "path": format!("{git}/config"), "old": "[core]", "new": "[lost]" });
    }
    assert_eq!(place.bytes("elsewhere/config"), b"[core]\n");
    // What else lies there is no part of it.
    ok!(Write::new(workspace), { "path": "elsewhere/notes.txt", "content": "kept" });
}

#[tokio::test]
async fn s13_4_what_commondir_leads_to_is_not_written() {
    let place = Fixture::new();
    repository(&place, "tree");
    std::fs::remove_dir(place.path("tree/objects")).expect("removed");
    std::fs::write(place.path("tree/commondir"), "../common\n").expect("written");
    for folder in ["common/objects", "common/refs"] {
        std::fs::create_dir_all(place.path(folder)).expect("made");
    }
    for part in PARTS {
        let path = format!("common/{part}");
        let text =
            refused!(Write::new(place.workspace()), { "path": path.clone(), "content": "x" });
        assert!(text.contains("repository of git"), "{path}: {text}");
    }
    ok!(Write::new(place.workspace()), { "path": "common/src/config", "content": "kept" });
}

#[tokio::test]
async fn s13_4_no_repository_is_made_by_a_file_tool() {
    for order in [
        ["HEAD", "objects/x", "refs/x"],
        ["objects/x", "refs/x", "HEAD"],
        ["commondir", "HEAD", "config"],
    ] {
        let place = Fixture::new();
        let mut refusals = 0;
        for name in order {
            let write = Write::new(place.workspace());
            let arguments = serde_json::json!({ "path": format!("new/{name}"), "content": "x" });
            refusals += usize::from(!crate::fixture::call(&write, &arguments).await.is_ok());
        }
        assert!(refusals > 0, "{order:?}");
        let is = |name: &str| place.path("new").join(name).exists();
        assert!(!(is("HEAD") && (is("objects") || is("commondir"))), "{order:?}");
        assert!(!(is("objects") && is("refs")), "{order:?}");
    }
}

#[tokio::test]
async fn s13_4_what_is_read_only_in_the_workspace_is_not_written_by_any_path() {
    let place = Fixture::new();
    std::fs::create_dir_all(place.path("kept/deep")).expect("made");
    std::fs::create_dir(place.path("other")).expect("made");
    place.write("kept/file", "kept");
    std::os::unix::fs::symlink("kept", place.path("way")).expect("linked");
    std::os::unix::fs::symlink("kept/file", place.path("link")).expect("linked");
    let workspace = place.workspace().allow(place.path("kept"), Access::ReadOnly).expect("allowed");
    let absolute = place.path("kept/file").display().to_string();
    for path in [
        "kept/file",
        "kept/new",
        "kept/deep/new",
        "way/new",
        "way/file",
        "link",
        "other/../kept/new",
        &absolute,
    ] {
        let write = Write::new(workspace.clone());
        let text = refused!(write, { "path": path, "content": "lost" });
        assert!(text.contains("only reading is allowed"), "{path}: {text}");
    }
    assert_eq!(place.bytes("kept/file"), b"kept");
    ok!(Write::new(workspace), { "path": "other/new", "content": "kept" });
}

#[test]
fn s13_1_a_path_that_leads_through_a_link_in_the_workspace_is_not_allowed() {
    let (place, other) = (Fixture::new(), Fixture::new());
    std::os::unix::fs::symlink(other.path(""), place.path("data")).expect("linked");
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let refused = place.workspace().allow(place.path("data"), access);
        let why = refused.map(drop).expect_err("refused").to_string();
        assert!(why.contains("leads through the link"), "{why}");
    }
}

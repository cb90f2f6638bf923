//! Directories allowed in addition to the workspace, and what is git's own.

use legwork_tools::workspace::Access;
use legwork_tools::{Edit, List, Read, Search, Workspace, Write};

use crate::fixture::{Fixture, ok, refused};

fn with_other(place: &Fixture, other: &Fixture, access: Access) -> Workspace {
    place.workspace().allow(other.path(""), access).expect("allowed")
}

#[tokio::test]
async fn what_is_allowed_is_reached_by_its_absolute_path_alone() {
    let (place, other, third) = (Fixture::new(), Fixture::new(), Fixture::new());
    std::fs::create_dir(other.path("lib")).expect("made");
    other.write("lib/a.txt", "beside\n");
    third.write("secret", "no");
    let workspace = with_other(&place, &other, Access::ReadWrite);
    let path = |name: &str| other.path(name).display().to_string();
    assert!(ok!(Read::new(workspace.clone()), { "path": path("lib/a.txt") }).contains("beside"));
    let listed = ok!(List::new(workspace.clone()), { "path": path("lib") });
    assert!(listed.starts_with("a.txt"), "{listed}");
    let found = ok!(Search::new(workspace.clone()), { "pattern": "bes.de", "path": path("") });
    assert!(found.starts_with(&path("lib/a.txt")), "{found}");
    ok!(Write::new(workspace.clone()), { "path": path("new.txt"), "content": "made\n" });
    assert_eq!(other.bytes("new.txt"), b"made\n");
    // What is allowed is a place, not a way: neither up from it nor through it.
    let name = third.path("");
    let name = name.file_name().and_then(std::ffi::OsStr::to_str).expect("a name");
    let up = format!("{}/../../{name}/secret", path("lib"));
    for outside in [up, third.path("secret").display().to_string(), "../x".to_owned()] {
        let text = refused!(Read::new(workspace.clone()), { "path": outside });
        assert!(text.contains("outside the workspace"), "{text}");
    }
    std::os::unix::fs::symlink(third.path("secret"), other.path("link")).expect("linked");
    refused!(Read::new(workspace), { "path": path("link") });
}

#[tokio::test]
async fn what_is_allowed_to_be_read_is_not_written() {
    let (place, other) = (Fixture::new(), Fixture::new());
    other.write("a.txt", "1\n");
    let workspace = with_other(&place, &other, Access::ReadOnly);
    let path = other.path("a.txt").display().to_string();
    let edits = serde_json::json!([{"old": "1", "new": "2"}]);
    let text = refused!(Edit::new(workspace.clone()), { "path": path, "edits": edits });
    assert!(text.contains("only reading is allowed"), "{text}");
    let new = other.path("b.txt").display().to_string();
    refused!(Write::new(workspace.clone()), { "path": new, "content": "x" });
    assert_eq!(other.names(), ["a.txt"]);
    // The narrowest decides: a folder in it may be allowed to be written.
    std::fs::create_dir(other.path("out")).expect("made");
    let wider = workspace.allow(other.path("out"), Access::ReadWrite).expect("allowed");
    let new = other.path("out/b.txt").display().to_string();
    ok!(Write::new(wider), { "path": new, "content": "x" });
}

#[tokio::test]
async fn what_is_gits_own_is_not_written() {
    let place = Fixture::new();
    std::fs::create_dir_all(place.path(".git/hooks")).expect("made");
    place.write(".git/config", "[core]\n").write(".git/hooks/pre-commit", "#!/bin/sh\n");
    std::os::unix::fs::symlink(".git", place.path("way")).expect("linked");
    std::os::unix::fs::symlink(".git/config", place.path("settings")).expect("linked");
    let (write, edit) = (Write::new(place.workspace()), Edit::new(place.workspace()));
    let paths = [
        ".git/config",
        ".git/hooks/post-checkout",
        "way/config",
        "way/hooks/new",
        "settings",
        "./a/../.git/x",
        ".GIT/config",
        "sub/.git/hooks/pre-commit",
        ".git",
        "sub/.git",
    ];
    for path in paths {
        let text = refused!(write, { "path": path, "content": "x", "overwrite": true });
        assert!(text.contains("git"), "{path}: {text}");
    }
    let edits = serde_json::json!([{"old": "core", "new": "x"}]);
    let text = refused!(edit, { "path": "way/config", "edits": edits });
    assert!(text.contains("git's own"), "{text}");
    assert_eq!(place.bytes(".git/config"), b"[core]\n");
    assert!(!place.path("sub").exists() && !place.path(".git/x").exists());
    // Names that only look alike are anybody's.
    ok!(write, { "path": ".gitignore", "content": "target\n" });
    ok!(write, { "path": ".github/workflows/ci.yml", "content": "on: push\n" });
}

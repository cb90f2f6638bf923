//! Whole files, new and old, where they can be written and where not.

use std::fs::{Permissions, create_dir, hard_link, metadata, set_permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use legwork_port::core::ToolOutcome;
use legwork_port::core::tool::FailureKind;
use legwork_port::{Cancellation, Tool as _};
use legwork_tools::{Workspace, Write};
use serde_json::json;

use crate::fixture::{Fixture, asked, call, context, ok, refused};

pub(crate) fn pipe(place: &Fixture, name: &str) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, place.path(name), kind, mode, 0).expect("a pipe");
}

pub(crate) fn mode(place: &Fixture, name: &str) -> u32 {
    metadata(place.path(name)).expect("there").mode() & 0o7777
}

#[tokio::test]
async fn a_file_is_created_with_its_folders() {
    let place = Fixture::new();
    let text = ok!(place.write_tool(), { "path": "a/b/c.txt", "content": "one\ntwo" });
    assert_eq!(text, "created a/b/c.txt: 7 bytes, 2 lines");
    assert_eq!(place.bytes("a/b/c.txt"), b"one\ntwo");
    assert_eq!(
        ok!(place.write_tool(), { "path": "empty", "content": "" }),
        "created empty: 0 bytes, 0 lines"
    );
    assert_eq!(place.names(), ["a", "empty"], "no draft is left");
    // As any other program would make it.
    place.write("plain", "");
    assert_eq!(mode(&place, "empty"), mode(&place, "plain"));
}

#[tokio::test]
async fn writing_the_same_again_changes_nothing() {
    let place = Fixture::new();
    ok!(place.write_tool(), { "path": "a", "content": "x\n" });
    let inode = || metadata(place.path("a")).expect("there").ino();
    let before = inode();
    for overwrite in [false, true] {
        let text =
            ok!(place.write_tool(), { "path": "a", "content": "x\n", "overwrite": overwrite });
        assert_eq!(text, "a holds exactly this already: 2 bytes, 1 line; nothing was changed");
    }
    assert_eq!(inode(), before);
}

#[tokio::test]
async fn other_content_is_left_alone_unless_overwritten() {
    let place = Fixture::new();
    place.write("a", "one\ntwo\n");
    set_permissions(place.path("a"), Permissions::from_mode(0o751)).expect("set");
    let text = refused!(place.write_tool(), { "path": "a", "content": "one\n2\n" });
    assert_eq!(
        text,
        "a exists and holds something else (8 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it"
    );
    assert_eq!(place.bytes("a"), b"one\ntwo\n");
    let text = ok!(place.write_tool(), { "path": "a", "content": "one\n2\n", "overwrite": true });
    assert_eq!(
        text,
        "overwrote a: 6 bytes, 2 lines\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    );
    assert_eq!(place.bytes("a"), b"one\n2\n");
    assert_eq!(mode(&place, "a"), 0o751);
    assert_eq!(place.names(), ["a"]);
}

#[tokio::test]
async fn a_path_that_is_not_a_file_is_refused_at_once() {
    let place = Fixture::new();
    pipe(&place, "pipe");
    let _socket = UnixListener::bind(place.path("socket")).expect("a socket");
    create_dir(place.path("dir")).expect("made");
    symlink("/dev/null", place.path("null")).expect("linked");
    for (asked, why) in [
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
        ("dir", "dir is a directory, not a file; dir is empty"),
        ("dir/", "is a directory"),
        (".", "is a directory"),
        ("dir/..", "is a directory"),
        ("new/", "ends with the name of a file"),
        ("new/.", "ends with the name of a file"),
        ("null", "outside the workspace"),
        ("new/../a", "there is no file new/../a"),
        ("pipe/a", "pipe is not a directory"),
        ("dir/../pipe/b/c", "dir/../pipe is not a directory"),
        ("", "is not a path"),
        ("a\u{0}", "is not a path"),
    ] {
        let text =
            refused!(place.write_tool(), { "path": asked, "content": "x", "overwrite": true });
        assert!(text.contains(why), "{asked:?}: {text}");
    }
    assert_eq!(place.names(), ["dir", "null", "pipe", "socket"]);
}

#[tokio::test]
async fn the_kernels_own_files_are_not_made() {
    let write = Write::new(Workspace::open("/").expect("opened"));
    for asked in ["proc/legwork", "sys/legwork", "proc/legwork/deep/x", "proc/self/comm"] {
        let text = refused!(write, { "path": asked, "content": "x", "overwrite": true });
        let why = text.contains("a window into the kernel") || text.contains("outside");
        assert!(why, "{asked}: {text}");
    }
}

#[tokio::test]
async fn outside_is_refused() {
    let place = Fixture::new();
    create_dir(place.path("in")).expect("made");
    create_dir(place.path("out")).expect("made");
    let write = Write::new(Workspace::open(place.path("in")).expect("opened"));
    symlink("../out", place.path("in/dir")).expect("linked");
    symlink("../out/new", place.path("in/dangling")).expect("linked");
    symlink(place.path("out/new"), place.path("in/absolute")).expect("linked");
    symlink("dangling", place.path("in/twice")).expect("linked");
    let full = place.path("out/new");
    for asked in [
        "../out/new",
        "dir/new",
        "dir/deep/new",
        "dangling",
        "absolute",
        "twice",
        "/tmp/legwork-never",
        full.to_str().expect("UTF-8"),
    ] {
        let text = refused!(write, { "path": asked, "content": "x", "overwrite": true });
        assert!(text.contains("outside the workspace"), "{asked}: {text}");
    }
    assert_eq!(std::fs::read_dir(place.path("out")).expect("listed").count(), 0);
}

#[tokio::test]
async fn a_symlink_that_stays_inside_is_written_through() {
    let place = Fixture::new();
    create_dir(place.path("sub")).expect("made");
    place.write("sub/a", "old");
    symlink("sub/a", place.path("link")).expect("linked");
    symlink("sub/fresh/new", place.path("dangling")).expect("linked");
    symlink(place.path("sub/b"), place.path("absolute")).expect("linked");
    for (asked, real) in [("link", "sub/a"), ("dangling", "sub/fresh/new"), ("absolute", "sub/b")] {
        ok!(place.write_tool(), { "path": asked, "content": "x", "overwrite": true });
        assert_eq!(place.bytes(real), b"x");
        assert!(std::fs::symlink_metadata(place.path(asked)).expect("there").is_symlink());
    }
    symlink("round", place.path("round")).expect("linked");
    let text = refused!(place.write_tool(), { "path": "round", "content": "x" });
    assert!(text.contains("cannot open round"), "{text}");
}

#[tokio::test]
async fn long_paths_are_refused_in_few_words() {
    let place = Fixture::new();
    let (name, path) = ("n".repeat(256), "p/".repeat(2_047) + "ab");
    for asked in [&name, &format!("new/{name}"), &format!("{name}/x"), &path] {
        assert!(asked.len() == 4_096 || asked.len() < 300);
        let text = refused!(place.write_tool(), { "path": asked, "content": "x" });
        assert!(text.contains("is too long") && text.len() < 300, "{text}");
    }
    assert!(place.names().is_empty(), "no folder is left");
    ok!(place.write_tool(), { "path": "n".repeat(255), "content": "x" });
}

#[tokio::test]
async fn ten_megabytes_are_written() {
    let place = Fixture::new();
    let content = "0123456789abcde\n".repeat(10 * 65_536);
    let text = ok!(place.write_tool(), { "path": "big", "content": content });
    assert_eq!(text, "created big: 10485760 bytes, 655360 lines");
    assert_eq!(place.bytes("big"), content.as_bytes());
    let text = ok!(place.write_tool(), { "path": "big", "content": content });
    assert!(text.contains("holds exactly this already"), "{text}");
    let text = ok!(place.write_tool(), { "path": "big", "content": "x\n", "overwrite": true });
    assert!(text.len() < 2_000, "{}", text.len());
    assert_eq!(place.bytes("big"), b"x\n");
}

#[tokio::test]
async fn what_shall_not_be_changed_is_not() {
    let place = Fixture::new();
    place.write("readonly", "a").write("two", "a");
    set_permissions(place.path("readonly"), Permissions::from_mode(0o444)).expect("set");
    hard_link(place.path("two"), place.path("names")).expect("linked");
    let text =
        refused!(place.write_tool(), { "path": "readonly", "content": "x", "overwrite": true });
    assert!(text.contains("chmod u+w"), "{text}");
    let text = refused!(place.write_tool(), { "path": "two", "content": "x", "overwrite": true });
    assert!(text.contains("the file has 2 names"), "{text}");
    assert_eq!((place.bytes("readonly"), place.bytes("two")), (b"a".to_vec(), b"a".to_vec()));
    ok!(place.write_tool(), { "path": "two", "content": "a" });
    assert_eq!(place.names(), ["names", "readonly", "two"]);
}

#[tokio::test]
async fn a_forbidden_directory_says_so() {
    let place = Fixture::new();
    create_dir(place.path("locked")).expect("made");
    set_permissions(place.path("locked"), Permissions::from_mode(0o555)).expect("set");
    if std::fs::write(place.path("locked/probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    for asked in ["locked/a", "locked/deep/a"] {
        let text = refused!(place.write_tool(), { "path": asked, "content": "x" });
        assert!(text.contains("no permission to change"), "{text}");
    }
}

#[tokio::test]
async fn a_binary_file_is_overwritten_without_a_diff() {
    let place = Fixture::new();
    place.write("a", b"\0\x01");
    let text = ok!(place.write_tool(), { "path": "a", "content": "x", "overwrite": true });
    assert_eq!(text, "overwrote a: 1 byte, 1 line\n[it had 2 bytes; they are not shown]\n");
}

#[tokio::test]
async fn the_owner_stays() {
    let place = Fixture::new();
    place.write("a", "old");
    if std::os::unix::fs::chown(place.path("a"), Some(1234), Some(1234)).is_err() {
        println!("skipped: this user may not give files away");
        return;
    }
    ok!(place.write_tool(), { "path": "a", "content": "x", "overwrite": true });
    let now = metadata(place.path("a")).expect("there");
    assert_eq!((now.uid(), now.gid()), (1234, 1234));
}

#[tokio::test]
async fn a_cancelled_call_changes_nothing() {
    let place = Fixture::new();
    place.write("a", "old");
    let tool = place.write_tool();
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let arguments = asked(&tool, &json!({ "path": "a", "content": "x", "overwrite": true }));
    let outcome = tool.call(&arguments, &context(cancellation)).await;
    // It may have been faster than the cancellation, but it never does one and says the other.
    let now = place.bytes("a");
    match outcome {
        ToolOutcome::Interrupted => assert_eq!(now, b"old"),
        other => assert!(other.is_ok() && now == b"x", "{other:?}"),
    }
}

#[tokio::test]
async fn arguments_that_the_schema_refuses_are_refused() {
    let place = Fixture::new();
    for arguments in [json!({ "path": "a" }), json!({ "path": "a", "content": 1 })] {
        let outcome = call(&place.write_tool(), &arguments).await;
        let refused = matches!(outcome, ToolOutcome::Failed(FailureKind::InvalidArguments, _));
        assert!(refused, "{arguments}: {outcome:?}");
    }
    assert!(place.names().is_empty());
}

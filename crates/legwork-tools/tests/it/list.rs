//! Directories as the `list` tool shows them.

use std::ffi::OsStr;
use std::fs::{Permissions, create_dir, create_dir_all};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use legwork_port::core::{EffectClass, ToolOutcome};
use legwork_port::{Cancellation, Tool as _};
use serde_json::json;

use crate::fixture::{Fixture, call, call_without_threads, ok, refused};

#[tokio::test]
async fn a_directory_is_shown_sorted_with_what_each_entry_is() {
    let place = Fixture::new();
    create_dir(place.path("src")).expect("made");
    place.write("b.txt", "x".repeat(1536)).write("a.txt", "").write("src/main.rs", "fn");
    symlink("src/main.rs", place.path("link")).expect("linked");
    symlink("/etc/passwd", place.path("outside")).expect("linked");
    let _socket = UnixListener::bind(place.path("socket")).expect("a socket");
    let text = ok!(place.list(), {});
    assert_eq!(
        text,
        "a.txt  0 B\nb.txt  1.5 KB\nlink -> src/main.rs\noutside -> /etc/passwd\n\
         socket  [socket]\nsrc/\n"
    );
    assert_eq!(ok!(place.list(), { "path": "src" }), "main.rs  2 B\n");
}

#[tokio::test]
async fn depth_goes_down_and_not_through_symlinks() {
    let place = Fixture::new();
    create_dir_all(place.path("a/b/c")).expect("made");
    place.write("a/b/c/deep", "").write("a.rs", "");
    symlink("..", place.path("a/b/up")).expect("linked");
    let text = ok!(place.list(), { "depth": 2 });
    assert_eq!(text, "a/\na/b/\na.rs  0 B\n");
    let text = ok!(place.list(), { "depth": 10 });
    assert_eq!(text, "a/\na/b/\na/b/c/\na/b/c/deep  0 B\na/b/up -> ..\na.rs  0 B\n");
}

#[tokio::test]
async fn hidden_and_ignored_are_left_out_unless_all_is_asked_for() {
    let place = Fixture::new();
    create_dir_all(place.path("target/debug")).expect("made");
    create_dir_all(place.path("src/gen")).expect("made");
    create_dir(place.path(".git")).expect("made");
    place
        .write(".gitignore", "/target\n*.log\n!keep.log\n")
        .write("x.log", "")
        .write("keep.log", "");
    place.write("src/.ignore", "gen/\n").write("src/gen/x", "").write("src/y.log", "");
    place.write("target/debug/x", "").write(".git/HEAD", "");
    let text = ok!(place.list(), { "depth": 3 });
    assert_eq!(text, "keep.log  0 B\nsrc/\n[7 hidden or ignored left out; all=true shows them]\n");
    let text = ok!(place.list(), { "all": true, "depth": 2 });
    assert!(text.starts_with(".git/\n.gitignore  "), "{text}");
    assert!(text.contains("target/debug/\n") && !text.contains("HEAD"), "{text}");
    // Who names what is left out gets it, and the root's rules reach down.
    assert_eq!(ok!(place.list(), { "path": "target" }), "debug/\n");
    assert!(ok!(place.list(), { "path": "src" }).starts_with("[src holds nothing to show]"));
}

#[tokio::test]
async fn a_repository_within_is_not_ruled_by_the_one_around_it() {
    let place = Fixture::new();
    create_dir_all(place.path("inner/.git")).expect("made");
    place.write(".gitignore", "*.log\n").write("inner/a.log", "").write("inner/b.tmp", "");
    place.write(".ignore", "*.tmp\n");
    assert!(ok!(place.list(), { "path": "inner" }).starts_with("a.log  0 B\n["));
}

#[tokio::test]
async fn following_what_it_says_shows_every_entry_once() {
    let place = Fixture::new();
    for number in 0..2_500 {
        if number % 100 == 0 {
            create_dir(place.path(&format!("{}", number / 100))).expect("made");
        }
        place.write(&format!("{}/{number}", number / 100), "");
    }
    let (mut seen, mut offset, mut pages) = (Vec::new(), 1, 0);
    loop {
        let text = ok!(place.list(), { "depth": 2, "offset": offset });
        pages += 1;
        seen.extend(text.lines().filter(|line| !line.starts_with('[')).map(str::to_owned));
        let Some((_, next)) = text.rsplit_once("next: offset=") else {
            break;
        };
        offset = next.trim_end_matches("]\n").parse().expect("a number");
    }
    let before = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((pages, before, seen.len()), (3, 2_525, 2_525));
    let text = refused!(place.list(), { "offset": 26 });
    assert!(text.starts_with("offset=26 is past the end of ., which has 25 entries"), "{text}");
}

#[tokio::test]
async fn names_of_any_bytes_are_one_line_each() {
    let place = Fixture::new();
    std::fs::write(place.path("x").with_file_name(OsStr::from_bytes(b"a\xff")), "").expect("made");
    place.write("b\nc", "");
    assert_eq!(ok!(place.list(), {}), "a\u{fffd}  0 B  [name is not UTF-8]\nb\\nc  0 B\n");
}

#[tokio::test]
async fn a_path_that_is_not_a_directory_inside_is_refused() {
    let place = Fixture::new();
    place.write("file", "");
    symlink("/etc", place.path("etc")).expect("linked");
    assert!(refused!(place.list(), { "path": "file" }).contains("is not a directory"));
    assert!(refused!(place.list(), { "path": "gone" }).contains("there is no file gone"));
    for path in ["etc", "/etc", "..", "etc/ssl"] {
        let text = refused!(place.list(), { "path": path });
        assert!(text.contains("outside the workspace"), "{path}: {text}");
    }
    let root = place.workspace().root().to_str().expect("UTF-8").to_owned();
    assert!(ok!(place.list(), { "path": root }).starts_with("etc -> /etc\nfile  0 B\n"));
}

#[tokio::test]
async fn a_directory_that_cannot_be_read_is_reported() {
    let place = Fixture::new();
    create_dir(place.path("locked")).expect("made");
    std::fs::set_permissions(place.path("locked"), Permissions::from_mode(0o000)).expect("set");
    if std::fs::read_dir(place.path("locked")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    let text = ok!(place.list(), { "depth": 2 });
    assert_eq!(text, "locked/\n[1 directories could not be read]\n");
    assert!(refused!(place.list(), { "path": "locked" }).contains("no permission"));
}

/// Swaps two names, again and again, until it is dropped.
pub(crate) struct Swapping {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl Swapping {
    pub(crate) fn start(a: PathBuf, b: PathBuf) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&done);
        let thread = std::thread::spawn(move || {
            let (flags, cwd, mut swaps) = (rustix::fs::RenameFlags::EXCHANGE, rustix::fs::CWD, 0);
            while !end.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(cwd, &a, cwd, &b, flags).expect("swapped");
                swaps += 1;
            }
            swaps
        });
        Self { done, thread: Some(thread) }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let swaps = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(swaps, Some(Ok(_))));
    }
}

#[tokio::test]
async fn a_symlink_swapped_in_never_leads_outside() {
    let outside = Fixture::new();
    outside.write("secret", "");
    let place = Fixture::new();
    create_dir(place.path("real")).expect("made");
    symlink(outside.path(""), place.path("link")).expect("linked");
    let _swapping = Swapping::start(place.path("real"), place.path("link"));
    for _ in 0..300 {
        for path in [".", "real"] {
            let asked = json!({ "depth": 3, "path": path });
            let text = call(&place.list(), &asked).await.to_text();
            assert!(!text.contains("secret"), "{path}: {text}");
        }
    }
}

#[test]
fn a_cancelled_call_is_interrupted() {
    let place = Fixture::new();
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let list = place.list();
    let outcome = call_without_threads(&list, &json!({}), cancellation);
    assert!(matches!(outcome, ToolOutcome::Interrupted));
}

#[tokio::test]
async fn listing_changes_nothing_and_says_what_does_not_fit() {
    let list = Fixture::new().list();
    assert_eq!(list.spec().effect, EffectClass::ReadOnly);
    assert!(refused!(list, { "deep": 1 }).contains("the arguments of `list` do not fit"));
    assert_eq!(ok!(list, { "depth": 99.0 }), "[the workspace holds nothing to show]\n");
}

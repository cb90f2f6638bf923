//! What calls changed, put together: git itself takes the patch back.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use legwork_port::{Cancellation, Tool};
use legwork_tools::changes::{Change, FileChange, net};
use legwork_tools::{Edit, Write};
use serde_json::{Value, json};

use crate::place::{Place, asked, context};

/// The change that a call leaves beside its result.
async fn left(tool: &impl Tool, arguments: Value) -> Vec<Change> {
    let cx = context(Cancellation::new());
    let outcome = tool.call(&asked(tool, &arguments), &cx).await;
    assert!(outcome.is_ok(), "{}", outcome.for_model());
    let metadata = cx.take_metadata();
    let changes = Change::of(&metadata);
    // A journal gives back what was put into it.
    let text = serde_json::to_string(&changes).expect("JSON");
    assert_eq!(serde_json::from_str::<Vec<Change>>(&text).expect("read"), changes);
    changes
}

/// Applies a patch the other way round, as a person would who wants all back.
fn take_back(dir: &Path, patch: &str) {
    let mut git = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "-R", "--whitespace=nowarn", "-"])
        .current_dir(dir)
        .env("GIT_CEILING_DIRECTORIES", dir.parent().expect("above"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git");
    git.stdin.take().expect("piped").write_all(patch.as_bytes()).expect("written");
    let ended = git.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{said}\n{patch}");
}

fn patches(files: &[FileChange]) -> String {
    files.iter().map(|file| file.patch.clone().expect("a patch")).collect()
}

#[tokio::test]
async fn many_changes_of_many_files_are_one_patch_that_git_takes_back() {
    let place = Place::new();
    let long: String = (1..=400).map(|line| format!("line {line}\n")).collect();
    place.write("long.txt", &long).write("crlf.txt", "a\r\nb\r\nc\r\n");
    place.write("end.txt", "one\ntwo").write("with blank.txt", "x\n").write("gone", "old\n");
    let (edit, write) = (Edit::new(place.workspace()), Write::new(place.workspace()));
    let mut changes = Vec::new();
    let replace = |path: &str, old: &str, new: &str| json!({"path": path, "edits": [{"old": old, "new": new}]});
    let asked = [
        replace("long.txt", "line 200\n", "LINE 200\nadded\n"),
        replace("long.txt", "line 7\n", ""),
        replace("long.txt", "line 398\n", "1\n2\n3\n"),
        // Within what was changed before, and right beside it.
        replace("long.txt", "added\nline 201\n", "ADDED\nline 201!\n"),
        replace("long.txt", "line 1\n", "first\n"),
        replace("long.txt", "line 400\n", "last"),
        replace("crlf.txt", "b", "B"),
        replace("end.txt", "two", "two\nthree"),
        replace("with blank.txt", "x", "y"),
    ];
    for asked in asked {
        changes.extend(left(&edit, asked).await);
    }
    let asked = [
        json!({"path": "new/deep.txt", "content": "made\n"}),
        json!({"path": "new/empty", "content": ""}),
        json!({"path": "new/ \"odd\"\t.txt", "content": "no end"}),
        json!({"path": "gone", "content": "all new\n", "overwrite": true}),
    ];
    for asked in asked {
        changes.extend(left(&write, asked).await);
    }
    changes.extend(left(&edit, replace("new/deep.txt", "made", "made and changed")).await);

    let files = net(changes);
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    let odd = "new/ \"odd\"\t.txt";
    let all = ["long.txt", "crlf.txt", "end.txt", "with blank.txt"];
    assert_eq!(paths[..4], all);
    assert_eq!(paths[4..], ["new/deep.txt", "new/empty", odd, "gone"]);
    assert!(files.iter().all(|file| !file.changed_between), "{files:?}");
    assert_eq!((files[0].changes, files[0].added, files[0].removed), (6, 8, 6));

    take_back(&place.path(""), &patches(&files));
    let kept = ["crlf.txt", "end.txt", "gone", "long.txt", "with blank.txt"];
    assert_eq!(place.names(), kept);
    assert_eq!(place.bytes("long.txt"), long.as_bytes());
    assert_eq!(place.bytes("crlf.txt"), b"a\r\nb\r\nc\r\n");
    assert_eq!(place.bytes("end.txt"), b"one\ntwo");
    assert_eq!(place.bytes("with blank.txt"), b"x\n");
    assert_eq!(place.bytes("gone"), b"old\n");
}

#[tokio::test]
async fn a_journal_holds_the_lines_around_a_change_and_not_the_file() {
    let place = Place::new();
    let long: String = (1..=100_000).map(|line| format!("line {line}\n")).collect();
    place.write("long.txt", &long);
    let edit = Edit::new(place.workspace());
    let edits = json!([{"old": "line 50000\n", "new": "changed\n"}]);
    let changes = left(&edit, json!({"path": "long.txt", "edits": edits})).await;
    let size = serde_json::to_string(&changes).expect("JSON").len();
    assert!(size < 1_000, "{size}");
    let files = net(changes);
    let patch = files[0].patch.as_deref().expect("a patch");
    assert!(patch.contains("@@ -49997,7 +49997,7 @@\n line 49997\n"), "{patch}");
}

#[tokio::test]
async fn what_somebody_else_changed_in_between_is_told_apart() {
    let place = Place::new();
    place.write("a.txt", "1\n").write("b.txt", "1\n");
    let edit = Edit::new(place.workspace());
    let replace = |path: &str, old: &str, new: &str| json!({"path": path, "edits": [{"old": old, "new": new}]});
    let mut changes = left(&edit, replace("a.txt", "1", "2")).await;
    place.write("a.txt", "2\nby somebody else\n");
    changes.extend(left(&edit, replace("a.txt", "2", "3")).await);
    // There and back again is no change.
    changes.extend(left(&edit, replace("b.txt", "1", "2")).await);
    changes.extend(left(&edit, replace("b.txt", "2", "1")).await);
    let files = net(changes);
    let told: Vec<_> = files.iter().map(|file| (&*file.path, file.changed_between)).collect();
    assert_eq!(told, [("a.txt", false), ("a.txt", true)]);
    assert!(!patches(&files).contains("+by somebody else"));
}

#[tokio::test]
async fn what_is_no_text_or_too_much_is_told_by_size_and_digest() {
    let place = Place::new();
    place.write("binary", b"\0\x01").write("latin", b"gr\xfc\xdfe\n");
    let write = Write::new(place.workspace());
    let over =
        |path: &str, content: &str| json!({"path": path, "content": content, "overwrite": true});
    let mut changes = left(&write, over("binary", "text\n")).await;
    changes.extend(left(&write, over("latin", "plain\n")).await);
    changes.extend(left(&write, over("big", &"x\n".repeat(400_000))).await);
    let again = left(&write, over("big", &"x\n".repeat(400_000))).await;
    assert_eq!(again, [], "the same once more is no change");
    let files = net(changes);
    for (file, bytes) in files.iter().zip([5, 6, 800_000]) {
        assert_eq!(file.patch, None, "{file:?}");
        let after = file.after.as_ref().expect("there");
        assert!(after.bytes == bytes && after.digest.is_some(), "{file:?}");
    }
    assert_eq!(files.len(), 3);
}

#[test]
fn changes_that_do_not_fit_each_other_are_no_patch_and_no_panic() {
    let change = |skipped: u64, of: u64, before: &str| {
        let version = json!({"bytes": 1, "digest": null});
        let lines = json!({"of": of, "skipped": skipped, "before": before, "after": "x\n"});
        let change = json!({"path": "p", "before": version, "after": version, "lines": lines});
        serde_json::from_value::<Change>(change).expect("a change")
    };
    for bad in [change(u64::MAX, 1, "a\n"), change(0, u64::MAX, "a\n"), change(2, 2, "a\n")] {
        let files = net([change(0, 1, "a\n"), bad.clone()]);
        assert!(files.iter().all(|file| file.patch.is_none()), "{files:?}");
        let _ = net([bad]);
    }
}

#[tokio::test]
async fn what_a_command_changed_is_told_with_what_was_there_before() {
    let place = Place::new();
    std::fs::create_dir_all(place.path(".git")).expect("made");
    std::fs::create_dir_all(place.path("target")).expect("made");
    place.write("a.txt", "1\n2\n3\n").write("gone.txt", "going\n").write("same", "same\n");
    place.write(".gitignore", "target\n").write(".env", "A=1\n").write("big", "x".repeat(400_000));
    place.write("target/out", "old").write("binary", b"\0");
    let (bash, edit) = (place.bash(), Edit::new(place.workspace()));
    let one = "sed -i s/2/two/ a.txt; rm gone.txt; touch same; mkdir d; echo new >d/new.txt; \
               echo B=2 >>.env; echo y >>big; echo z >>target/out; echo z >.git/x; echo >>binary";
    let mut changes = left(&bash, json!({"command": one})).await;
    let edits = json!([{"old": "two", "new": "zwei"}]);
    changes.extend(left(&edit, json!({"path": "a.txt", "edits": edits})).await);
    // The same size, right after it was changed before.
    changes.extend(left(&bash, json!({"command": "sed -i s/zwei/deux/ a.txt"})).await);

    let files = net(changes);
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, [".env", "a.txt", "big", "binary", "gone.txt", "d/new.txt"]);
    assert!(files.iter().all(|file| !file.changed_between), "{files:?}");
    let file = |path: &str| files.iter().find(|file| file.path == path).expect("told");
    let a = file("a.txt").patch.as_deref().expect("a patch");
    assert!(a.contains("\n 1\n-2\n+deux\n 3\n"), "{a}");
    assert_eq!(file("a.txt").changes, 3);
    assert!(file("big").patch.is_none() && file("binary").patch.is_none());
    assert_eq!(file("big").after.as_ref().map(|after| after.bytes), Some(400_002));
    let patches: String = files.iter().filter_map(|file| file.patch.clone()).collect();
    take_back(&place.path(""), &patches);
    assert_eq!(place.bytes("a.txt"), b"1\n2\n3\n");
    assert_eq!(place.bytes("gone.txt"), b"going\n");
    assert_eq!(place.bytes(".env"), b"A=1\n");
    assert!(!place.path("d").exists());
}

#[tokio::test]
async fn a_command_that_changes_too_much_says_that_not_all_is_told() {
    let place = Place::new();
    let bash = place.bash();
    let cx = context(Cancellation::new());
    let arguments = json!({"command": "for n in $(seq 600); do echo $n >$n; done"});
    let outcome = bash.call(&asked(&bash, &arguments), &cx).await;
    assert!(outcome.is_ok(), "{}", outcome.for_model());
    let metadata = cx.take_metadata();
    assert_eq!(Change::of(&metadata).len(), 500);
    let why = metadata.get(legwork_tools::changes::UNWATCHED).expect("told");
    assert_eq!(why, "100 more files were changed");
}

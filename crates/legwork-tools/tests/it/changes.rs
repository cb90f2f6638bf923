//! What calls changed, put together: git itself takes the patch back.

use std::io::Write as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use legwork_port::{Cancellation, Tool};
use legwork_tools::changes::{Back, Cannot, Change, FileChange, Held, Kind, back, net};
use legwork_tools::{Edit, Write};
use serde_json::{Value, json};

use crate::fixture::{Fixture, asked, context};

/// The change that a call leaves with its result.
async fn left(tool: &impl Tool, arguments: Value) -> Vec<Change> {
    let cx = context(Cancellation::new());
    let outcome = tool.call(&asked(tool, &arguments), &cx).await;
    assert!(outcome.is_ok(), "{}", outcome.to_text());
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
    let place = Fixture::new();
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
        // Within what was changed before, and right next to it.
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
    let place = Fixture::new();
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
async fn what_another_process_changed_in_between_is_separate() {
    let place = Fixture::new();
    place.write("a.txt", "1\n").write("b.txt", "1\n");
    let edit = Edit::new(place.workspace());
    let replace = |path: &str, old: &str, new: &str| json!({"path": path, "edits": [{"old": old, "new": new}]});
    let mut changes = left(&edit, replace("a.txt", "1", "2")).await;
    place.write("a.txt", "2\nby another process\n");
    changes.extend(left(&edit, replace("a.txt", "2", "3")).await);
    // There and back again is no change.
    changes.extend(left(&edit, replace("b.txt", "1", "2")).await);
    changes.extend(left(&edit, replace("b.txt", "2", "1")).await);
    let files = net(changes);
    let report: Vec<_> = files.iter().map(|file| (&*file.path, file.changed_between)).collect();
    assert_eq!(report, [("a.txt", false), ("a.txt", true)]);
    assert!(!patches(&files).contains("+by another process"));
}

#[tokio::test]
async fn what_is_too_large_is_kept_as_size_and_digest_and_what_is_not_text_as_bytes() {
    let place = Fixture::new();
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
        assert_eq!(file.patch.is_none(), file.path == "big", "{file:?}");
        let after = file.after.as_ref().expect("there");
        assert!(after.bytes == bytes && after.digest.is_some(), "{file:?}");
    }
    assert_eq!(files.len(), 3);
    take_back(&place.path(""), &patches(&files[..2]));
    assert_eq!(place.bytes("binary"), b"\0\x01");
    assert_eq!(place.bytes("latin"), b"gr\xfc\xdfe\n");
}

#[test]
fn changes_that_do_not_fit_each_other_give_neither_a_patch_nor_a_panic() {
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
async fn what_a_command_changed_is_reported_with_what_was_there_before() {
    let place = Fixture::new();
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
    let file = |path: &str| files.iter().find(|file| file.path == path).expect("reported");
    let a = file("a.txt").patch.as_deref().expect("a patch");
    assert!(a.contains("\n 1\n-2\n+deux\n 3\n"), "{a}");
    assert_eq!(file("a.txt").changes, 3);
    assert!(file("big").patch.is_none());
    let binary = file("binary").patch.as_deref().expect("a patch");
    assert!(binary.contains("\nGIT binary patch\nliteral 2\n"), "{binary}");
    assert_eq!(file("big").after.as_ref().map(|after| after.bytes), Some(400_002));
    let patches: String = files.iter().filter_map(|file| file.patch.clone()).collect();
    take_back(&place.path(""), &patches);
    assert_eq!(place.bytes("a.txt"), b"1\n2\n3\n");
    assert_eq!(place.bytes("gone.txt"), b"going\n");
    assert_eq!(place.bytes(".env"), b"A=1\n");
    assert_eq!(place.bytes("binary"), b"\0");
    assert!(!place.path("d").exists());
}

#[tokio::test]
async fn a_command_that_changes_too_much_says_that_not_all_is_reported() {
    let place = Fixture::new();
    let bash = place.bash();
    let cx = context(Cancellation::new());
    let arguments = json!({"command": "for n in $(seq 600); do echo $n >$n; done"});
    let outcome = bash.call(&asked(&bash, &arguments), &cx).await;
    assert!(outcome.is_ok(), "{}", outcome.to_text());
    let metadata = cx.take_metadata();
    assert_eq!(Change::of(&metadata).len(), 500);
    let why = metadata.get(legwork_tools::changes::UNWATCHED).expect("reported");
    assert_eq!(why, "100 more files were changed");
}

/// A place with files of all kinds, and what a command did to them.
const KINDS: &str = "chmod 755 run.sh; chmod 600 secret; mv old.txt d/new.txt; chmod +x d/new.txt; \
    ln -s run.sh made; ln -sfn d there; rm gone-link; \
    rm becomes-link; ln -s run.sh becomes-link; rm becomes-file; echo text >becomes-file; \
    head -c 300 /dev/zero >>blob; printf '\\0new' >new-blob; rm gone-blob; touch empty-before; \
    printf '\\0\\1' >text-to-binary; printf x >no-end";

async fn kinds() -> (Fixture, Vec<Change>, Vec<(String, Option<Held>)>) {
    let place = Fixture::new();
    place.write("run.sh", "#!/bin/sh\n").write("secret", "s\n").write("old.txt", "1\n2\n");
    let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    place.write("blob", &noise).write("gone-blob", &noise).write("empty-before", "");
    place.write("becomes-link", "was\na file\n").write("text-to-binary", "text\n");
    place.write("no-end", "y");
    std::fs::create_dir(place.path("d")).expect("made");
    let link = |target: &str, name: &str| symlink(target, place.path(name)).expect("linked");
    link("..", "there");
    link("run.sh", "gone-link");
    link("d", "becomes-file");
    let before = held(&place);
    let changes = left(&place.bash(), json!({"command": KINDS})).await;
    (place, changes, before)
}

fn paths() -> [&'static str; 15] {
    [
        "run.sh",
        "secret",
        "old.txt",
        "d/new.txt",
        "made",
        "there",
        "gone-link",
        "becomes-link",
        "becomes-file",
        "blob",
        "new-blob",
        "gone-blob",
        "empty-before",
        "text-to-binary",
        "no-end",
    ]
}

fn held(place: &Fixture) -> Vec<(String, Option<Held>)> {
    paths().map(|path| (path.to_owned(), hold(&place.path(path)))).to_vec()
}

fn hold(path: &Path) -> Option<Held> {
    let metadata = path.symlink_metadata().ok()?;
    let mode = metadata.permissions().mode() & 0o7777;
    Some(match metadata.is_symlink() {
        true => {
            let target = std::fs::read_link(path).expect("read").into_os_string().into_vec();
            Held { kind: Kind::Link, mode, content: target }
        }
        false => Held { kind: Kind::File, mode, content: std::fs::read(path).expect("read") },
    })
}

#[tokio::test]
async fn modes_links_binaries_and_renamed_files_are_in_the_patch_that_git_takes_back() {
    let (place, changes, before) = kinds().await;
    let files = net(changes);
    let report: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    for path in paths().iter().filter(|path| **path != "empty-before") {
        assert!(report.contains(path), "{path} in {report:?}");
    }
    let patch = |path: &str| {
        let file = files.iter().find(|file| file.path == path).expect("reported");
        file.patch.clone().expect("a patch")
    };
    assert_eq!(patch("run.sh"), "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
    assert!(patch("made").contains("new file mode 120000\n--- /dev/null\n+++ b/made\n"));
    assert!(patch("there").contains("\n-..\n\\ No newline at end of file\n+d\n"));
    assert!(patch("d/new.txt").contains("new file mode 100755\n"));
    let other = patch("becomes-link");
    assert!(other.contains("deleted file mode 100644\n"), "{other}");
    assert!(other.contains("new file mode 120000\n"), "{other}");

    take_back(&place.path(""), &patches(&files));
    for ((path, now), (_, before)) in held(&place).into_iter().zip(before) {
        // Taking back that a link was removed, git makes a file of it (2.47).
        let is_link = |held: &Option<Held>| {
            held.as_ref().is_some_and(|held| held.kind == Kind::Link) && !path.contains("there")
        };
        // It knows of a mode only whether its owner may run the file.
        let git = |held: Held| (held.kind, held.mode & 0o100, held.content);
        assert!(is_link(&before) || now.map(git) == before.map(git), "{path}");
    }
}

#[tokio::test]
async fn each_change_of_a_command_can_be_taken_back_and_a_file_changed_since_is_noticed() {
    let (place, changes, before) = kinds().await;
    let of = |path: &str| -> Vec<_> {
        changes.iter().filter(|change| change.path == path).cloned().collect()
    };
    for (path, wanted) in before {
        let now = hold(&place.path(&path));
        let taken = match back(of(&path), now.as_ref()).expect("can be taken back") {
            Back::Nothing => now.clone(),
            Back::Remove => None,
            Back::Restore(held) => Some(held),
            _ => panic!("{path}: nothing that this test knows"),
        };
        let bare = |held: Option<Held>| {
            // The mode of a link says nothing.
            held.map(|held| if held.kind == Kind::Link { Held { mode: 0, ..held } } else { held })
        };
        assert_eq!(bare(taken.clone()), bare(wanted.clone()), "{path}");
        // A second time there is nothing left to do.
        assert_eq!(back(of(&path), wanted.as_ref()), Ok(Back::Nothing), "{path}");
        let Some(now) = now.filter(|_| path != "empty-before") else { continue };
        let mut content = now.content.clone();
        content.push(b'!');
        let since = back(of(&path), Some(&Held { content, ..now.clone() }));
        assert_eq!(since, Err(Cannot::ChangedSince("it has another content")), "{path}");
        let since = back(of(&path), None);
        assert!(matches!(since, Err(Cannot::ChangedSince("it is gone")) | Ok(Back::Nothing)));
        if now.kind == Kind::File && !of(&path).iter().any(|change| change.before.is_none()) {
            let since = back(of(&path), Some(&Held { mode: 0o640, ..now }));
            assert_eq!(since, Err(Cannot::ChangedSince("it has another mode")), "{path}");
        }
    }
}

#[tokio::test]
async fn many_changes_of_one_file_are_taken_back_one_after_the_other() {
    let place = Fixture::new();
    let long: String = (1..=500).map(|line| format!("line {line}\n")).collect();
    place.write("a", &long);
    let (edit, bash) = (Edit::new(place.workspace()), place.bash());
    let replace = |old: &str, new: &str| json!({"path": "a", "edits": [{"old": old, "new": new}]});
    let mut changes = left(&edit, replace("line 250\n", "changed\nand more\n")).await;
    changes.extend(left(&edit, replace("line 2\n", "")).await);
    for command in ["chmod +x a", "printf 'no text \\0' >a", "seq 9 >a", "sed -i 3d a"] {
        changes.extend(left(&bash, json!({"command": command})).await);
    }
    let now = hold(&place.path("a")).expect("there");
    assert_eq!(now.content, b"1\n2\n4\n5\n6\n7\n8\n9\n");
    let Ok(Back::Restore(taken)) = back(changes.clone(), Some(&now)) else {
        panic!("{:?}", back(changes, Some(&now)))
    };
    assert_eq!((taken.mode, taken.content), (0o644, long.clone().into_bytes()));
    // Its patch is that of a binary file: some of the way is not known in lines.
    take_back(&place.path(""), &patches(&net(changes)));
    assert_eq!(place.bytes("a"), long.as_bytes());
}

#[tokio::test]
async fn what_cannot_be_taken_back_says_why() {
    let place = Fixture::new();
    place.write("a", "1\n").write("big", "x".repeat(800_000));
    let edit = Edit::new(place.workspace());
    let replace = |old: &str, new: &str| json!({"path": "a", "edits": [{"old": old, "new": new}]});
    let mut changes = left(&edit, replace("1", "2")).await;
    place.write("a", "2\nby another process\n");
    changes.extend(left(&edit, replace("2", "3")).await);
    assert_eq!(back(changes, hold(&place.path("a")).as_ref()), Err(Cannot::ChangedBetween));
    let changes = left(&place.bash(), json!({"command": "echo y >>big"})).await;
    let now = hold(&place.path("big"));
    assert!(matches!(back(changes, now.as_ref()), Err(Cannot::NotRecorded(_))));
}

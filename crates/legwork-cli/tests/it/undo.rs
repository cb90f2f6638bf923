//! `legwork sessions undo`: what a session changed is taken back, or it is said why not.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use legwork_testkit::{Script, Server, Turn};
use serde_json::json;

use crate::agents::agent;
use crate::home::{Home, Ran, fed, ran};

/// What a session does to files of all kinds.
const WORK: &str = "chmod 755 run.sh; mv old.txt deep/new.txt; rm -r gone; ln -sfn run.sh link; \
    rm gone-link; printf '\\0\\1\\2' >binary; mkdir -p made/deep; echo x >made/deep/file; \
    rm was-file; mkdir was-file; echo y >was-file/inner; chmod 640 secret";

fn git(home: &Home, dir: &Path, args: &[&str]) -> Ran {
    let mut git = Command::new("git");
    git.args(args).current_dir(dir).env("HOME", home.work());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null");
    ran(git)
}

/// A repository with the workspace `sub` in it, and a session that changed much there.
fn worked() -> (Home, String) {
    let home = Home::new();
    let root = home.work();
    let sub = root.join("sub");
    for folder in ["deep", "gone/below"] {
        fs::create_dir_all(sub.join(folder)).unwrap();
    }
    for (name, content) in [
        ("notes.txt", &b"one\ntwo\nthree\n"[..]),
        ("run.sh", b"#!/bin/sh\n"),
        ("old.txt", b"moved\n"),
        ("gone/below/a", b"a\n"),
        ("binary", b"\0old"),
        ("was-file", b"file\n"),
        ("secret", b"s\n"),
    ] {
        fs::write(sub.join(name), content).unwrap();
    }
    fs::set_permissions(sub.join("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("notes.txt", sub.join("link")).unwrap();
    symlink("notes.txt", sub.join("gone-link")).unwrap();
    git(&home, &root, &["init", "-q"]).ends(0);
    git(&home, &root, &["add", "-A"]).ends(0);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(&home, &root, &[&author[..], &["commit", "-qm", "before"]].concat()).ends(0);
    let edits = json!([{"old": "two", "new": "zwei"}]);
    let server = Server::start([
        Turn::call("edit", json!({"path": "notes.txt", "edits": edits})),
        Turn::call("bash", json!({"command": WORK})),
        Turn::call("write", json!({"path": "new.txt", "content": "made\n"})),
        Turn::text("done"),
    ])
    .unwrap();
    let dir = sub.to_str().unwrap();
    let args = ["run", "--json", "--sandbox", "off", "--dir", dir, "Work"];
    let session = home.ran_with(&server, &args).ends(0).session();
    assert_ne!(status(&home), "");
    (home, session)
}

/// What git finds changed.
fn status(home: &Home) -> String {
    git(home, &home.work(), &["status", "--porcelain", "--ignored=no", "--", "sub"]).ends(0).out
}

#[test]
fn s13_9_all_that_a_session_changed_is_taken_back_where_the_person_says() {
    let (home, session) = worked();
    let elsewhere = home.work().join("sub/deep");
    let undo = |args: &[&str]| {
        let mut undo = home.legwork(&[&["sessions", "undo", &session], args].concat());
        undo.current_dir(&elsewhere);
        ran(undo)
    };
    let before = status(&home);
    undo(&[])
        .ends(1)
        .says("cannot take back notes.txt: it lies elsewhere: change to its directory");
    assert_eq!(status(&home), before);
    let done = undo(&["--dir", ".."]).ends(0);
    assert_eq!(done.err, "");
    for line in ["restored notes.txt", "removed new.txt", "restored gone/below/a", "restored link"]
    {
        assert!(done.out.lines().any(|told| told == line), "{line}: {}", done.out);
    }
    assert_eq!(status(&home), "");
    let sub = home.work().join("sub");
    assert!(!sub.join("made").exists() && sub.join("was-file").is_file());
    let mode = sub.join("secret").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A second time there is nothing left to do, and that is no error.
    let again = home.ran(&["sessions", "undo", &session]).ends(0);
    assert_eq!(again.out, "nothing to take back: the files are as they were before the session\n");
}

#[test]
fn a_dry_run_says_it_all_and_does_nothing() {
    let (home, session) = worked();
    let before = status(&home);
    let dry = home.ran(&["sessions", "undo", "--dry-run", &session]).ends(0);
    assert!(dry.out.contains("would restore notes.txt\n"), "{}", dry.out);
    assert!(dry.out.contains("would remove new.txt\n"), "{}", dry.out);
    assert!(dry.out.ends_with(" would be taken back; nothing was changed\n"), "{}", dry.out);
    assert_eq!(status(&home), before);
}

#[test]
fn a_file_that_was_changed_since_keeps_all_from_being_taken_back() {
    let (home, session) = worked();
    let sub = home.work().join("sub");
    fs::write(sub.join("notes.txt"), "mine\n").unwrap();
    fs::remove_file(sub.join("new.txt")).unwrap();
    let before = status(&home);
    let refused = home.ran(&["sessions", "undo", &session]).ends(1);
    let refused = refused.says("cannot take back notes.txt: it was changed since: it has another");
    refused.says("nothing was changed; --partly takes back the rest");
    assert_eq!(status(&home), before);
    let partly = home.ran(&["sessions", "undo", "--partly", &session]).ends(1);
    let partly = partly.says("cannot take back notes.txt: it was changed since");
    // What is gone already is as it was before the session.
    assert!(!partly.out.contains(" new.txt"), "{}", partly.out);
    assert_eq!(status(&home), " M sub/notes.txt\n");
    assert_eq!(fs::read_to_string(sub.join("notes.txt")).unwrap(), "mine\n");
}

#[test]
fn what_cannot_be_written_leaves_all_as_it_was() {
    let (home, session) = worked();
    let sub = home.work().join("sub");
    // Something that is no file stands where a directory has to be.
    fs::write(sub.join("gone"), "in the way").unwrap();
    let before = status(&home);
    let refused = home.ran(&["sessions", "undo", &session]).ends(1);
    refused.says("error: taking changes back: gone/below/a: ").says("all is as it was before");
    assert_eq!(status(&home), before);
    // A directory of it leads elsewhere by now.
    fs::remove_file(sub.join("gone")).unwrap();
    fs::rename(sub.join("deep"), sub.join("moved")).unwrap();
    symlink("moved", sub.join("deep")).unwrap();
    home.ran(&["sessions", "undo", &session]).ends(1).says("deep is a symbolic link by now");
}

#[test]
fn a_session_without_changes_has_nothing_to_take_back() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hello")]).unwrap());
    let session = home.ran_with(&server, &["run", "--json", "Greet"]).ends(0).session();
    let ran = home.ran(&["sessions", "undo", &session]).ends(0);
    assert!(ran.out.starts_with("nothing to take back: no changes"), "{}", ran.out);
    home.ran(&["sessions", "undo", "no-such"]).ends(2).says("there is no session no-such");
}

#[test]
fn the_patch_of_a_session_in_a_subdirectory_is_one_for_the_repository() {
    let (home, session) = worked();
    let diff = home.ran(&["sessions", "diff", &session]).ends(0);
    assert!(diff.out.contains("diff --git a/sub/notes.txt b/sub/notes.txt\n"), "{}", diff.out);
    assert_eq!(diff.err, "");
    let mut apply = Command::new("git");
    apply.args(["apply", "-R"]).current_dir(home.work());
    fed(apply, diff.out.as_bytes()).ends(0);
    // Git makes a file of a symbolic link that was removed, and knows no other modes.
    assert_eq!(status(&home), " T sub/gone-link\n");
    // From elsewhere it says what the paths are relative to.
    let mut diff = home.legwork(&["sessions", "diff", &session]);
    diff.current_dir(home.work().join("sub"));
    let base = home.work().canonicalize().unwrap();
    ran(diff).ends(0).says(&format!("note: paths are relative to {}\n", base.display()));
}

#[test]
fn what_subagents_changed_is_told_and_taken_back_too() {
    let home = Home::new();
    home.file("work/notes.txt", "one\n");
    let agents = ".config/legwork/agents";
    home.file(
        &format!("{agents}/boss.md"),
        &agent("boss", "tools: [spawn_subagent, edit, write]\n", "x"),
    );
    let front = "tools: [edit, write]\n";
    home.file(&format!("{agents}/helper.md"), &agent("helper", front, "You help."));
    let edit = |old: &str, new: &str| {
        Turn::call("edit", json!({"path": "notes.txt", "edits": [{"old": old, "new": new}]}))
    };
    let server = Server::start(Script::from_fn(move |asked| {
        match (asked.instructions.starts_with("You help."), asked.turn()) {
            (true, 0) => edit("two", "three"),
            (true, 1) => Turn::call("write", json!({"path": "new.txt", "content": "made\n"})),
            (false, 0) => edit("one", "two"),
            (false, 1) => {
                Turn::call("spawn_subagent", json!({"agent": "helper", "prompt": "Help"}))
            }
            (false, 2) => edit("three", "four"),
            _ => Turn::text("done"),
        }
    }))
    .unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "--agent", "boss", "Go"]).ends(0);
    let notes = home.work().join("notes.txt");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "four\n", "{}", ran.out);
    let diff = home.ran(&["sessions", "diff", &ran.session()]).ends(0);
    assert_eq!(diff.err, "");
    assert!(diff.out.contains("-one\n+four\n"), "{}", diff.out);
    assert!(diff.out.contains("b/new.txt\n"), "{}", diff.out);
    home.ran(&["sessions", "undo", &ran.session()]).ends(0);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one\n");
    assert!(!home.work().join("new.txt").exists());
}

//! `legwork undo`: what a session changed is taken back, or it is said why not.

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
        let mut undo = home.legwork(&[&["undo", &session], args].concat());
        undo.current_dir(&elsewhere);
        ran(undo)
    };
    let before = status(&home);
    undo(&[])
        .ends(1)
        .says("cannot take back edit notes.txt: notes.txt: it lies outside of the workspace")
        .says("change to their directory, or name it with --dir");
    assert_eq!(status(&home), before);
    let done = undo(&["--dir", ".."]).ends(0);
    let stays = "note: it is not taken back: bash chmod 755 run.sh";
    assert!(done.err.starts_with(stays) && done.err.lines().count() == 1, "{}", done.err);
    let lines: Vec<_> = done.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", done.out);
    assert_eq!((lines[0], lines[3]), ("write new.txt: removed new.txt", "3 calls taken back"));
    assert_eq!(lines[2], "edit notes.txt: restored notes.txt");
    for part in ["restored gone/below/a", "restored link", "removed made/deep/file"] {
        assert!(lines[1].contains(part), "{part}: {}", done.out);
    }
    assert_eq!(status(&home), "");
    let sub = home.work().join("sub");
    assert!(!sub.join("made").exists() && sub.join("was-file").is_file());
    let mode = sub.join("secret").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A second time there is nothing left to do, and that is no error.
    let again = home.ran(&["undo", &session]).ends(0);
    assert_eq!(again.out, "nothing to take back: what the session changed is as it was before\n");
}

#[test]
fn a_dry_run_says_it_all_and_does_nothing() {
    let (home, session) = worked();
    let before = status(&home);
    let dry = home.ran(&["undo", "--dry-run", &session]).ends(0);
    assert!(dry.out.contains("edit notes.txt: would restore notes.txt\n"), "{}", dry.out);
    assert!(dry.out.contains("write new.txt: would remove new.txt\n"), "{}", dry.out);
    assert!(dry.out.ends_with("3 calls would be taken back; nothing was changed\n"), "{}", dry.out);
    assert_eq!(status(&home), before);
}

#[test]
fn a_file_that_was_changed_since_keeps_all_from_being_taken_back() {
    let (home, session) = worked();
    let sub = home.work().join("sub");
    fs::write(sub.join("notes.txt"), "mine\n").unwrap();
    fs::remove_file(sub.join("new.txt")).unwrap();
    let before = status(&home);
    let refused = home.ran(&["undo", &session]).ends(1);
    let refused = refused
        .says("cannot take back edit notes.txt: notes.txt: it was changed since: it has another");
    refused.says("nothing was changed; --partly takes back the rest");
    assert_eq!(status(&home), before);
    let partly = home.ran(&["undo", "--partly", &session]).ends(1);
    let partly = partly.says("cannot take back edit notes.txt: notes.txt: it was changed since");
    // What is gone already is as it was before the session.
    assert!(!partly.out.contains(" new.txt"), "{}", partly.out);
    assert_eq!(status(&home), " M sub/notes.txt\n");
    assert_eq!(fs::read_to_string(sub.join("notes.txt")).unwrap(), "mine\n");
}

#[test]
fn a_call_that_cannot_be_taken_back_is_left_whole_and_those_before_it_stand() {
    let (home, session) = worked();
    let sub = home.work().join("sub");
    // Something that is no file stands where a directory has to be.
    fs::write(sub.join("gone"), "in the way").unwrap();
    let before = status(&home).replace("?? sub/new.txt\n", "");
    let refused = home.ran(&["undo", &session]).ends(1);
    assert_eq!(refused.out, "write new.txt: removed new.txt\n1 call taken back\n");
    refused.says("stopped at bash chmod 755").says(": gone/below/a: ").says("it stands");
    assert_eq!(status(&home), before);
    // A directory of it leads elsewhere by now.
    fs::remove_file(sub.join("gone")).unwrap();
    fs::rename(sub.join("deep"), sub.join("moved")).unwrap();
    symlink("moved", sub.join("deep")).unwrap();
    home.ran(&["undo", &session]).ends(1).says("deep is a symbolic link by now");
}

#[test]
fn a_session_without_changes_has_nothing_to_take_back() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hello")]).unwrap());
    let session = home.ran_with(&server, &["run", "--json", "Greet"]).ends(0).session();
    let ran = home.ran(&["undo", &session]).ends(0);
    assert!(ran.out.starts_with("nothing to take back: "), "{}", ran.out);
    home.ran(&["undo", "no-such"]).ends(2).says("there is no session no-such");
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
    home.ran(&["undo", &ran.session()]).ends(0);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one\n");
    assert!(!home.work().join("new.txt").exists());
}

/// A session of these turns that writes and edits, with its id.
fn session_of(home: &Home, turns: Vec<Turn>) -> String {
    let server = Server::start(turns).unwrap();
    let args = ["run", "--json", "--max-steps", "100", "Work"];
    home.ran_with(&server, &args).ends(0).session()
}

fn write(path: &str, content: &str) -> Turn {
    Turn::call("write", json!({"path": path, "content": content, "overwrite": true}))
}

#[test]
fn s6_7_a_step_says_where_the_undo_begins() {
    let home = Home::new();
    home.file("work/a.txt", "one\n");
    let turns = vec![write("a.txt", "two\n"), write("a.txt", "three\n"), Turn::text("done")];
    let session = session_of(&home, turns);
    home.ran(&["undo", &session, "4"]).ends(2).says("there is no step 4: the session has 3");
    home.ran(&["undo", &session, "0"]).ends(2);
    home.ran(&["undo", &session, "2"]).ends(0);
    let notes = || fs::read_to_string(home.work().join("a.txt")).unwrap();
    assert_eq!(notes(), "two\n");
    let json = home.ran(&["undo", "--json", &session]).ends(0);
    let line: serde_json::Value = serde_json::from_str(json.out.trim()).unwrap();
    assert_eq!((&line["undo"], &line["words"]), (&json!("done"), &json!("restored a.txt")));
    assert_eq!(notes(), "one\n");
}

#[test]
fn s6_7_the_model_reads_of_the_undo_when_the_session_goes_on() {
    let home = Home::new();
    let session = session_of(&home, vec![write("a.txt", "two\n"), Turn::text("done")]);
    home.ran(&["undo", &session]).ends(0);
    let shown = home.ran(&["sessions", "show", &session]).ends(0);
    assert!(shown.out.contains("removed a.txt"), "{}", shown.out);
    home.ran(&["sessions", "check", &session]).ends(0);
}

#[test]
fn s6_7_an_undo_that_is_killed_goes_on_where_it_was() {
    for left_then in [30, 21, 11, 1] {
        let home = Home::new();
        home.file("work/kept.txt", "kept\n");
        let mut turns: Vec<_> =
            (0..30).map(|n| write(&format!("d{}/{n}.txt", n % 3), &format!("{n}\n"))).collect();
        turns.push(write("kept.txt", "changed\n"));
        turns.push(Turn::text("done"));
        let session = session_of(&home, turns);
        let mut child = home.legwork(&["undo", &session]).spawn().unwrap();
        while files(&home.work()) > left_then && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        home.ran(&["undo", &session]).ends(0);
        assert_eq!(files(&home.work()), 1);
        assert_eq!(fs::read_dir(home.work()).unwrap().count(), 1, "directories are gone, too");
        assert_eq!(fs::read(home.work().join("kept.txt")).unwrap(), b"kept\n");
    }
}

/// How many files there are in a directory and in those in it.
fn files(dir: &Path) -> usize {
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let count = |entry: fs::DirEntry| match entry.path().is_dir() {
        true => files(&entry.path()),
        false => 1,
    };
    entries.map(count).sum()
}

#[test]
fn s6_7_what_was_undone_is_no_change_of_the_session() {
    let home = Home::new();
    let write = |name: &str| Turn::call("write", json!({"path": name, "content": "made\n"}));
    let server = Server::start([write("a.txt"), write("b.txt"), Turn::text("done")]).unwrap();
    let run = ["run", "--json", "--sandbox", "off", "go"];
    let session = home.ran_with(&server, &run).ends(0).session();
    home.ran(&["undo", &session, "2"]).ends(0);
    let diff = home.ran(&["sessions", "diff", &session]).ends(0);
    assert!(diff.out.contains("a.txt") && !diff.out.contains("b.txt"), "{}", diff.out);
    diff.says("undone, so its changes are left out: write b.txt");
    home.ran(&["undo", &session]).ends(0);
    let diff = home.ran(&["sessions", "diff", &session]).ends(0);
    assert_eq!(diff.out, "");
    assert!(!diff.err.contains("no changes of files"), "{}", diff.err);
}

//! Stores that are newer, damaged, elsewhere, or no stores.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, ran, text};

fn two_turns() -> [Turn; 2] {
    [Turn::call("read", json!({"path": "a"})), Turn::text("Done.")]
}

fn home_with_session(server: &Server) -> (Home, String) {
    let home = Home::new();
    fs::write(home.work().join("a"), "text\n").unwrap();
    let id = home.ran_with(server, &["run", "--json", "Work"]).ends(0).session();
    (home, id)
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let server = Server::start(two_turns()).unwrap();
    let (home, id) = home_with_session(&server);
    home.sql("PRAGMA user_version = 99");
    let asked = server.requests().len();
    for args in [&["run", "x"][..], &["resume", &id], &["sessions", "list"]] {
        home.ran_with(&server, args).ends(1).says("version 99").says("use a newer Legwork");
    }
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let home = Home::new();
    fs::write(home.work().join("letter.txt"), "Dear Sir or Madam, ".repeat(100)).unwrap();
    let server = Server::start(two_turns()).unwrap();
    let told = home.ran_with(&server, &["run", "--store", "sqlite:letter.txt", "x"]).ends(1);
    told.says("letter.txt").says("hint: ");
    assert!(fs::read_to_string(home.work().join("letter.txt")).unwrap().starts_with("Dear"));
}

#[test]
fn s8_4_a_damaged_last_entry_is_told_and_the_session_goes_on() {
    let server = Server::start(two_turns()).unwrap();
    let (home, id) = home_with_session(&server);
    // The last row holds the answer and the end; its lines are cut off.
    let last = "(SELECT max(id) FROM journal)";
    let sql = format!(
        "UPDATE journal SET entries = CAST(substr(entries, 1, 20) AS BLOB) WHERE id = {last}"
    );
    assert_eq!(home.sql(&sql), 1);

    let shown = home.ran(&["sessions", "show", &id]).ends(0).says("warning: ").says("damaged");
    assert!(shown.out.contains("✓ read a"), "{}", shown.out);
    assert!(!shown.out.contains("Done."), "{}", shown.out);
    // No journal is read for a list: it says how the session stood when it was written.
    let listed = home.ran(&["sessions", "list"]).ends(0);
    assert!(listed.out.contains("completed"), "{}", listed.out);
    home.ran(&["sessions", "check", &id]).ends(1);

    let resumed = home.ran_with(&server, &["resume", "--json", &id]).ends(0);
    assert_eq!(resumed.kinds()[0], "journal_cut");
    assert_eq!(resumed.last()["text"], "Done.");
    let shown = home.ran(&["sessions", "show", &id]).ends(0);
    assert!(shown.out.contains("Done.") && !shown.err.contains("damaged"), "{}", shown.err);
}

/// A session whose end has a word in it that this version does not know.
fn home_with_unreadable(server: &Server) -> (Home, String) {
    let (home, id) = home_with_session(server);
    let last = "(SELECT max(id) FROM journal)";
    let sql = format!(
        "UPDATE journal SET entries = \
         CAST(replace(entries, '\"parts\":[{{\"text\"', '\"parts\":[{{\"song\"') AS BLOB) \
         WHERE id = {last}"
    );
    assert_eq!(home.sql(&sql), 1);
    (home, id)
}

fn rows(home: &Home) -> Vec<(i64, Vec<u8>)> {
    let sqlite = rusqlite::Connection::open(home.store()).unwrap();
    let mut rows = sqlite.prepare("SELECT id, entries FROM journal ORDER BY id").unwrap();
    let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn s8_4_a_session_of_a_newer_legwork_is_shown_as_far_as_it_can_be_read() {
    let server = Server::start(two_turns()).unwrap();
    let (home, id) = home_with_unreadable(&server);
    let before = rows(&home);
    let advice = "use a newer Legwork";

    let shown = home.ran(&["sessions", "show", &id]).ends(0);
    let shown = shown.says("warning: ").says(&id).says("cannot read entry ").says("song");
    let shown = shown.says(advice);
    assert!(shown.out.contains("✓ read a") && !shown.out.contains("Done."), "{}", shown.out);
    let lines = home.ran(&["sessions", "show", "--json", &id]).ends(0);
    let lines = lines.says("cannot read entry ").says(advice);
    assert!(!lines.out.contains("song") && lines.out.lines().count() > 3, "{}", lines.out);
    let listed = home.ran(&["sessions", "list"]).ends(0);
    // The newer version said how it stands when it wrote it.
    assert!(listed.out.contains("completed"), "{}", listed.out);
    home.ran(&["sessions", "check", &id]).ends(1);
    home.ran(&["sessions", "search", "Work"]).ends(0).says("warning: ").says(advice);
    home.ran(&["sessions", "diff", &id]).ends(0).says("warning: ").says(advice);
    assert_eq!(rows(&home), before);
}

#[test]
fn s8_4_a_session_of_a_newer_legwork_is_refused_before_anything_happens() {
    let server = Server::start(two_turns()).unwrap();
    let (home, id) = home_with_unreadable(&server);
    let (before, asked) = (rows(&home), server.requests().len());
    let undo = &["undo", &id][..];
    for args in [&["resume", &id][..], &["run", "--session", &id, "more"], undo] {
        let told = home.ran_with(&server, args).ends(1).says("was not changed");
        let told = told.says("cannot read entry ").says("song").says("use a newer Legwork");
        told.says("hint: `legwork sessions show ID`");
    }
    assert_eq!((rows(&home), server.requests().len()), (before, asked));
}

#[test]
fn s8_6_a_session_of_a_newer_legwork_is_removed_by_its_name_alone() {
    let server = Server::start(two_turns()).unwrap();
    let (home, id) = home_with_unreadable(&server);
    home.sql("UPDATE journal SET at = at - 172800000");
    home.sql("UPDATE session SET updated = updated - 172800000");
    for status in [&[][..], &["--status", "in_progress"], &["--status", "completed"]] {
        let args = [&["sessions", "rm", "--yes", "--older-than", "1d"], status].concat();
        home.ran(&args).ends(0).says("cannot read entry ").says(&format!("{id} stays"));
    }
    assert!(!rows(&home).is_empty());
    home.ran(&["sessions", "rm", "--yes", &id]).ends(0);
    assert_eq!(rows(&home), []);
}

#[test]
fn a_store_by_flag_is_named_where_it_is_needed_again() {
    let home = Home::new();
    let server = Server::start([Turn::call("read", json!({"path": "a"}))]).unwrap();
    let args = ["run", "--json", "--store", "sqlite:my own.db", "--max-steps", "1", "x"];
    let told = home.ran_with(&server, &args).ends(3).last();
    assert!(
        text(&told["next"], "how").contains(" --store 'sqlite:my own.db' --max-steps 2"),
        "{told}"
    );
    assert!(home.work().join("my own.db").exists() && !home.store().exists());
}

#[test]
fn a_store_by_the_environment_is_used() {
    let home = Home::new();
    let server = Server::start([Turn::text("hi")]).unwrap();
    let mut command = home.with(&server, &["run", "x"]);
    command.env("XDG_STATE_HOME", home.work().join("state"));
    ran(command).ends(0);
    assert!(home.work().join("state/legwork/sessions.db").exists());
    let mut command = home.with(&server, &["run", "x"]);
    command.env("LEGWORK_STORE", "sqlite:here.db");
    ran(command).ends(0);
    assert!(home.work().join("here.db").exists());
}

#[test]
fn memory_keeps_nothing() {
    let home = Home::new();
    let server = Server::start([Turn::text("hi")]).unwrap();
    assert_eq!(home.ran_with(&server, &["run", "--store", "memory:", "x"]).ends(0).out, "hi\n");
    assert!(!home.store().exists());
}

//! `legwork sessions search`: over tasks, answers, arguments and results.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, text};

/// Two sessions; the second reads a file and runs a command.
fn two() -> (Home, Server) {
    let home = Home::new();
    fs::write(home.work().join("notes"), "first\n  the Needle lies\there \x1b[31m\nlast\n")
        .unwrap();
    let turns = [
        Turn::calls([
            ("read", json!({"path": "notes"})),
            ("bash", json!({"command": "true\nprintf 'a thimble'"})),
        ]),
        Turn::text("I saw a haystack."),
    ];
    let server = Server::start(turns).unwrap();
    home.ran_with(&server, &["run", "--sandbox", "off", "Find the pin"]).ends(0);
    home.ran_with(&server, &["run", "--sandbox", "off", "Find the NEEDLE"]).ends(0);
    (home, server)
}

#[test]
fn words_are_found_wherever_they_stand() {
    let (home, _server) = two();
    let kinds = |args: &[&str]| {
        let told = home.ran(&[&["sessions", "search", "--json"], args].concat()).ends(0);
        let rows = told.events();
        rows.iter().map(|row| format!("{} {}", text(row, "kind"), row["step"])).collect::<Vec<_>>()
    };
    let all = ["task 0", "result 1", "result 1"];
    assert_eq!(kinds(&["needle"]), all);
    assert_eq!(kinds(&["NEEDLE"]), ["task 0"]);
    assert_eq!(kinds(&["Needle"]), ["result 1", "result 1"]);
    assert_eq!(kinds(&["printf 'a"]), ["arguments 1", "arguments 1"]);
    assert_eq!(kinds(&["haystack"]), ["answer 2", "answer 2"]);
    assert_eq!(kinds(&["--limit", "1", "haystack"]), ["answer 2"]);
}

#[test]
fn a_line_says_where_and_is_safe_to_show() {
    let (home, _server) = two();
    let told = home.ran(&["sessions", "search", "Needle"]).ends(0);
    let line = told.out.lines().next().unwrap();
    assert!(line.contains("  completed  step 1 result  "), "{line}");
    assert!(line.contains("the Needle lies") && line.ends_with("here \\u{1b}[31m"), "{line}");
    assert_eq!(told.out.lines().count(), 2);
    let told = home.ran(&["sessions", "search", "--limit", "1", "Needle"]).ends(0);
    assert_eq!(told.out.lines().count(), 1);
    told.says("... and more; see it with --limit");
}

#[test]
fn nothing_found_is_told_as_grep_does() {
    let (home, _server) = two();
    let told = home.ran(&["sessions", "search", "no such thing"]).ends(1);
    assert_eq!(told.out, "");
    told.says("nothing in sqlite:").says("\"no such thing\"");
    home.ran(&["sessions", "search", "--json", "no such thing"]).ends(1);
    home.ran(&["sessions", "search", ""]).ends(2).says("there is nothing to look for");
    Home::new().ran(&["sessions", "search", "x"]).ends(1);
}

#[test]
fn s8_4_a_damaged_session_does_not_hide_the_others() {
    let (home, _server) = two();
    home.sql("UPDATE journal SET entries = x'00ff' WHERE id >= 2 << 32");
    let rows = home.ran(&["sessions", "search", "--json", "haystack"]).ends(0).events();
    assert_eq!(rows.len(), 1);
}

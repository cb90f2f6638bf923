//! `legwork sessions check`: a sound journal, and what is wrong with others.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, fed};

/// A home with a session in it, its id and its journal.
fn worked() -> (Home, String, String) {
    let home = Home::new();
    fs::write(home.work().join("notes.txt"), "a\n").unwrap();
    let turns = [Turn::call("read", json!({"path": "notes.txt"})), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let id = home.ran_with(&server, &["run", "--json", "Work"]).ends(0).session();
    let journal = home.ran(&["sessions", "show", &id, "--json"]).ends(0).out;
    (home, id, journal)
}

#[test]
fn s8_5_a_session_that_was_run_has_no_problem() {
    let (home, id, journal) = worked();
    let entries = journal.lines().count();
    let said = format!("{entries} entries, no problem\n");
    assert_eq!(home.ran(&["sessions", "check", &id]).ends(0).out, said);
    fs::write(home.work().join("journal.jsonl"), &journal).unwrap();
    assert_eq!(home.ran(&["sessions", "check", "journal.jsonl"]).ends(0).out, said);
    let piped = fed(home.legwork(&["sessions", "check", "-"]), journal.as_bytes());
    assert_eq!(piped.ends(0).out, said);
    assert_eq!(home.ran(&["sessions", "check", "--json", &id]).ends(0).out, "");
}

#[test]
fn s8_5_what_is_wrong_is_told_with_its_entry() {
    let (home, _, journal) = worked();
    let lines: Vec<_> = journal.lines().collect();
    let at = lines.iter().position(|line| line.contains("\"tool_finished\"")).unwrap();
    // Twice the same answer: its number and its parent are wrong, and the call is answered.
    let mut twice = lines.clone();
    twice.insert(at + 1, lines[at]);
    let checked = |lines: &[&str]| {
        let text = lines.join("\n");
        fed(home.legwork(&["sessions", "check", "--json", "-"]), text.as_bytes())
    };
    let problems = checked(&twice).ends(1).events();
    let of = |entry: usize| {
        let of = |problem: &&Value| problem["entry"] == json!(entry);
        problems.iter().filter(of).map(|problem| problem["problem"].as_str().unwrap()).collect()
    };
    let wrong: Vec<&str> = of(at + 2);
    assert!(wrong.contains(&"the call was answered before"), "{problems:?}");
    assert_eq!(wrong.len(), 3, "{problems:?}");
    // A line that was cut.
    let mut cut = lines.clone();
    cut[at] = &lines[at][..20];
    let problems = checked(&cut).ends(1).events();
    assert_eq!((problems.len(), &problems[0]["entry"]), (1, &json!(at + 1)));
    assert_eq!(problems[0]["ends_there"], json!(true));
    let told = fed(home.legwork(&["sessions", "check", "-"]), cut.join("\n").as_bytes()).ends(1);
    let entry = at + 1;
    assert!(told.out.starts_with(&format!("entry {entry}: the line is damaged")), "{}", told.out);
    assert!(told.out.contains("What follows was not checked."), "{}", told.out);
}

#[test]
fn a_file_or_session_that_is_not_there_is_said() {
    let home = Home::new();
    home.ran(&["sessions", "check", "./none.jsonl"]).ends(1).says("./none.jsonl");
    home.ran(&["sessions", "check", "none"]).ends(2).says("there is no session none");
}

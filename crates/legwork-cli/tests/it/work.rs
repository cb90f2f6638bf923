//! `legwork submit` and `legwork work`: tasks that wait in a store, and those who take them up.

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, text};

fn submitted(home: &Home, server: &Server, args: &[&str]) -> String {
    let args = [&["submit", "--json"], args].concat();
    text(&home.ran_with(server, &args).ends(0).events()[0], "session")
}

#[test]
fn s10_6_a_task_that_was_submitted_is_done_by_a_worker() {
    for store in ["sqlite", "jsonl"] {
        let (home, server) = (Home::new(), Server::start([Turn::text("sorted")]).unwrap());
        let address = format!("{store}:{}", home.work().join("jobs").display());
        let ran = |args: &[&str]| home.ran_with(&server, &[args, &["--store", &address]].concat());
        let said = ran(&["submit", "Sort the mail"]).ends(0).out;
        let id = said.lines().next().unwrap();
        assert!(said.contains("to work on it: legwork work --store"), "{said}");
        let listed = ran(&["sessions", "list"]).ends(0).out;
        assert!(listed.contains("Sort the mail"), "{listed}");
        assert_eq!(server.requests().len(), 0, "nothing runs before a worker does");

        let worked = ran(&["work", "--until-idle", "--json"]).ends(0).events();
        let kinds: Vec<_> = worked.iter().map(|line| text(line, "type")).collect();
        assert_eq!(kinds, ["began", "rested"]);
        assert_eq!(
            (text(&worked[1], "session"), text(&worked[1], "rest")),
            (id.to_owned(), "completed".to_owned())
        );
        let shown = ran(&["sessions", "show", id]).ends(0).out;
        assert!(shown.contains("sorted"), "{shown}");
        assert_eq!(ran(&["work", "--until-idle"]).ends(0).out, "0 sessions worked on\n");
    }
}

#[test]
fn s10_6_one_id_is_begun_once_and_takes_each_task() {
    let server =
        Server::start([Turn::text("one"), Turn::text("two"), Turn::text("three")]).unwrap();
    let home = Home::new();
    for _ in 0..2 {
        assert_eq!(submitted(&home, &server, &["--id", "nightly", "Go"]), "nightly");
    }
    home.ran_with(&server, &["work", "--until-idle"]).ends(0);
    assert_eq!(submitted(&home, &server, &["--session", "nightly", "Once more"]), "nightly");
    home.ran_with(&server, &["work", "--until-idle"]).ends(0);
    let shown = home.ran(&["sessions", "show", "nightly"]).ends(0).out;
    for text in ["one", "two", "Once more", "three"] {
        assert!(shown.contains(text), "{shown}");
    }
}

#[test]
fn s10_6_a_session_that_waits_for_a_person_goes_on_when_it_is_answered() {
    let home = Home::new();
    let call = Turn::call("bash", json!({"command": "echo done > out.txt"}));
    let server = Server::start([call, Turn::text("written")]).unwrap();
    let id = submitted(&home, &server, &["--approve", "all", "Write"]);
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert!(worked.contains("waits for an answer to 1 call"), "{worked}");
    assert!(!home.work().join("out.txt").exists());
    home.ran(&["approve", &id]).ends(0);
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert!(worked.contains("completed") && worked.ends_with("1 session worked on\n"), "{worked}");
}

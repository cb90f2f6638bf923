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

#[test]
fn s8_2_sessions_are_copied_between_stores_with_what_waits_in_them() {
    let (home, server) =
        (Home::new(), Server::start([Turn::text("one"), Turn::text("two")]).unwrap());
    let place = |name: &str| format!("{name}:{}", home.work().join(name).display());
    let (old, new, third) = (place("sqlite"), place("jsonl"), format!("{}2", place("sqlite")));
    let first = home.ran_with(&server, &["run", "--json", "First", "--store", &old]);
    let first = first.ends(0).session();
    let waits = submitted(&home, &server, &["Second", "--store", &old]);
    let lines = |store: &str, id: &str| {
        home.ran(&["sessions", "show", id, "--json", "--store", store]).ends(0).out
    };
    let copied = home.ran(&["sessions", "copy", &old, &new]).ends(0).out;
    assert!(copied.ends_with("2 sessions copied\n"), "{copied}");
    for id in [&first, &waits] {
        assert_eq!(lines(&new, id), lines(&old, id));
    }
    // The same again changes nothing, and what was left for a session is there.
    home.ran(&["sessions", "copy", &old, &new, &first]).ends(0);
    home.ran(&["sessions", "copy", &new, &third]).ends(0);
    let worked = home.ran_with(&server, &["work", "--until-idle", "--store", &third]).ends(0).out;
    assert!(worked.ends_with("1 session worked on\n"), "{worked}");
    assert!(lines(&third, &waits).contains("execution_finished"));
    // What went on elsewhere is not overwritten.
    let refused = home.ran(&["sessions", "copy", &old, &third, &waits]).ends(1).err;
    assert!(refused.contains("not replaced"), "{refused}");
}

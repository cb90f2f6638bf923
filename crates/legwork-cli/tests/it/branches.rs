//! `legwork sessions tree`, `branch`, `rewind`, `fork`, `label` and `title`, and `legwork suspend`.

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, text};

/// A session of two tasks, the first of which read a file.
fn begun(home: &Home, server: &Server) -> String {
    std::fs::write(home.work().join("notes.txt"), "one\n").unwrap();
    let run = home.ran_with(server, &["run", "--json", "First task"]).ends(0);
    let id = run.session();
    home.ran_with(server, &["run", "--session", &id, "Second task"]).ends(0);
    id
}

fn server() -> Server {
    let read = Turn::call("read_file", json!({"path": "notes.txt"}));
    Server::start([read, Turn::text("one line"), Turn::text("two"), Turn::text("other")]).unwrap()
}

fn tree(home: &Home, id: &str) -> Vec<Value> {
    home.ran(&["sessions", "tree", id, "--json"]).ends(0).events()
}

fn entry(line: &Value) -> String {
    line["entry"].to_string()
}

#[test]
fn s8_1_the_tree_shows_tasks_steps_and_branches() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let lines = tree(&home, &id);
    let kinds: Vec<_> = lines.iter().map(|line| text(line, "kind")).collect();
    assert_eq!(kinds, ["task", "step", "step", "end", "task", "step", "end"]);
    assert_eq!(
        (text(&lines[1], "what"), text(&lines[2], "what")),
        ("read_file".into(), "one line".into())
    );
    assert!(lines[2]["tokens"].as_u64().unwrap() > 0 && lines[6]["head"] == json!(true));

    let back = home.ran(&["sessions", "branch", &id, &entry(&lines[3])]).ends(0).out;
    assert!(back.contains(&format!("stands at entry {}", entry(&lines[3]))), "{back}");
    assert!(back.contains("to go on: legwork run --session"), "{back}");
    home.ran_with(&server, &["run", "--session", &id, "Other task"]).ends(0);
    let lines = tree(&home, &id);
    let depths: Vec<_> = lines.iter().map(|line| line["depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    let shown = home.ran(&["sessions", "tree", &id]).ends(0).out;
    assert!(shown.starts_with("First task\n") && shown.contains("| task: Other task"), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with('*')).count(), 1, "{shown}");
}

#[test]
fn s8_1_an_entry_is_named_by_its_label() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let first = entry(&tree(&home, &id)[3]);
    home.ran(&["sessions", "label", &id, "good", "--entry", &first]).ends(0);
    assert_eq!(tree(&home, &id)[3]["labels"], json!(["good"]));
    assert!(home.ran(&["sessions", "list", "--label", "good"]).ends(0).out.contains("First task"));

    let fork = home.ran(&["sessions", "fork", &id, "good"]).ends(0).out;
    let forked = fork.lines().next().unwrap();
    assert!(fork.contains(&format!("legwork run --session {forked}")), "{fork}");
    let run = home.ran_with(&server, &["run", "--session", forked, "Third task"]).ends(0);
    assert!(run.out.contains("two"), "the model read one task before: {}", run.out);
    assert_eq!(tree(&home, forked).len(), 7);
    assert_eq!(tree(&home, &id).len(), 7, "the other session stays as it is");

    let unknown = home.ran(&["sessions", "branch", &id, "bad"]).ends(2).err;
    assert!(unknown.contains("labels are good"), "{unknown}");
    home.ran(&["sessions", "label", &id, "--entry", &first]).ends(0);
    assert_eq!(tree(&home, &id)[3]["labels"], json!([]));
}

#[test]
fn s8_1_a_label_is_given_where_the_session_stands_and_moves_when_it_is_given_again() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let label = |args: &[&str]| home.ran(&[&["sessions", "label", &id], args].concat());
    // Bookkeeping after the end of the task is not labelled.
    home.ran(&["sessions", "title", &id, "Letters"]).ends(0);
    label(&["good"]).ends(0);
    let labels = |line: usize| tree(&home, &id)[line]["labels"].clone();
    assert_eq!(labels(6), json!(["good"]));
    let shown = home.ran(&["sessions", "tree", &id]).ends(0).out;
    assert!(shown.contains("[good]"), "{shown}");

    let first = entry(&tree(&home, &id)[3]);
    label(&["good", "--entry", &first]).ends(0);
    assert_eq!((labels(3), labels(6)), (json!(["good"]), json!([])));
    let moved = home.ran(&["sessions", "branch", &id, "good"]).ends(0).out;
    assert!(moved.contains(&format!("stands at entry {first}")), "{moved}");

    let number = label(&["15"]).ends(2).err;
    assert!(number.contains("a label cannot be a number"), "{number}");
}

/// The lines that the head is at.
fn heads(home: &Home, id: &str) -> Vec<Value> {
    let mut lines = tree(home, id);
    lines.retain(|line| line["head"] == json!(true));
    lines
}

#[test]
fn s8_1_the_head_has_a_line_before_the_first_task_and_on_a_branch_of_bookkeeping() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    home.ran(&["sessions", "rewind", &id]).ends(0);
    home.ran(&["sessions", "rewind", &id]).ends(0);
    let lines = tree(&home, &id);
    assert_eq!((text(&lines[0], "kind"), &lines[0]["head"]), ("start".into(), &json!(true)));
    assert_eq!(heads(&home, &id).len(), 1);
    let shown = home.ran(&["sessions", "tree", &id]).ends(0).out;
    assert!(shown.lines().nth(1).unwrap().starts_with('*'), "{shown}");

    let end = entry(&lines[4]);
    home.ran(&["sessions", "branch", &id, &end]).ends(0);
    home.ran(&["sessions", "set", &id, "--metadata", "ticket=17"]).ends(0);
    let at = heads(&home, &id);
    assert_eq!(at.len(), 1, "{at:?}");
    assert_eq!((text(&at[0], "kind"), &at[0]["depth"]), ("entry".into(), &json!(1)));
}

#[test]
fn s8_1_what_a_head_cannot_be_moved_to_is_said_with_what_it_can() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let lines = tree(&home, &id);
    let number = |line: &Value| line["entry"].as_u64().unwrap();
    let (before, after) = (number(&lines[0]), number(&lines[1]));
    let inside = (after - 1).to_string();
    let refused = home.ran(&["sessions", "branch", &id, &inside]).ends(2).err;
    assert!(refused.contains(&format!("entry {inside} is in the middle of a step")), "{refused}");
    assert!(refused.contains(&format!("at entry {before}, or after it, at entry {after}")));
    assert!(!refused.contains("resume"), "{refused}");
    home.ran(&["sessions", "branch", &id, &before.to_string()]).ends(0);
    home.ran(&["sessions", "branch", &id, &after.to_string()]).ends(0);

    for entry in [after, number(&lines[6])] {
        let args = ["sessions", "branch", &id, &entry.to_string(), "--summary"];
        let nothing = home.ran_with(&server, &args).ends(2).err;
        assert!(nothing.contains("leaves nothing that could be summarised"), "{nothing}");
    }
    home.ran(&["sessions", "rewind", &id]).ends(0);
    let first = home.ran(&["sessions", "rewind", &id]).ends(2).err;
    assert!(first.contains("stands before its first task"), "{first}");
}

#[test]
fn s8_1_a_task_that_was_submitted_has_one_line() {
    let (home, server) = (Home::new(), server());
    let id = home.ran(&["submit", "--json", "--model", "test:scripted", "Some task"]).ends(0);
    let id = text(&id.events()[0], "session");
    home.ran_with(&server, &["work", "--until-idle"]).ends(0);
    let lines = tree(&home, &id);
    assert_eq!(
        (text(&lines[0], "kind"), text(&lines[0], "what")),
        ("task".into(), "Some task".into())
    );
    assert_eq!(text(&lines[1], "kind"), "step");
}

#[test]
fn s8_1_the_head_goes_back_by_the_task_and_by_steps() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let said = home.ran(&["sessions", "rewind", &id]).ends(0).out;
    assert!(said.contains("to undo this: legwork sessions branch"), "{said}");
    let head = |lines: &[Value]| {
        let at = lines.iter().position(|line| line["head"] == json!(true));
        at.unwrap()
    };
    assert_eq!(head(&tree(&home, &id)), 3);
    home.ran(&["sessions", "rewind", &id, "--steps", "1"]).ends(0);
    assert_eq!(head(&tree(&home, &id)), 1);
    let far = home.ran(&["sessions", "rewind", &id, "--steps", "9"]).ends(2).err;
    assert!(far.contains("has 1 on the path"), "{far}");
    // The step is made again.
    let again = home.ran_with(&server, &["resume", &id]).ends(0).out;
    assert!(again.contains("one line"), "{again}");
}

#[test]
fn s8_7_a_session_is_given_a_title() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hi")]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "Some task"]).ends(0).session();
    home.ran(&["sessions", "title", &id, "My parser"]).ends(0);
    assert!(home.ran(&["sessions", "list"]).ends(0).out.contains("My parser"));
    let said = home.ran(&["sessions", "title", &id]).ends(0).out;
    assert_eq!(said, "the title is \"Some task\"\n");
}

#[test]
fn s8_10_a_suspended_session_is_left_by_workers_and_resumed_by_people() {
    let (home, server) = (Home::new(), Server::start([Turn::text("done")]).unwrap());
    let id = home.ran_with(&server, &["submit", "--json", "Some task"]).ends(0).events();
    let id = text(&id[0], "session");
    let said = home.ran(&["suspend", &id, "--reason", "lunch"]).ends(0).out;
    assert!(said.contains("suspended: no worker takes the session up"), "{said}");
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert_eq!(worked, "0 sessions worked on\n");
    let run = home.ran_with(&server, &["resume", &id]).ends(0).out;
    assert!(run.contains("done"), "{run}");
}

#[test]
fn s8_10_a_task_that_is_submitted_to_a_suspended_session_is_worked_on() {
    let turns = ["one", "two"].map(Turn::text);
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "First task"]).ends(0).session();
    home.ran(&["suspend", &id, "--reason", "lunch"]).ends(0);
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("suspended: lunch"), "{shown}");
    home.ran_with(&server, &["submit", "--session", &id, "Second task"]).ends(0);
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(!shown.contains("suspended: lunch"), "{shown}");
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert!(worked.contains("1 session worked on"), "{worked}");
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("two"), "{shown}");
}

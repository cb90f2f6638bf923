//! `--approve`, and `legwork pending`, `approve`, `deny` and `answer`: calls that wait for a person.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, text};

fn writes(number: u32) -> Turn {
    Turn::call("write", json!({"path": format!("{number}.txt"), "content": "new\n"}))
}

fn written(home: &Home, number: u32) -> bool {
    home.work().join(format!("{number}.txt")).exists()
}

/// Runs a task until it rests on a call, in another process each time; gives the session.
fn rests(home: &Home, server: &Server) -> String {
    let args = ["run", "--json", "--sandbox", "off", "--approve", "writes", "Work"];
    let paused = home.ran_with(server, &args).ends(4).last();
    assert_eq!(paused["type"], "execution_paused");
    assert_eq!(paused["status"], "awaiting_approval");
    text(&paused, "session")
}

fn resume(home: &Home, server: &Server, id: &str) -> Ran {
    home.ran_with(server, &["resume", id, "--sandbox", "off"])
}

/// What the model read last of its call.
fn result(server: &Server) -> String {
    let requests = server.requests();
    requests.last().unwrap().asked.results().last().unwrap().to_string()
}

#[test]
fn s7_4_a_call_is_approved_by_another_command_and_the_run_goes_on() {
    let turns = [Turn::call("read", json!({"path": "a.txt"})), writes(1), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    fs::write(home.work().join("a.txt"), "a\n").unwrap();
    let id = rests(&home, &server);
    assert!(!written(&home, 1), "it waits");

    let listed = home.ran(&["pending"]).ends(0).out;
    assert!(listed.contains(&id) && listed.contains(" 1  write 1.txt\n"), "{listed}");
    assert!(listed.contains("needs approval: it can change something\n"), "{listed}");
    assert!(listed.contains(&format!("legwork approve {id}\n")), "{listed}");
    let line: Value = serde_json::from_str(&home.ran(&["pending", "--json"]).ends(0).out).unwrap();
    assert_eq!((text(&line, "root"), text(&line["call"], "tool")), (id.clone(), "write".into()));

    // Looked at again, it still waits; the hint is one that works.
    let again = resume(&home, &server, &id).ends(4);
    let again = again.says("waits: this runs once you approve it:").says("  write 1.txt");
    again.says(&format!("to go on: legwork approve {id}\n"));
    let approved = home.ran(&["approve", &id]).ends(0);
    assert!(approved.out.contains("approved: write 1.txt\n"), "{}", approved.out);
    assert!(approved.out.contains(&format!("to go on: legwork resume {id}")), "{}", approved.out);
    assert!(!written(&home, 1), "an answer runs nothing");
    assert_eq!(home.ran(&["pending"]).ends(0).out, "no call waits for an answer\n");
    assert_eq!(resume(&home, &server, &id).ends(0).out, "Done.\n");
    assert!(written(&home, 1));
}

#[test]
fn s7_3_a_denied_call_does_not_run_and_the_model_reads_why() {
    let (home, server) =
        (Home::new(), Server::start([writes(1), Turn::text("Then not.")]).unwrap());
    let id = rests(&home, &server);
    let denied = home.ran(&["deny", &id, "-m", "use 2.txt"]).ends(0);
    assert!(denied.out.starts_with("denied: write 1.txt\n"), "{}", denied.out);
    assert_eq!(resume(&home, &server, &id).ends(0).out, "Then not.\n");
    assert!(!written(&home, 1) && result(&server).contains("use 2.txt"), "{}", result(&server));
}

#[test]
fn s7_3_a_call_is_approved_with_other_arguments() {
    let (home, server) = (Home::new(), Server::start([writes(1), Turn::text("Done.")]).unwrap());
    let id = rests(&home, &server);
    for (arguments, why) in [("[1]", "no JSON object"), ("{", "EOF")] {
        home.ran(&["approve", &id, "--arguments", arguments]).ends(2).says(why);
    }
    let arguments = json!({"path": "2.txt", "content": "other\n"}).to_string();
    home.ran(&["approve", &id, "--arguments", &arguments]).ends(0);
    resume(&home, &server, &id).ends(0);
    assert!(!written(&home, 1));
    assert_eq!(fs::read_to_string(home.work().join("2.txt")).unwrap(), "other\n");
}

#[test]
fn s7_3_always_holds_for_the_tool_in_this_session_and_no_other() {
    let turns = || [writes(1), writes(2), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns()).unwrap());
    let id = rests(&home, &server);
    home.ran(&["approve", &id, "--always"]).ends(0);
    resume(&home, &server, &id).ends(0);
    assert!(written(&home, 1) && written(&home, 2));
    let server = Server::start(turns()).unwrap();
    let other = rests(&home, &server);
    assert_ne!(id, other);
}

#[test]
fn s7_3_a_rule_holds_for_the_calls_that_it_means() {
    let bash = |command: &str| Turn::call("bash", json!({"command": command}));
    let turns = [
        bash("echo one >> log"),
        bash("printf two"),
        bash("printf three; echo three >> log"),
        Turn::text("Done."),
    ];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let id = rests(&home, &server);
    home.ran(&["approve", &id, "--rule", "bash(printf"]).ends(2).says("is no rule");
    home.ran(&["approve", &id, "--rule", "bash(printf:*)"]).ends(0);
    // The second is one that the rule means; the third writes to a file beside it.
    resume(&home, &server, &id).ends(4).says("bash printf three; ");
    assert_eq!(fs::read_to_string(home.work().join("log")).unwrap(), "one\n");
    home.ran(&["approve", &id]).ends(0);
    resume(&home, &server, &id).ends(0);
}

#[test]
fn s7_3_wrong_answers_say_what_is_wrong_and_change_nothing() {
    let calls = [1, 2]
        .map(|number| ("write", json!({"path": format!("{number}.txt"), "content": "new\n"})));
    let (home, server) =
        (Home::new(), Server::start([Turn::calls(calls), Turn::text("Done.")]).unwrap());
    home.ran(&["approve", "nobody"]).ends(2).says("there is no session nobody");
    let id = rests(&home, &server);
    home.ran(&["approve", &id]).ends(2).says("2 calls wait in").says("say which");
    home.ran(&["approve", &id, "3"]).ends(2).says("there is no call 3");
    home.ran(&["answer", &id, "1", "--tell"]).ends(2).says("waits for approval");
    home.ran(&["answer", &id, "1"]).ends(2).says("--result");
    home.ran(&["approve", &id, "--all", "--arguments", "{}"]).ends(2).says("cannot be used with");
    home.ran(&["approve", &id, "2"]).ends(0);
    home.ran(&["deny", &id, "2"]).ends(2).says("there is no call 2");
    home.ran(&["approve", &id, "--all"]).ends(0);
    home.ran(&["approve", &id]).ends(2).says("no call of").says("waits for an answer");
    assert_eq!(server.requests().len(), 1, "no model was asked");
    resume(&home, &server, &id).ends(0);
    assert!(written(&home, 1) && written(&home, 2));
}

#[test]
fn s7_3_a_result_may_be_given_in_place_of_running_the_call() {
    let (home, server) = (Home::new(), Server::start([writes(1), Turn::text("Done.")]).unwrap());
    let id = rests(&home, &server);
    home.ran(&["answer", &id, "--result", "it is there already"]).ends(0);
    resume(&home, &server, &id).ends(0);
    assert!(!written(&home, 1) && result(&server).contains("it is there already"));
}

#[test]
fn who_is_not_to_be_asked_is_not_and_what_needs_approval_is_denied() {
    let (home, server) =
        (Home::new(), Server::start([writes(1), Turn::text("Then not.")]).unwrap());
    let id = rests(&home, &server);
    let args = ["resume", &id, "--sandbox", "off", "--approve", "never"];
    assert_eq!(home.ran_with(&server, &args).ends(0).out, "Then not.\n");
    assert!(!written(&home, 1) && result(&server).contains("nobody is asked"));
}

#[test]
fn a_session_goes_on_asking_as_it_was_begun() {
    let turns = [writes(1), writes(2), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let id = rests(&home, &server);
    home.ran(&["approve", &id]).ends(0);
    // Nothing is said of approval any more, and it holds all the same.
    resume(&home, &server, &id).ends(4);
    assert!(written(&home, 1) && !written(&home, 2));
    let args = ["resume", &id, "--sandbox", "off", "--approve", "ask"];
    home.ran(&["approve", &id]).ends(0);
    home.ran_with(&server, &args).ends(0);
}

#[test]
fn all_asks_about_reading_too_and_ask_about_nothing_of_the_commands_own_tools() {
    let turns = || [Turn::call("read", json!({"path": "a.txt"})), Turn::text("Done.")];
    for (when, code) in [("all", 4), ("writes", 0), ("ask", 0)] {
        let (home, server) = (Home::new(), Server::start(turns()).unwrap());
        fs::write(home.work().join("a.txt"), "a\n").unwrap();
        home.ran_with(&server, &["run", "--approve", when, "Read"]).ends(code);
    }
}

#[test]
fn what_waits_is_found_in_another_store_by_the_hint() {
    let (home, server) = (Home::new(), Server::start([writes(1), Turn::text("Done.")]).unwrap());
    let store = format!("sqlite:{}", home.work().join("../other.db").display());
    let args = ["run", "--sandbox", "off", "--approve", "writes", "--store", &store, "Work"];
    let ran = home.ran_with(&server, &args).ends(4);
    let hint = ran.err.lines().rev().find_map(|line| line.strip_prefix("to go on: legwork "));
    let hint: Vec<_> = hint.unwrap().split(' ').map(|word| word.trim_matches('\'')).collect();
    assert_eq!(hint[0], "approve");
    let next = home.ran(&hint).ends(0).out;
    let next = next.lines().find_map(|line| line.strip_prefix("to go on: legwork ")).unwrap();
    let next: Vec<_> = next.split(' ').map(|word| word.trim_matches('\'')).collect();
    home.ran_with(&server, &next).ends(0);
    assert!(written(&home, 1));
}

#[test]
fn a_session_that_was_begun_to_ask_asks_again_once_somebody_is_to_be_asked() {
    let turns = [writes(1), writes(2), Turn::text("No."), writes(3), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let id = rests(&home, &server);
    let args = ["resume", &id, "--sandbox", "off", "--approve", "never"];
    home.ran_with(&server, &args).ends(0);
    assert!(!written(&home, 1) && !written(&home, 2), "each is denied");
    home.ran_with(&server, &["run", "--session", &id, "--sandbox", "off", "more"]).ends(4);
    assert!(!written(&home, 3));
}

#[test]
fn s7_3_a_call_is_named_by_its_number() {
    let home = Home::new();
    for wrong in ["abc", "0"] {
        home.ran(&["approve", "a1b2c3d4", wrong]).ends(2).says("the number of a call, such as 2");
    }
}

//! `legwork steer`, `follow-up` and `stop`: what another process says to a session.

use std::fs;

use legwork::core::Role;
use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::agent_skills::delegating;
use crate::agents::agent;
use crate::home::{Home, Running, fed, started, text};

/// A run whose first request the server holds unanswered, and its session.
fn held(home: &Home, server: &Server) -> (Running, String) {
    server.hold(0);
    let mut run = started(home.with(server, &["run", "--json", "--sandbox", "off", "Work"]));
    let session = text(&run.until("step_started"), "session");
    server.arrived_blocking(0);
    (run, session)
}

fn lists() -> Turn {
    Turn::call("list", json!({"path": "."}))
}

fn writes() -> Turn {
    Turn::call("write", json!({"path": "a.txt", "content": "new\n"}))
}

/// What the person said in a request, oldest first.
fn said(server: &Server, request: usize) -> Vec<String> {
    let messages = server.requests()[request].asked.messages.clone();
    messages.into_iter().filter(|one| one.role == Role::User).map(|one| one.text).collect()
}

/// Runs until a call waits for approval; gives the session.
fn waits(home: &Home, server: &Server) -> String {
    let args = ["run", "--json", "--sandbox", "off", "--approve", "writes", "Work"];
    text(&home.ran_with(server, &args).ends(4).last(), "session")
}

#[test]
fn s7_5_s7_6_a_running_session_is_steered_by_another_process() {
    let (home, server) = (Home::new(), Server::start([writes(), Turn::text("Done.")]).unwrap());
    let (run, id) = held(&home, &server);
    let told = home.ran(&["steer", &id, "Leave a.txt alone"]).ends(0);
    assert_eq!(
        told.out,
        "sent: the process that runs the session reads it before the next inference\n"
    );
    server.release(0);
    run.end().ends(0);
    assert_eq!(said(&server, 1), ["Work", "Leave a.txt alone"]);
    assert!(!home.work().join("a.txt").exists(), "the call had not begun");
}

#[test]
fn s7_5_a_follow_up_is_read_when_the_agent_would_be_done() {
    let turns = [lists(), Turn::text("One."), Turn::text("Two.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let (run, id) = held(&home, &server);
    let told = home.ran(&["follow-up", &id, "Now the other"]).ends(0);
    assert!(told.out.starts_with("sent: "), "{}", told.out);
    server.release(0);
    run.end().ends(0);
    assert_eq!(said(&server, 1), ["Work"]);
    assert_eq!(said(&server, 2), ["Work", "Now the other"]);
}

#[test]
fn s7_6_a_running_session_is_stopped_by_another_process() {
    let (home, server) = (Home::new(), Server::start([writes(), Turn::text("Done.")]).unwrap());
    let (run, id) = held(&home, &server);
    let told = home.ran(&["stop", &id, "--reason", "wrong branch"]).ends(0);
    assert_eq!(told.out, "sent: the process that runs the session makes no further step\n");
    server.release(0);
    let end = run.end().ends(130).last();
    assert_eq!(end["status"], "cancelled", "{end}");
    assert_eq!(server.requests().len(), 1);
    assert!(home.ran(&["sessions", "show", &id, "--json"]).ends(0).out.contains("wrong branch"));
}

#[test]
fn s1_9_what_is_said_to_an_ended_session_is_the_task_of_its_next_execution() {
    for verb in ["steer", "follow-up"] {
        let turns = [Turn::text("One."), Turn::text("Two.")];
        let (home, server) = (Home::new(), Server::start(turns).unwrap());
        let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
        let told = home.ran(&[verb, &id, "Second"]).ends(0).out;
        let becomes = "kept: the session has ended (completed); it is the task of its next \
                       execution\n";
        assert!(told.starts_with(&format!("{becomes}to go on: legwork resume {id} ")), "{told}");
        assert_eq!(home.ran_with(&server, &["resume", &id]).ends(0).out, "Two.\n");
        assert_eq!(said(&server, 1), ["First", "Second"]);
    }
}

#[test]
fn s7_5_steering_skips_a_call_that_waits_for_approval() {
    let (home, server) = (Home::new(), Server::start([writes(), Turn::text("Done.")]).unwrap());
    let id = waits(&home, &server);
    let told = home.ran(&["steer", &id, "Do not write"]).ends(0).out;
    assert!(told.contains("kept: the session waits;"), "{told}");
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(0);
    assert_eq!(said(&server, 1), ["Work", "Do not write"]);
    assert!(!home.work().join("a.txt").exists());
}

#[test]
fn a_session_that_waits_is_stopped_and_ends_as_cancelled() {
    let (home, server) = (Home::new(), Server::start([writes(), Turn::text("Done.")]).unwrap());
    let id = waits(&home, &server);
    let told = home.ran(&["stop", &id]).ends(0).out;
    assert!(told.starts_with("stopped: no process runs the session;"), "{told}");
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(130);
    assert_eq!(server.requests().len(), 1);
    let refused = home.ran(&["stop", &id]).ends(2);
    refused.says("there is nothing to stop (cancelled)").says("legwork run --session ID");
}

#[test]
fn an_interrupted_session_reads_what_was_said_once_it_is_resumed() {
    let (home, server) = (Home::new(), Server::start([lists(), Turn::text("Done.")]).unwrap());
    let (run, id) = held(&home, &server);
    run.kill();
    server.release(0);
    let told = home.ran(&["steer", &id, "Be brief"]).ends(0).out;
    assert!(told.contains("kept: the session was interrupted;"), "{told}");
    assert!(told.contains(&format!("to go on: legwork resume {id}")), "{told}");
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(0);
    let all = server.requests().len();
    assert!((0..all).any(|request| said(&server, request).contains(&"Be brief".to_owned())));
}

#[test]
fn what_became_of_it_is_a_line_of_json() {
    let turns = [lists(), Turn::text("One."), Turn::text("Two.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let (run, id) = held(&home, &server);
    let line =
        |args: &[&str]| -> Value { serde_json::from_str(&home.ran(args).ends(0).out).unwrap() };
    let sent = line(&["steer", &id, "Hurry", "--json"]);
    let waits = json!({"session": id, "item": "steer", "taken_up": false,
        "status": "in_progress", "cursor": 1, "resume": null});
    assert_eq!(sent, waits);
    server.release(0);
    run.end().ends(0);
    let kept = line(&["follow-up", &id, "More", "--json"]);
    assert_eq!((&kept["taken_up"], &kept["status"]), (&json!(true), &json!("completed")), "{kept}");
    assert!(text(&kept, "resume").starts_with(&format!("legwork resume {id} ")), "{kept}");
    let refused = home.ran(&["stop", &id, "--json"]).ends(2).last();
    assert!(text(&refused, "message").contains("nothing to stop"), "{refused}");
}

#[test]
fn a_message_comes_from_a_file_or_standard_input_too() {
    let (home, server) = (Home::new(), Server::start([Turn::text("One.")]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
    fs::write(home.work().join("next.md"), "From a file").unwrap();
    home.ran(&["steer", &id, "@next.md"]).ends(0);
    fed(home.legwork(&["steer", &id, "-"]), b"From a pipe").ends(0);
    let journal = home.ran(&["sessions", "show", &id, "--json"]).ends(0).out;
    assert!(journal.contains("From a file") && journal.contains("From a pipe"), "{journal}");
}

#[test]
fn wrong_messages_say_what_is_wrong_and_leave_nothing() {
    let (home, server) = (Home::new(), Server::start([Turn::text("One.")]).unwrap());
    home.ran(&["steer", "nobody", "x"]).ends(2).says("there is no session nobody in");
    home.ran(&["stop", "nobody"]).ends(2).says("legwork sessions list");
    assert!(!home.store().exists(), "asking makes no store");
    let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
    for verb in ["steer", "follow-up"] {
        home.ran(&[verb, &id]).ends(2).says("<WORDS>");
        home.ran(&[verb, &id, " "]).ends(2).says("the message is empty");
        let told = home.ran(&[verb, &id, "two", "words"]).ends(2);
        told.says(&format!("legwork {verb} SESSION 'two words'"));
        home.ran(&[verb, &id, "@gone.md"]).ends(2).says("gone.md");
    }
    home.ran(&["stop", &id]).ends(2).says("there is nothing to stop (completed)");
    let journal = home.ran(&["sessions", "show", &id, "--json"]).ends(0).out;
    assert!(!journal.contains("steered") && !journal.contains("follow_up"), "{journal}");
}

#[test]
fn a_subagent_that_ended_is_not_spoken_to() {
    let home = Home::new();
    home.file(".config/legwork/agents/boss.md", &agent("boss", "", "Lead."));
    home.file(".config/legwork/agents/counter.md", &agent("counter", "", "Count."));
    let server = delegating();
    let ran = home.ran_with(&server, &["run", "--json", "--agent", "boss", "Go"]).ends(0);
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let child = rows.iter().map(|row| text(row, "session")).find(|id| *id != ran.session());
    let told = home.ran(&["steer", &child.unwrap(), "More"]).ends(2);
    told.says("the subagent has ended").says(&format!("legwork steer {}", ran.session()));
}

#[test]
fn s8_1_the_head_of_a_running_session_is_not_moved() {
    let (home, server) = (Home::new(), Server::start([lists(), Turn::text("Done.")]).unwrap());
    let (run, id) = held(&home, &server);
    for args in [&["branch", &id, "1"][..], &["rewind", &id]] {
        let refused = home.ran(&[&["sessions"], args].concat()).ends(2).err;
        assert!(refused.contains("a process runs session"), "{refused}");
        assert!(refused.contains("legwork stop"), "{refused}");
    }
    server.release(0);
    run.end().ends(0);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn s8_10_a_session_that_was_suspended_between_two_steps_is_listed_as_that() {
    let (home, server) = (Home::new(), Server::start([lists(), Turn::text("Done.")]).unwrap());
    let (run, id) = held(&home, &server);
    home.ran(&["suspend", &id, "--reason", "lunch"]).ends(0);
    server.release(0);
    run.end();
    let list = home.ran(&["sessions", "list"]).ends(0).out;
    assert!(list.contains("suspended") && !list.contains("interrupted"), "{list}");
    let listed = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    assert_eq!(listed[0]["suspended"], json!(true), "{listed:?}");
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("suspended: lunch"), "{shown}");
}

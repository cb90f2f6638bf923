//! `legwork resume`: after kills at each kind of moment, and against others.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use legwork_testkit::{Server, Turn};
use rustix::process::Signal;
use serde_json::json;

use crate::home::{Home, Running, ran, started, text};

/// Runs until a command has begun, then kills; gives the session.
fn killed_in_a_command(home: &Home, server: &Server) -> String {
    let args = ["run", "--json", "--sandbox", "off", "Work"];
    let (run, session) = in_a_command(home.pipe("begun"), home.with(server, &args));
    run.kill();
    session
}

/// Runs until a command has begun: until it says so in a pipe.
fn in_a_command(pipe: PathBuf, command: Command) -> (Running, String) {
    let mut run = started(command);
    let session = text(&run.until("tool_started"), "session");
    assert_eq!(fs::read_to_string(pipe).unwrap(), "begun\n");
    (run, session)
}

const ENDLESS: &str = "echo begun >> log; echo begun > begun; sleep 600";

fn endless() -> Turn {
    Turn::call("bash", json!({"command": ENDLESS})).with_text("I begin.")
}

#[test]
fn s10_2_a_call_in_doubt_is_asked_about_and_nothing_runs() {
    let (home, server) = (Home::new(), Server::start([endless(), Turn::text("Done.")]).unwrap());
    let id = killed_in_a_command(&home, &server);
    let listed = home.ran(&["sessions", "list"]).ends(0);
    assert!(listed.out.contains("interrupted"), "{}", listed.out);

    for _ in 0..2 {
        let asked = home.ran_with(&server, &["resume", &id]).ends(4);
        assert_eq!(asked.out, "");
        let asked = asked.says("in doubt: ").says("  bash echo begun >> log; ");
        asked.says(&format!("to go on: legwork resume {id} --on-doubt tell\n"));
    }
    let asked = home.ran_with(&server, &["resume", "--json", &id]).ends(4).last();
    assert_eq!(asked["type"], "execution_paused");
    assert_eq!(asked["status"], "awaiting_approval");
    assert_eq!(asked["pending"][0]["tool"], "bash");
    assert_eq!(asked["pending"][0]["arguments"], json!({ "command": ENDLESS }).to_string());
    let refused = home.ran_with(&server, &["run", "--session", &id, "more"]).ends(2);
    refused.says("awaiting_approval").says(&format!("`legwork resume {id} --on-doubt tell` "));
    assert_eq!(server.requests().len(), 1);

    let told = home.ran_with(&server, &["resume", &id, "--on-doubt", "tell"]).ends(0);
    assert_eq!(told.out, "Done.\n");
    let result = server.requests()[1].asked.results()[0].to_owned();
    assert!(result.contains("may or may not have happened"), "{result}");
    assert_eq!(fs::read_to_string(home.work().join("log")).unwrap(), "begun\n");
}

#[test]
fn s10_2_a_call_behind_one_in_doubt_waits_with_it() {
    let home = Home::new();
    let calls =
        [("bash", json!({"command": ENDLESS})), ("bash", json!({"command": "echo second >> log"}))];
    let server = Server::start([Turn::calls(calls), Turn::text("Done.")]).unwrap();
    let id = killed_in_a_command(&home, &server);
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(4);
    let log = fs::read_to_string(home.work().join("log")).unwrap();
    assert!(!log.contains("second"), "{log}");
    let args = ["resume", &id, "--on-doubt", "tell", "--sandbox", "off"];
    home.ran_with(&server, &args).ends(0);
    let log = fs::read_to_string(home.work().join("log")).unwrap();
    assert_eq!(log.matches("second").count(), 1, "{log}");
}

#[test]
fn s10_2_an_inference_that_was_cut_off_is_asked_for_again() {
    let home = Home::new();
    let turns = [Turn::call("bash", json!({"command": "echo once >> log"})), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    server.hold(1);
    let run = started(home.with(&server, &["run", "--json", "--sandbox", "off", "Work"]));
    server.arrived_blocking(1);
    run.kill();
    server.release(1);
    let list = home.ran(&["sessions", "list", "--json"]).ends(0).last();
    let id = text(&list, "session");
    // The sandbox, the directory and the address are those of the session.
    let resumed = home.ran_with(&server, &["resume", "--json", &id]).ends(0);
    assert_eq!(resumed.events()[0]["type"], "execution_resumed");
    assert_eq!(resumed.last()["text"], "Done.");
    assert_eq!(fs::read_to_string(home.work().join("log")).unwrap(), "once\n");
}

#[test]
fn an_address_of_the_environment_may_have_moved() {
    let home = Home::new();
    let first = Server::start([endless()]).unwrap();
    let id = killed_in_a_command(&home, &first);
    drop(first);
    let second = Server::start([endless(), Turn::text("Moved.")]).unwrap();
    let told = home.ran_with(&second, &["resume", &id, "--on-doubt", "tell"]).ends(0);
    assert_eq!(told.out, "Moved.\n");
}

#[test]
fn s13_11_a_secret_in_an_address_is_refused_and_not_shown() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    let url = server.base_url().replace("http://", "http://user:hunter2@");
    let args = ["run", "--json", "--model", "my:m", "--base-url", &url, "--sandbox", "off", "Work"];
    let refused = home.ran(&args).says("name or password");
    assert!(refused.code != Some(0) && server.requests().is_empty(), "{refused:?}");
    assert!(!refused.err.contains("hunter2") && !refused.out.contains("hunter2"), "{refused:?}");
}

#[test]
fn s8_3_a_session_is_listed_as_running_or_interrupted() {
    let (home, server) = (Home::new(), Server::start([endless(), Turn::text("Done.")]).unwrap());
    let args = ["run", "--json", "--sandbox", "off", "Work"];
    let (run, id) = in_a_command(home.pipe("begun"), home.with(&server, &args));
    let told = || {
        let list = home.ran(&["sessions", "list"]).ends(0).out;
        let row = home.ran(&["sessions", "list", "--json"]).ends(0).last();
        assert_eq!(row["status"], "in_progress");
        (list, row["running"].clone(), home.ran(&["sessions", "show", &id]).ends(0).out)
    };
    let (list, running, shown) = told();
    assert!(list.contains("  running  ") && running == true, "{list}");
    assert!(shown.contains("\nin_progress ") && shown.contains("a process runs it now"), "{shown}");
    run.kill();
    let (list, running, shown) = told();
    assert!(list.contains("  interrupted  ") && running == false, "{list}");
    assert!(shown.contains("\ninterrupted ") && shown.contains("to go on: "), "{shown}");
    home.ran_with(&server, &["resume", &id, "--on-doubt", "tell"]).ends(0);
    let list = home.ran(&["sessions", "list", "--json"]).ends(0).last();
    assert_eq!((&list["status"], &list["running"]), (&json!("completed"), &json!(null)));
}

#[test]
fn s8_3_of_two_that_resume_one_goes_on_and_the_other_conflicts() {
    let home = Home::new();
    let server = Server::start([endless(), Turn::text("Done.")]).unwrap();
    let id = killed_in_a_command(&home, &server);
    server.hold(1);
    let args = ["resume", "--json", "--on-doubt", "tell", &id];
    let mut one = started(home.with(&server, &args));
    server.arrived_blocking(1);
    let other = home.ran_with(&server, &args).ends(1).says("error: ").says("hint: ");
    let told = other.last();
    assert_eq!(
        (text(&told, "type"), text(&told, "session")),
        ("run_failed".to_owned(), id.clone())
    );
    assert!(text(&told, "message").contains("in use"), "{told}");
    assert_eq!(server.requests().len(), 2);
    server.release(1);
    assert_eq!(one.until("execution_finished")["status"], "completed");
    assert_eq!(one.code(), Some(0));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_session_that_is_over_tells_its_answer_again() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Fine.")]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "How?"]).ends(0).session();
    let again = home.ran_with(&server, &["resume", &id]).ends(0);
    assert_eq!(again.out, "Fine.\n");
    again.says("nothing is left to do (completed)");
    let again = home.ran_with(&server, &["resume", "--json", &id[..20]]).ends(0);
    assert_eq!(again.kinds(), ["note", "execution_finished"]);
    assert_eq!(again.last()["text"], "Fine.");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn unknown_sessions_are_told() {
    let home = Home::new();
    home.ran(&["resume", "nosuch"])
        .ends(2)
        .says("there is no session nosuch")
        .says("sessions list");
    let told = home.ran(&["resume", "--json", "nosuch"]).ends(2);
    assert_eq!(told.last()["type"], "run_failed");
    assert!(!home.store().exists());
}

#[test]
fn a_new_task_ends_an_execution_whose_process_died() {
    let (home, server) = (Home::new(), Server::start([endless(), Turn::text("More.")]).unwrap());
    let id = killed_in_a_command(&home, &server);
    let ran = home.ran_with(&server, &["run", "--session", &id, "more"]).ends(0);
    assert_eq!(ran.out, "More.\n");
    let asked = &server.requests()[1].asked;
    assert_eq!(asked.last(), "more");
    assert!(asked.results()[0].contains("may or may not have happened"), "{asked:?}");
}

#[test]
fn s3_9_a_command_that_was_interrupted_leaves_nothing_in_doubt() {
    let (home, server) = (Home::new(), Server::start([endless(), Turn::text("Done.")]).unwrap());
    let args = ["run", "--json", "--sandbox", "off", "Work"];
    let (mut run, id) = in_a_command(home.pipe("begun"), home.with(&server, &args));
    run.signal(Signal::INT);
    assert_eq!(run.until("execution_interrupted")["status"], "in_progress");
    assert_eq!(run.code(), Some(130));
    assert_eq!(home.ran_with(&server, &["resume", &id]).ends(0).out, "Done.\n");
}

#[test]
fn all_verbs_say_in_the_same_words_how_to_go_on() {
    let turns = [Turn::call("list", json!({})), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let url = server.base_url();
    let at = ["--model", "my:m", "--base-url", &url];
    let args = [&["run", "--max-steps", "1"][..], &at, &["Work"]].concat();
    let line = |text: &str| {
        let line = text.lines().find(|line| line.contains("to go on: ")).unwrap_or_default();
        line.split("to go on: ").nth(1).unwrap_or_default().to_owned()
    };
    let how = line(&home.ran(&args).ends(3).err);
    assert!(how.contains(&format!("--base-url {url}")), "{how}");
    let list = home.ran(&["sessions", "list", "--json"]).ends(0).last();
    let id = text(&list, "session");
    let shown = home.ran(&["sessions", "show", &id]).ends(0);
    assert_eq!(line(&shown.out), how);
    // Nothing needs to be given again that the environment says.
    let mut shown = home.legwork(&["sessions", "show", &id]);
    shown.env("OPENAI_BASE_URL", &url);
    let how_there = line(&ran(shown).ends(0).out);
    assert_eq!(how_there, how.replace(&format!(" --base-url {url}"), ""));
    let again: Vec<_> = how.split(' ').skip(1).collect();
    assert_eq!(home.ran(&again).ends(0).out, "Done.\n");
    let told = home.ran(&["resume", &id, "--base-url", &url]).ends(0);
    told.says(&format!("`legwork run --session {id} --base-url {url} \"..\"`"));
}

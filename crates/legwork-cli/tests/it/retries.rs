//! Servers that fail for a while: the run finishes what it began, or `resume` does later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use legwork::core::inference::Incomplete;
use legwork_testkit::{Script, Server, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Home, Ran, started, text};

/// A step with a tool, then the end.
fn turns(asked: usize) -> Turn {
    match asked {
        0 => Turn::call("bash", json!({"command": "echo once >> log"})).with_text("I begin."),
        _ => Turn::text("All is done."),
    }
}

const RUN: [&str; 4] = ["run", "--sandbox", "off", "Work"];

/// Who said what, from the journal.
pub(crate) fn messages(home: &Home, id: &str) -> Vec<String> {
    let shown = home.ran(&["sessions", "show", "--json", id]).ends(0);
    let said = |entry: Value| match text(&entry, "type").as_str() {
        "execution_started" => Some(format!("person: {}", entry["body"]["input"])),
        "steered" | "followed_up" | "message_added" => Some(format!("person: {}", entry["body"])),
        _ => None,
    };
    shown.events().into_iter().filter_map(said).collect()
}

fn done_once(home: &Home) {
    let log = std::fs::read_to_string(home.work().join("log")).unwrap();
    assert_eq!(log, "once\n", "the command ran once");
}

fn finishes(server: &Server) -> Ran {
    let home = Home::new();
    let ran = home.ran_with(server, &RUN).ends(0);
    assert_eq!(ran.out, "I begin.\nAll is done.\n");
    done_once(&home);
    ran
}

/// As often as a server is asked in three minutes.
const OFTEN: usize = 12;

#[test]
fn s11_5_a_server_that_is_full_for_minutes_is_waited_for() {
    let full = |turn: Turn| turn.after(vec![Turn::status(503); OFTEN]);
    let server = Server::start(vec![full(turns(0)), full(turns(1))]).unwrap();
    let ran = finishes(&server).says("before attempt 2: refused with 503");
    ran.says(&format!("before attempt {}: ", OFTEN + 1));
    assert_eq!(server.requests().len(), 2 * OFTEN + 2);
}

#[test]
fn s11_5_a_server_that_hangs_up_for_a_minute_is_waited_for() {
    let gone = |turn: Turn| turn.after(vec![Turn::disconnect(); OFTEN]);
    let server = Server::start(vec![gone(turns(0)), turns(1)]).unwrap();
    finishes(&server);
}

/// Breaks off every second stream.
fn dropping() -> Script {
    let requests = AtomicUsize::new(0);
    Script::from_fn(move |asked| match requests.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => turns(asked.turn()).incomplete(Incomplete::Cut),
        _ => turns(asked.turn()),
    })
}

#[test]
fn s11_3_a_server_that_drops_every_second_stream_is_asked_again() {
    let server = Server::start(dropping()).unwrap();
    finishes(&server).says("before attempt 2: the answer broke off");
    assert_eq!(server.requests().len(), 4);
    let home = Home::new();
    let server = Server::start(dropping()).unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Work"]).ends(0);
    let mut retries = ran.events();
    retries.retain(|event| event["type"] == "inference_retried");
    let discarded: Vec<_> = retries.iter().map(|event| event["discarded"].clone()).collect();
    assert_eq!(discarded, [json!(true), json!(true)]);
    assert_eq!(ran.last()["text"], "All is done.");
}

/// A server that fails in this way while it is away.
fn away(failure: Turn) -> (Server, Arc<AtomicBool>) {
    let away = Arc::new(AtomicBool::new(true));
    let is_away = Arc::clone(&away);
    let script = Script::from_fn(move |asked| match is_away.load(Ordering::SeqCst) {
        true => failure.clone(),
        false => turns(asked.turn()),
    });
    (Server::start(script).unwrap(), away)
}

/// Runs until the retries are used up; then `resume` says the same, and once the server is
/// back finishes the task, with nothing in the conversation that nobody said.
fn finished_later(failure: Turn) {
    let (server, away) = away(failure);
    let home = Home::new();
    let ran = home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Work"]).ends(1);
    let (id, last) = (ran.session(), ran.last());
    assert_eq!(last["next"]["how"], format!("legwork resume {id} --sandbox off"), "{last}");
    let again = home.ran_with(&server, &["resume", &id]).ends(1).says("error: ");
    again.says("hint: ").says(&format!("to go on: legwork resume {id}"));
    away.store(false, Ordering::SeqCst);
    let resumed = home.ran_with(&server, &["resume", &id]).ends(0);
    assert!(resumed.out.ends_with("All is done.\n"), "{}", resumed.out);
    let said = messages(&home, &id);
    assert!(said.len() == 1 && said[0].contains("Work"), "{said:?}");
    done_once(&home);
}

#[test]
fn s10_1_a_server_that_stays_away_longer_is_asked_again_by_resume() {
    finished_later(Turn::status(503));
    finished_later(Turn::disconnect());
}

#[test]
fn s10_1_a_wrong_key_is_put_right_and_resumed() {
    finished_later(Turn::status(401));
}

#[test]
fn s11_3_answers_that_break_off_each_time_are_asked_for_again_by_resume() {
    finished_later(Turn::text("Half of it").incomplete(Incomplete::Cut));
}

#[test]
fn s10_1_a_server_that_moved_is_named_to_resume() {
    let home = Home::new();
    let gone = Server::start([Turn::text("never")]).unwrap().base_url();
    let args = ["run", "--json", "--model", "my:m", "--base-url", &gone, "--retry-for", "0s", "W"];
    let id = home.ran(&args).ends(1).session();
    let server = Server::start([Turn::text("Found.")]).unwrap();
    let resumed = home.ran(&["resume", &id, "--base-url", &server.base_url()]).ends(0);
    assert_eq!(resumed.out, "Found.\n");
}

#[test]
fn s11_5_control_c_ends_a_wait_at_once() {
    let home = Home::new();
    let full = Turn::status(503).with_retry_after("599");
    let server = Server::start(vec![turns(0).after([full]), turns(1)]).unwrap();
    let args = ["run", "--json", "--sandbox", "off", "--retry-for", "10m", "Work"];
    let mut run = started(home.with(&server, &args));
    let waits = run.until("inference_retried");
    assert_eq!((&waits["attempt"], &waits["wait"]), (&json!(1), &json!(599_000_000)), "{waits}");
    run.signal(Signal::INT);
    let interrupted = run.end().ends(130).last();
    let id = text(&interrupted, "session");
    assert_eq!(interrupted["next"]["how"], format!("legwork resume {id} --sandbox off"));
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(0);
    done_once(&home);
}

#[test]
fn s3_9_a_new_task_ends_an_interrupted_execution() {
    let home = Home::new();
    let server = Server::start(vec![Turn::text("never"), Turn::text("As you like.")]).unwrap();
    let asked_about = Script::from_fn(|asked| Turn::text(format!("About {}.", asked.last())));
    let second = Server::start(asked_about).unwrap();
    server.hold(0);
    let mut run = started(home.with(&server, &["run", "--json", "Do this"]));
    let id = text(&run.until("inference_started"), "session");
    server.arrived_blocking(0);
    run.signal(Signal::INT);
    assert_eq!(run.end().code, Some(130));
    server.release(0);
    let ran = home.ran_with(&second, &["run", "--session", &id, "no, do this"]).ends(0);
    assert_eq!(ran.out, "About no, do this.\n");
    let said = messages(&home, &id);
    assert_eq!(said.len(), 2, "{said:?}");
}

//! Commands in the background: read within a run, and gone with it.

use std::fs::File;
use std::io::Read as _;

use legwork_testkit::{Server, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Home, ran, started, text};

const RUN: [&str; 4] = ["run", "--sandbox", "off", "Serve"];
const JSON: [&str; 5] = ["run", "--json", "--sandbox", "off", "Serve"];

/// Holds the pipe `alive` open, and then says so.
fn serve() -> Turn {
    let command = "exec 3>alive; echo up; exec sleep 600";
    Turn::call("bash", json!({"command": command, "background": true}))
}

/// The id that the first call of a session gets.
fn id() -> String {
    let start = Turn::call("bash", json!({"command": "true", "background": true}));
    let server = Server::start([start, Turn::text("Done.")]).unwrap();
    Home::new().ran_with(&server, &RUN).ends(0);
    let told = server.requests()[1].asked.results()[0].to_owned();
    assert!(told.contains(" runs in the background, for at most 3600 s"), "{told}");
    told.trim_start_matches('[').split(' ').next().unwrap().to_owned()
}

fn read(arguments: Value) -> Turn {
    Turn::call("bash_output", arguments)
}

/// Waits until nobody holds a pipe open.
fn gone(mut pipe: File) {
    pipe.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn it_is_read_while_it_runs_and_ended_with_the_run() {
    let (home, id) = (Home::new(), id());
    let turns = [serve(), read(json!({"id": id, "wait": 60})), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let pipe = home.pipe("alive");
    let run = started(home.with(&server, &RUN));
    let pipe = File::open(pipe).unwrap();
    let told = run.end().ends(0);
    gone(pipe);
    let told = told.says("✓ bash_output ").says(&format!("\nended {id}: exec 3>alive; echo up; "));
    assert_eq!(told.err.matches("\nended ").count(), 1, "{}", told.err);
    let result = server.requests()[2].asked.results().last().unwrap().to_string();
    assert!(result.starts_with(&format!("up\n[{id}: running for ")), "{result}");
}

#[test]
fn what_ended_by_itself_or_was_ended_is_not_told_of() {
    let (home, id) = (Home::new(), id());
    let (up, end) = (json!({"id": id, "wait": 60}), json!({"id": id, "end": true}));
    let turns = [serve(), read(up), read(end), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let pipe = home.pipe("alive");
    let run = started(home.with(&server, &JSON));
    gone(File::open(pipe).unwrap());
    let ran = run.end().ends(0);
    assert!(!ran.kinds().contains(&"note".to_owned()), "{}", ran.out);
    let result = server.requests()[3].asked.results().last().unwrap().to_string();
    assert!(result.ends_with(", as asked]"), "{result}");
}

#[test]
fn an_interrupted_run_ends_it_and_says_so() {
    let (home, id) = (Home::new(), id());
    let server = Server::start([serve(), read(json!({"id": "none"}))]).unwrap();
    server.hold(1);
    let pipe = home.pipe("alive");
    let mut run = started(home.with(&server, &JSON));
    run.until("tool_finished");
    let pipe = File::open(pipe).unwrap();
    server.arrived_blocking(1);
    run.signal(Signal::INT);
    let note = run.until("note");
    assert!(text(&note, "message").starts_with(&format!("ended {id}: ")), "{note}");
    run.end().ends(130);
    gone(pipe);
    server.release(1);
}

#[test]
fn s10_2_after_a_kill_it_is_gone_and_a_reading_says_so() {
    let (home, id) = (Home::new(), id());
    // The first reading takes what is there, so that the second waits.
    let arguments = json!({"id": id, "wait": 60});
    let turns = [serve(), read(arguments.clone()), read(arguments), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let pipe = home.pipe("alive");
    let mut run = started(home.with(&server, &JSON));
    let session = text(&run.until("tool_started"), "session");
    let pipe = File::open(pipe).unwrap();
    run.until("tool_started");
    run.until("tool_started");
    run.kill();
    gone(pipe);
    let told = ran(home.with(&server, &["resume", &session])).ends(0);
    assert_eq!(told.out, "Done.\n");
    let result = server.requests()[3].asked.results().last().unwrap().to_string();
    let wanted = format!("there is no command {id} in the background: none was started");
    assert!(result.contains(&wanted) && result.contains("start it again"), "{result}");
}

#[test]
fn what_commands_print_and_are_commands_no_terminal() {
    let home = Home::new();
    let command = ": '\u{1b}[2J\u{7}'\nexec sleep 600";
    let start = Turn::call("bash", json!({"command": command, "background": true}));
    let server = Server::start([start, Turn::text("Done.")]).unwrap();
    let told = home.ran_with(&server, &RUN).ends(0).says("\nended bg");
    assert!(!told.err.contains(['\u{1b}', '\u{7}']), "{:?}", told.err);
}

#[test]
fn the_differences_say_that_it_was_not_watched() {
    let home = Home::new();
    let start = Turn::call("bash", json!({"command": "echo >made", "background": true}));
    let server = Server::start([start, Turn::text("Done.")]).unwrap();
    let session = home.ran_with(&server, &JSON).ends(0).session();
    let told = home.ran(&["sessions", "diff", &session]).ends(0);
    told.says(
        "note: it runs in the background, so not all of its changes are known: bash echo >made\n",
    );
}

#[test]
fn a_call_by_hand_leaves_nothing_running() {
    let home = Home::new();
    let pipe = home.pipe("alive");
    let command = "exec 3>alive; exec sleep 600";
    let arguments = json!({"command": command, "background": true}).to_string();
    let run = started(home.legwork(&["tools", "call", "--sandbox", "off", "bash", &arguments]));
    // Whether it came as far as to open it is of no account: this end opens at once.
    let told = run.end().ends(0);
    assert!(told.out.contains("runs in the background"), "{}", told.out);
    told.says("ended bg0: exec 3>alive; exec sleep 600\n");
    let alive = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let pipe = rustix::fs::open(pipe, alive, rustix::fs::Mode::empty()).unwrap();
    // With no writer its end is read; with one there is nothing to read yet.
    assert_eq!(rustix::io::read(&pipe, &mut [0]), Ok(0));
}

//! Ctrl-C, SIGTERM, SIGHUP, and readers that go away.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Command, Stdio};

use legwork_testkit::{Server, Turn};
use rustix::fs::OFlags;
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::home::{Home, ran, started, text};

fn interrupted_by(signal: Signal) {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    server.hold(0);
    let run = started(home.with(&server, &["run", "Work"]));
    server.arrived_blocking(0);
    run.signal(signal);
    let ran = run.end().ends(130);
    let ran = ran.says("interrupted: the session can be resumed").says("to go on: legwork resume ");
    server.release(0);
    let id = ran.err.lines().last().unwrap().rsplit(' ').next().unwrap();
    assert_eq!(home.ran_with(&server, &["resume", id]).ends(0).out, "Done.\n");
}

#[test]
fn s3_9_control_c_leaves_the_session_resumable() {
    interrupted_by(Signal::INT);
}

#[test]
fn s3_9_sigterm_does_the_same() {
    interrupted_by(Signal::TERM);
}

#[test]
fn s3_9_sighup_does_the_same() {
    interrupted_by(Signal::HUP);
}

#[test]
fn s3_9_sighup_that_is_ignored_stays_ignored() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    server.hold(0);
    let command = home.with(&server, &["run", "Work"]);
    let mut nohup = Command::new("nohup");
    nohup.arg(command.get_program()).args(command.get_args()).current_dir(home.work());
    let environment = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    nohup.env_clear().envs(environment).stdin(Stdio::null());
    let run = started(nohup);
    server.arrived_blocking(0);
    run.signal(Signal::HUP);
    server.release(0);
    assert_eq!(run.end().ends(0).out, "Done.\n");
}

#[test]
fn the_second_ends_at_once_though_nobody_reads() {
    let home = Home::new();
    let server = Server::start([Turn::text("word ".repeat(100_000))]).unwrap();
    let mut run = started(home.with(&server, &["run", "--json", "Talk"]));
    run.until("text_delta");
    // The pipe is full before the answer is told, so the run is stuck in a write.
    run.signal(Signal::INT);
    run.signal(Signal::TERM);
    assert_eq!(run.code(), Some(130));
}

#[test]
fn a_reader_that_goes_away_interrupts_the_run() {
    let home = Home::new();
    let calls = Turn::call("bash", json!({"command": "true"})).with_text("I begin.");
    let server = Server::start([calls, Turn::text("Done.")]).unwrap();
    server.hold(0);
    let mut run = started(home.with(&server, &["run", "--json", "--sandbox", "off", "Work"]));
    let id = text(&run.until("execution_started"), "session");
    run.close();
    server.release(0);
    let gone = run.end().ends(130).says(&format!("to go on: legwork resume {id}"));
    assert!(!gone.err.contains("panicked") && !gone.err.contains("error"), "{}", gone.err);
    ran(home.with(&server, &["resume", &id])).ends(0);
}

#[test]
fn s3_9_a_terminal_that_goes_away_interrupts_the_run() {
    for flag in ["--json", "--verbose"] {
        let calls = Turn::call("bash", json!({"command": "true"})).with_text("I begin.");
        let server = Server::start([calls, Turn::text("Done.")]).unwrap();
        let home = Home::new();
        let (terminal, inside) = terminal();
        server.hold(0);
        // Nobody reads the terminal: what is written until then has to fit in it.
        let args = ["run", flag, "--sandbox", "off", "--tools", "bash", "Work"];
        let mut run = home.with(&server, &args);
        let mut run = run.stdout(inside.try_clone().unwrap()).stderr(inside).spawn().unwrap();
        server.arrived_blocking(0);
        drop(terminal);
        server.release(0);
        assert_eq!(run.wait().unwrap().code(), Some(130), "{flag}");
        let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
        assert_eq!(rows[0]["status"], "in_progress");
        home.ran_with(&server, &["resume", &text(&rows[0], "session")]).ends(0);
    }
}

/// A terminal, and what a process in it writes to.
fn terminal() -> (OwnedFd, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let inside = File::options().write(true).custom_flags(NOCTTY).open(name.to_str().unwrap());
    (terminal, inside.unwrap())
}

/// The terminal does not become that of the test.
const NOCTTY: i32 = OFlags::NOCTTY.bits().cast_signed();

#[test]
fn an_output_that_cannot_be_written_is_an_error_with_the_way_on() {
    let home = Home::new();
    let calls = Turn::call("bash", json!({"command": "true"})).with_text("I begin.");
    for flag in ["--json", "--quiet", "--verbose"] {
        let server = Server::start([calls.clone(), Turn::text("Done.")]).unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut run = home.with(&server, &["run", flag, "--sandbox", "off", "Work"]);
        let ended = run.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{flag}: {err}");
        assert!(err.contains("error: writing to standard output: No space left"), "{flag}: {err}");
    }
}

#[test]
fn a_key_that_is_long_in_coming_can_be_interrupted() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    let begun = home.pipe("begun");
    let settings = home.work().parent().unwrap().join("settings.toml");
    let command = format!("echo > '{}'; exec sleep 600", begun.display());
    fs::write(&settings, format!("[keys.my]\ncommand = \"{command}\"\n")).unwrap();
    let config = format!("--config={}", settings.display());
    let run = started(home.with(&server, &[&config, "run", "--model", "my:scripted", "Work"]));
    fs::read(begun).unwrap();
    run.signal(Signal::TERM);
    run.end().ends(130).says("interrupted: ending... (Ctrl-C again to quit)");
    assert!(!home.store().exists());
}

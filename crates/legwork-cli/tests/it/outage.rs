//! Servers that fail for a time: for minutes by `cargo xtask outage`, else a thousand times
//! faster, and the command's patience with them.

use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use legwork::core::inference::Incomplete;
use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, Running, ran, started};
use crate::retries::messages;

/// How the task is given: for people, and for programs.
const RUN: [&str; 4] = ["run", "--sandbox", "off", "Work"];
const RUN_JSON: [&str; 5] = ["run", "--json", "--sandbox", "off", "Work"];

/// How many calls the task takes.
const CALLS: usize = 4;

/// How fast the world is.
#[derive(Clone, Copy)]
struct Pace {
    /// Seconds, or as many milliseconds.
    second: Duration,
    is_real: bool,
}

impl Pace {
    fn asked_for() -> Self {
        let is_real = std::env::var_os("LEGWORK_OUTAGE").is_some();
        Self {
            second: if is_real { Duration::from_secs(1) } else { Duration::from_millis(1) },
            is_real,
        }
    }

    /// The command with the patience that it has by default.
    fn legwork(self, home: &Home, server: &Server, args: &[&str]) -> Command {
        let mut command = home.with(server, args);
        if self.is_real {
            command.env_remove("LEGWORK_RETRY_FOR").env_remove("LEGWORK_RETRY_MAX_WAIT");
        }
        command
    }

    /// The command with the patience of so many seconds.
    fn impatient(self, home: &Home, server: &Server, seconds: u32, args: &[&str]) -> Command {
        let mut command = self.legwork(home, server, args);
        let millis = (self.second * seconds).as_millis();
        command.env("LEGWORK_RETRY_FOR", format!("{millis}ms"));
        command
    }
}

/// A few commands one after the other, then the end.
fn turn(asked: &Asked) -> Turn {
    match asked.turn() {
        done if done < CALLS => {
            Turn::call("bash", json!({"command": format!("echo {done} >> log")}))
        }
        _ => Turn::text("All is done."),
    }
}

/// Checks that each command ran once and in its order, and that a person said the task and
/// nothing else.
#[track_caller]
fn done_once(home: &Home) {
    let log = std::fs::read_to_string(home.work().join("log")).unwrap();
    let expected: String = (0..CALLS).map(|done| format!("{done}\n")).collect();
    assert_eq!(log, expected);
    let listed = home.ran(&["sessions", "list", "--json"]).ends(0);
    let said = messages(home, &listed.session());
    assert!(said.len() == 1 && said[0].contains("Work"), "{said:?}");
}

/// Ends when the run has waited for a server at least so long.
fn waited(run: &mut Running, long: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < long {
        run.until("inference_retried");
    }
}

fn finished(ran: Ran, server: &Server, what: &str) {
    assert!(ran.out.contains("All is done."), "{}", ran.out);
    println!("{what}: finished with {} requests", server.requests().len());
}

/// A server that fails like this from the second step's first request on, for three minutes.
fn failing(pace: Pace, failure: Turn) -> Server {
    let (lasts, begun) = (pace.second * 180, OnceLock::new());
    let script = Script::from_fn(move |asked| {
        let fails = asked.turn() == 1 && begun.get_or_init(Instant::now).elapsed() < lasts;
        if fails { failure.clone() } else { turn(asked) }
    });
    Server::start(script).unwrap()
}

#[test]
fn s11_5_a_server_that_answers_503_for_three_minutes_is_outlasted() {
    let pace = Pace::asked_for();
    let (home, server) = (Home::new(), failing(pace, Turn::status(503)));
    let ran = ran(pace.legwork(&home, &server, &RUN)).ends(0).says("refused with 503");
    finished(ran, &server, "503 for three minutes");
    done_once(&home);
}

#[test]
fn s11_5_a_server_that_hangs_up_for_three_minutes_is_outlasted() {
    let pace = Pace::asked_for();
    let (home, server) = (Home::new(), failing(pace, Turn::disconnect()));
    let ran = ran(pace.legwork(&home, &server, &RUN)).ends(0).says("waiting ");
    finished(ran, &server, "hanging up for three minutes");
    done_once(&home);
}

#[test]
fn s11_3_a_server_that_drops_every_second_stream_is_outlasted() {
    let pace = Pace::asked_for();
    let requests = AtomicUsize::new(0);
    let server = Server::start(Script::from_fn(move |asked| {
        let count = requests.fetch_add(1, Ordering::SeqCst);
        let turn = turn(asked);
        if count.is_multiple_of(2) { turn.incomplete(Incomplete::Cut) } else { turn }
    }));
    let (home, server) = (Home::new(), server.unwrap());
    let ran = ran(pace.legwork(&home, &server, &RUN)).ends(0).says("the answer broke off");
    assert_eq!(server.requests().len(), 2 * (CALLS + 1));
    finished(ran, &server, "every second stream dropped");
    done_once(&home);
}

/// Starts the task; the server leaves while it is asked for the second step.
fn left_in_the_middle(server: &Server, command: Command) -> Running {
    server.hold(1);
    let run = started(command);
    server.arrived_blocking(1);
    server.leave().unwrap();
    server.release(1);
    run
}

#[test]
fn s11_5_a_server_that_is_gone_for_a_minute_is_outlasted() {
    let pace = Pace::asked_for();
    let (home, server) = (Home::new(), Server::start(Script::from_fn(turn)).unwrap());
    let mut run = left_in_the_middle(&server, pace.legwork(&home, &server, &RUN_JSON));
    waited(&mut run, pace.second * 60);
    server.come_back().unwrap();
    finished(run.end().ends(0), &server, "gone for a minute");
    done_once(&home);
}

#[test]
fn s10_1_a_server_that_is_gone_longer_is_asked_again_by_resume() {
    let pace = Pace::asked_for();
    let (home, server) = (Home::new(), Server::start(Script::from_fn(turn)).unwrap());
    let impatient = |args: &[&str]| pace.impatient(&home, &server, 60, args);
    let ran_out = left_in_the_middle(&server, impatient(&RUN_JSON)).end().ends(1);
    let next = ran_out.last()["next"]["how"].clone();
    let id = home.ran(&["sessions", "list", "--json"]).ends(0).session();
    assert_eq!(next, format!("legwork resume {id} --sandbox off"));
    ran(impatient(&["resume", &id]))
        .ends(1)
        .says("error: ")
        .says(&format!("to go on: legwork resume {id}"));
    server.come_back().unwrap();
    finished(ran(impatient(&["resume", &id])).ends(0), &server, "gone longer, then resumed");
    done_once(&home);
}

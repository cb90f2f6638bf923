//! Servers that fail for a time: for minutes by `cargo xtask outage`, else a thousand times
//! faster, and the command's patience with them.

use std::time::{Duration, Instant};

use legwork_testkit::{Script, Server, Turn};

use crate::home::{Home, ran};

/// How long a server fails, and whether the command has the patience that it has by default.
fn outage() -> (Duration, bool) {
    let asked = std::env::var("LEGWORK_OUTAGE_SECONDS").ok();
    let seconds = asked.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    seconds.map_or((Duration::from_millis(180), false), |real| (real, true))
}

fn outlasts(failure: Turn) {
    let (lasts, real) = outage();
    let begun = Instant::now();
    let script = Script::from_fn(move |_| match begun.elapsed() < lasts {
        true => failure.clone(),
        false => Turn::text("Here I am."),
    });
    let (home, server) = (Home::new(), Server::start(script).unwrap());
    let mut command = home.with(&server, &["run", "Work"]);
    if real {
        command.env_remove("LEGWORK_RETRY_FOR").env_remove("LEGWORK_RETRY_MAX_WAIT");
    }
    let ran = ran(command).ends(0).says("waiting ");
    assert_eq!(ran.out, "Here I am.\n");
    println!("outlasted {lasts:?} with {} requests", server.requests().len());
}

#[test]
fn s11_5_a_full_server_is_outlasted() {
    outlasts(Turn::status(503));
}

#[test]
fn s11_5_a_server_that_hangs_up_is_outlasted() {
    outlasts(Turn::disconnect());
}

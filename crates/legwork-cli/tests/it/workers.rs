//! `legwork work`: whose sessions it runs, and on servers that are right, wrong or away.

use std::net::TcpListener;

use legwork_testkit::servers::{Database, Redis};
use legwork_testkit::{Server, Turn};
use rustix::process::Signal;
use serde_json::json;

use crate::agents::agent;
use crate::home::{Home, started, text};

fn submitted(home: &Home, server: &Server, args: &[&str]) -> String {
    let args = [&["submit", "--json"], args].concat();
    text(&home.ran_with(server, &args).ends(0).events()[0], "session")
}

/// A home with the agents `clerk` and `cook` in a folder beside the workspace, and a server.
fn two_agents() -> (Home, Server) {
    let home = Home::new();
    home.file("agents/clerk.md", &agent("clerk", "", "Be a clerk."));
    home.file("more/cook.md", &agent("cook", "", "Be a cook."));
    (home, Server::start([Turn::text("done")]).unwrap())
}

#[test]
fn s10_6_a_worker_runs_the_sessions_of_its_agents_and_leaves_all_others() {
    let (home, server) = two_agents();
    let by = |name: &str, dir: &str, id: &str| {
        let args = ["--agent", name, "--agents-dir", dir, "--id", id, "Go"];
        submitted(&home, &server, &args);
    };
    by("clerk", "../agents", "letters");
    by("cook", "../more", "dinner");
    submitted(&home, &server, &["--id", "plain", "Go"]);
    // It is another clerk by now.
    home.file("agents/clerk.md", &agent("clerk", "tools: [list]\n", "Be a strict clerk."));
    let work =
        |args: &[&str]| home.ran_with(&server, &[&["work", "--until-idle"], args].concat()).ends(0);
    let worked = work(&["--agents", "../agents"]).out;
    for said in [
        "letters  begins\n",
        "letters  completed\n",
        "dinner  left to other workers: its agent is cook\n",
        "plain  left to other workers: its agent is legwork\n",
        "1 session worked on\n",
    ] {
        assert_eq!(worked.matches(said).count(), 1, "{said:?} in {worked}");
    }
    let asked = &server.requests()[0].asked;
    assert!(asked.instructions.starts_with("Be a strict clerk."), "{}", asked.instructions);
    assert_eq!(asked.tools, ["list"]);
    let worked = work(&["--agents", "../agents", "--agents", "../more", "--json"]);
    let rested = worked.events().into_iter().filter(|line| line["type"] == "rested");
    assert_eq!(rested.map(|line| text(&line, "session")).collect::<Vec<_>>(), ["dinner"]);
    let left: Vec<_> = worked.events().into_iter().filter(|l| l["type"] == "failed").collect();
    assert!(text(&left[0], "error").contains("no agent `legwork`"), "{left:?}");
    // Without the flag it has all agents.
    assert_eq!(work(&[]).out, "plain  begins\nplain  completed\n1 session worked on\n");
}

#[test]
fn agents_that_a_worker_cannot_have_are_refused_before_anything_runs() {
    let (home, server) = two_agents();
    submitted(&home, &server, &["Go"]);
    home.file("bad/bad.md", "---\nname: bad\n---\n");
    let work = |args: &[&str]| home.ran_with(&server, &[&["work"], args].concat()).ends(2);
    work(&["--agents", "../none"]).says("cannot be read").says("legwork agents check ");
    work(&["--agents", "."]).says("there are no agents in ").says("NAME.md");
    let bad = work(&["--agents", "../agents", "--agents", "../bad"]);
    bad.says("bad.md").says("description: is missing");
    work(&["--agents", "../agents", "--agent", "clerk"]).says("cannot be used with");
    assert_eq!(server.requests().len(), 0);
}

/// Tasks are left, worked on until Ctrl-C, and finished by the next worker.
fn check(address: &str) {
    let home = Home::new();
    let turns = [Turn::call("list", json!({})), Turn::text("done")];
    let server = Server::start(turns).unwrap();
    server.hold(0);
    let said = home.ran_with(&server, &["submit", "Go", "--store", address]).ends(0).out;
    let id = said.lines().next().unwrap().to_owned();
    let again = said.lines().nth(1).unwrap();
    assert!(again.starts_with("to work on it: legwork work --store "), "{said}");
    assert!(again.contains(":PASSWORD@"), "{said}");

    let worker = started(home.with(&server, &["work", "--store", address]));
    server.arrived_blocking(0);
    worker.signal(Signal::INT);
    server.release(0);
    let worked = worker.end().ends(0).says("Ctrl-C ends the steps under way");
    let lines: Vec<_> = worked.out.lines().collect();
    let rests = format!("{id}  rests between two steps");
    assert_eq!(lines, [&format!("{id}  begins"), "stopping: 1 session to rest", &*rests]);

    let worked = home.ran_with(&server, &["work", "--until-idle", "--store", address]).ends(0);
    assert_eq!(worked.out, format!("{id}  begins\n{id}  completed\n1 session worked on\n"));
    let shown = home.ran(&["sessions", "show", &id, "--store", address]).ends(0).out;
    assert!(shown.contains("done"), "{shown}");
    assert_eq!(server.requests().len(), 2, "no step is made twice");
}

/// A worker and a task are refused at once where the store cannot be used.
fn refuses(address: &str, why: &str) {
    let home = Home::new();
    let server = Server::start([Turn::text("done")]).unwrap();
    for args in [&["work"][..], &["work", "--until-idle"], &["submit", "Go"]] {
        let told = home.ran_with(&server, &[args, &["--store", address]].concat()).ends(1);
        let told = told.says(why).says("hint: ");
        assert!(!told.err.contains("s3cret"), "{}", told.err);
    }
}

/// The address with another password.
fn other_password(address: &str) -> String {
    let (before, host) = address.split_once('@').unwrap();
    let (user, _) = before.rsplit_once(':').unwrap();
    format!("{user}:s3cret@{host}")
}

#[test]
fn s10_6_workers_on_postgres_rest_on_control_c_and_others_go_on() {
    let Some(database) = Database::create().unwrap() else { return };
    check(database.url());
    refuses(&other_password(database.url()), "password authentication failed");
}

#[test]
fn s10_6_workers_on_redis_rest_on_control_c_and_others_go_on() {
    let Some((url, _server)) = Redis::shared().unwrap() else { return };
    check(&format!("{url}?prefix=cli-{}", std::process::id()));
    refuses(&other_password(&url), "refused the user name or the password");
}

#[test]
fn a_server_that_is_not_there_is_an_error_at_once() {
    // The port was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for scheme in ["postgres", "redis"] {
        refuses(&format!("{scheme}://ann:s3cret@127.0.0.1:{port}/0"), "cannot be reached");
    }
}

#[test]
fn s10_6_a_worker_waits_for_a_server_that_goes_away() {
    let Some(mut redis) = Redis::start().unwrap() else { return };
    let (home, server) = (Home::new(), Server::start([Turn::text("done")]).unwrap());
    let address = redis.url();
    let first = submitted(&home, &server, &["Go", "--store", &address]);
    let args = ["work", "--json", "--store", &address];
    let mut worker = started(home.with(&server, &args));
    assert_eq!(text(&worker.until("rested"), "session"), first);
    redis.kill().unwrap();
    let away = worker.until("store_failed");
    assert!(text(&away, "error").contains("cannot be reached"), "{away}");
    redis.restart().unwrap();
    let second = submitted(&home, &server, &["Go", "--store", &address]);
    assert_eq!(text(&worker.until("rested"), "session"), second);
    worker.signal(Signal::TERM);
    worker.end().ends(0);
}

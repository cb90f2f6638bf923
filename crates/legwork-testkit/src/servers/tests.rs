use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::*;

const ROLE: &str = "LEGWORK_TESTKIT_SERVERS_ROLE";

fn port(url: &str) -> u16 {
    let place = url.rsplit_once('@').unwrap().1;
    place.split(['/', ':']).nth(1).unwrap().parse().unwrap()
}

fn accepts(url: &str) -> bool {
    TcpStream::connect(("127.0.0.1", port(url))).is_ok()
}

/// Waits for something that happens by itself.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn runs(id: u32) -> bool {
    Path::new(&format!("/proc/{id}")).exists()
}

#[test]
fn postgres_is_killed_restarted_and_stopped() {
    let Some(mut server) = Postgres::start().unwrap() else { return };
    let (url, first) = (server.url(), server.id());
    assert!(accepts(&url) && runs(first));
    server.kill().unwrap();
    assert!(!accepts(&url) && !runs(first));
    server.restart().unwrap();
    assert_eq!(server.url(), url);
    assert!(accepts(&url) && server.id() != first);
    let last = server.id();
    server.stop();
    assert!(!accepts(&url) && !runs(last));
}

#[test]
fn redis_is_killed_restarted_and_stopped() {
    let Some(mut server) = Redis::start().unwrap() else { return };
    let (url, first) = (server.url(), server.id());
    assert!(accepts(&url) && runs(first));
    server.kill().unwrap();
    assert!(!accepts(&url) && !runs(first));
    server.restart().unwrap();
    assert_eq!(server.url(), url);
    assert!(accepts(&url));
    server.stop();
    assert!(!accepts(&url));
}

#[test]
fn a_database_is_made_and_dropped() {
    let Some(database) = Database::create().unwrap() else { return };
    assert!(accepts(database.url()));
    assert!(database.url().contains("/test_"), "{}", database.url());
}

/// In the child it starts servers, says which, and waits to be killed.
#[test]
#[allow(clippy::print_stdout, reason = "it is the child's answer")]
fn plays_its_role() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let (postgres, redis) = (Postgres::start().unwrap(), Redis::start().unwrap());
    let ids = [postgres.as_ref().map(Postgres::id), redis.as_ref().map(Redis::id)];
    for id in ids.into_iter().flatten() {
        println!("server: {id}");
    }
    println!("server: all");
    loop {
        thread::park();
    }
}

#[test]
fn servers_of_a_killed_process_die_and_leave_nothing() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let test = format!("{}::plays_its_role", module_path!().split_once("::").unwrap().1);
    child.args([&test, "--exact", "--nocapture"]).env(ROLE, "servers");
    let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let said = lines
        .map(Result::unwrap)
        .filter_map(|line| line.split_once("server: ").map(|(_, id)| id.to_owned()));
    let mut said = said.peekable();
    assert!(said.peek().is_some(), "the child says nothing");
    let ids: Vec<u32> = said.take_while(|id| id != "all").map(|id| id.parse().unwrap()).collect();
    assert!(ids.iter().all(|id| runs(*id)));
    let own = format!("-{}-", child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    until("the servers have ended", || !ids.iter().any(|id| runs(*id)));
    let home = folder::home().unwrap_or_else(std::env::temp_dir);
    let names = || fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name());
    until("their folders are gone", || names().all(|name| !name.to_string_lossy().contains(&own)));
}

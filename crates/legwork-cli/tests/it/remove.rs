//! `legwork sessions rm`: asked for, refused, done.

use std::fs;
use std::process::Command;

use legwork_testkit::{Server, Turn};

use crate::agent_skills::delegating;
use crate::agents::agent;
use crate::home::{Home, fed, ran, started};

const SECRET: &str = "hunter2-hunter2";

fn home_with(server: &Server, tasks: &[&str]) -> (Home, Vec<String>) {
    let home = Home::new();
    let run = |task: &&str| home.ran_with(server, &["run", "--json", task]).ends(0).session();
    let ids = tasks.iter().map(run).collect();
    (home, ids)
}

/// The ids of the sessions that are listed, the newest first.
fn listed(home: &Home) -> Vec<String> {
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    rows.iter().map(|row| row["session"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn s8_6_a_removed_session_is_gone_from_the_file_too() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["one", SECRET]);
    let told = home.ran(&["sessions", "rm", "--yes", &ids[1]]).ends(0);
    assert_eq!((told.out, told.err), (format!("removed {}\n", ids[1]), String::new()));
    assert_eq!(listed(&home), [ids[0].clone()]);
    home.ran(&["sessions", "show", &ids[1]]).ends(2).says("there is no session");
    for file in fs::read_dir(home.store().parent().unwrap()).unwrap() {
        let path = file.unwrap().path();
        let bytes = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn s8_6_if_one_of_several_is_wrong_none_is_removed() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["one", "two"]);
    let rm = |args: &[&str]| home.ran(&[&["sessions", "rm", "--yes"], args].concat());
    rm(&[&ids[0], "nosuch"]).ends(2).says("there is no session nosuch").says("hint: ");
    let apart = ids[0].bytes().zip(ids[1].bytes()).take_while(|(a, b)| a == b).count();
    rm(&[&ids[0], &ids[1][..apart]]).ends(2).says(" names 2 sessions:");
    rm(&[""]).ends(2);
    assert_eq!(listed(&home).len(), 2);
    // A prefix will do, and one named twice counts once.
    let told = rm(&[&ids[0], &ids[0][..=apart], &ids[1]]).ends(0);
    assert_eq!(told.out, format!("removed {}\nremoved {}\n", ids[0], ids[1]));
    assert_eq!(listed(&home).len(), 0);
}

#[test]
fn s8_6_a_session_takes_those_of_its_subagents_along() {
    let home = Home::new();
    home.file(".config/legwork/agents/boss.md", &agent("boss", "", "Lead."));
    home.file(".config/legwork/agents/counter.md", &agent("counter", "", "Count."));
    let server = delegating();
    let ran = home.ran_with(&server, &["run", "--json", "--agent", "boss", "Go"]).ends(0);
    let (boss, all) = (ran.session(), listed(&home));
    let child = all.iter().find(|id| **id != boss).unwrap();
    let alone = home.ran(&["sessions", "rm", "--yes", child]).ends(2);
    alone.says("belongs to").says(&format!("legwork sessions rm {boss}"));
    assert_eq!(listed(&home).len(), 2);
    let told = home.ran(&["sessions", "rm", "--yes", &boss]).ends(0);
    assert_eq!(told.out, format!("removed {boss} with 1 session of subagents\n"));
    assert_eq!(listed(&home).len(), 0);
}

#[test]
fn nobody_there_to_ask_is_a_refusal() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["one"]);
    let told = fed(home.legwork(&["sessions", "rm", &ids[0]]), b"y\n").ends(2);
    told.says("1 session would be removed for good").says("hint: say --yes");
    home.ran(&["sessions", "rm"]).ends(2).says("<ID>");
    home.ran(&["sessions", "rm", "--yes", "x", "--older-than", "1d"]).ends(2);
    home.ran(&["sessions", "rm", "--yes", "--status", "failed"]).ends(2);
    assert_eq!(listed(&home), ids);
}

/// Runs the command at a terminal of its own, and types this.
fn typed(home: &Home, id: &str, input: &str) -> Option<crate::home::Ran> {
    let plain = home.legwork(&["sessions", "rm", id]);
    let line = format!("{} sessions rm {id}", plain.get_program().to_str().unwrap());
    if Command::new("script").arg("--version").output().is_err() {
        println!("skipped: there is no `script` to make a terminal with");
        return None;
    }
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(home.work()).env_clear();
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap());
    }
    Some(fed(command, input.as_bytes()))
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["Paint the \x1b[31mshed"]);
    let Some(told) = typed(&home, &ids[0], "n\n") else { return };
    let question = format!("remove session {}, 1 step, \"Paint the \\u{{1b}}[31mshed\"?", ids[0]);
    assert!(told.out.contains(&question), "{}", told.out);
    assert!(told.out.contains("nothing was removed"), "{}", told.out);
    assert_eq!(told.ends(1).code.map(|_| listed(&home)), Some(ids.clone()));
    let told = typed(&home, &ids[0], "y\n").unwrap().ends(0);
    assert!(told.out.contains(&format!("removed {}", ids[0])), "{}", told.out);
    assert_eq!(listed(&home).len(), 0);
}

#[test]
fn s8_6_a_session_that_a_process_works_in_stays() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    server.hold(0);
    let mut run = started(home.with(&server, &["run", "--json", "Work"]));
    let begun = run.until("execution_started");
    let id = begun["session"].as_str().unwrap();
    server.arrived_blocking(0);
    let told = home.ran(&["sessions", "rm", "--yes", id]).ends(1);
    told.says("works in it").says("hint: wait until the other command has ended");
    server.release(0);
    run.end().ends(0);
    home.ran(&["sessions", "rm", "--yes", id]).ends(0);
}

#[test]
fn old_ones_go_by_age_and_status() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["old", "new"]);
    let rm = |args: &[&str]| home.ran(&[&["sessions", "rm", "--yes"], args].concat());
    let told = rm(&["--older-than", "1d"]).ends(0);
    assert_eq!(told.out, "no session is that old: nothing was removed\n");
    // Two days pass for the first of them.
    home.sql("UPDATE journal SET at = at - 172800000 WHERE id < 2 << 32");
    home.sql("UPDATE session SET updated = updated - 172800000 WHERE id < 2");
    rm(&["--older-than", "1d", "--status", "failed"]).ends(0);
    assert_eq!(listed(&home).len(), 2);
    let told = rm(&["--older-than", "1d", "--status", "completed"]).ends(0);
    assert_eq!(told.out, format!("removed {}\n", ids[0]));
    assert_eq!(listed(&home), [ids[1].clone()]);
    rm(&["--older-than", "soon"]).ends(2).says("is not a duration: write 30d");
}

#[test]
fn a_damaged_session_can_be_removed() {
    let server = Server::start([Turn::text("hi")]).unwrap();
    let (home, ids) = home_with(&server, &["good", "bad"]);
    home.sql("UPDATE journal SET entries = x'00ff' WHERE id >= 2 << 32");
    home.ran(&["sessions", "rm", "--yes", &ids[1]]).ends(0);
    assert_eq!(listed(&home), [ids[0].clone()]);
}

#[test]
fn without_a_store_there_is_nothing_to_remove() {
    let home = Home::new();
    home.ran(&["sessions", "rm", "--yes", "x"]).ends(2).says("there is no session x");
    ran(home.legwork(&["sessions", "rm", "--yes", "--older-than", "1d"])).ends(0);
    assert!(!home.store().exists());
}

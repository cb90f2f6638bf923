//! `legwork submit` and `legwork work`: tasks that wait in a store, and those who take them up.

use legwork_testkit::{Server, Turn};
use rustix::process::Signal;
use serde_json::json;

use crate::home::{Home, Ran, started, text};

fn submitted(home: &Home, server: &Server, args: &[&str]) -> String {
    let args = [&["submit", "--json"], args].concat();
    text(&home.ran_with(server, &args).ends(0).events()[0], "session")
}

#[test]
fn s10_6_a_task_that_was_submitted_is_done_by_a_worker() {
    for store in ["sqlite", "jsonl"] {
        let (home, server) = (Home::new(), Server::start([Turn::text("sorted")]).unwrap());
        let address = format!("{store}:{}", home.work().join("jobs").display());
        let ran = |args: &[&str]| home.ran_with(&server, &[args, &["--store", &address]].concat());
        let said = ran(&["submit", "Sort the mail"]).ends(0).out;
        let id = said.lines().next().unwrap();
        assert!(said.contains("to work on it: legwork work --store"), "{said}");
        let listed = ran(&["sessions", "list"]).ends(0).out;
        assert!(listed.contains("Sort the mail"), "{listed}");
        assert_eq!(server.requests().len(), 0, "nothing runs before a worker does");

        let worked = ran(&["work", "--until-idle", "--json"]).ends(0).events();
        let kinds: Vec<_> = worked.iter().map(|line| text(line, "type")).collect();
        assert_eq!(kinds, ["began", "rested"]);
        assert_eq!(
            (text(&worked[1], "session"), text(&worked[1], "rest")),
            (id.to_owned(), "completed".to_owned())
        );
        let shown = ran(&["sessions", "show", id]).ends(0).out;
        assert!(shown.contains("sorted"), "{shown}");
        assert_eq!(ran(&["work", "--until-idle"]).ends(0).out, "0 sessions worked on\n");
    }
}

#[test]
fn s10_6_one_id_is_begun_once_and_takes_each_task() {
    let server =
        Server::start([Turn::text("one"), Turn::text("two"), Turn::text("three")]).unwrap();
    let home = Home::new();
    for _ in 0..2 {
        assert_eq!(submitted(&home, &server, &["--id", "nightly", "Go"]), "nightly");
    }
    home.ran_with(&server, &["work", "--until-idle"]).ends(0);
    assert_eq!(submitted(&home, &server, &["--session", "nightly", "Once more"]), "nightly");
    home.ran_with(&server, &["work", "--until-idle"]).ends(0);
    let shown = home.ran(&["sessions", "show", "nightly"]).ends(0).out;
    for text in ["one", "two", "Once more", "three"] {
        assert!(shown.contains(text), "{shown}");
    }
}

#[test]
fn s10_6_a_session_that_waits_for_a_person_goes_on_when_it_is_answered() {
    let home = Home::new();
    let call = Turn::call("bash", json!({"command": "echo done > out.txt"}));
    let server = Server::start([call, Turn::text("written")]).unwrap();
    let id = submitted(&home, &server, &["--approve", "all", "Write"]);
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert!(worked.contains("waits for an answer to 1 call"), "{worked}");
    assert!(!home.work().join("out.txt").exists());
    home.ran(&["approve", &id]).ends(0);
    let worked = home.ran_with(&server, &["work", "--until-idle"]).ends(0).out;
    assert!(worked.contains("completed") && worked.ends_with("1 session worked on\n"), "{worked}");
}

#[test]
fn s8_2_sessions_are_copied_between_stores_with_what_waits_in_them() {
    let (home, server) =
        (Home::new(), Server::start([Turn::text("one"), Turn::text("two")]).unwrap());
    let place = |name: &str| format!("{name}:{}", home.work().join(name).display());
    let (old, new, third) = (place("sqlite"), place("jsonl"), format!("{}2", place("sqlite")));
    let first = home.ran_with(&server, &["run", "--json", "First", "--store", &old]);
    let first = first.ends(0).session();
    let waits = submitted(&home, &server, &["Second", "--store", &old]);
    let lines = |store: &str, id: &str| {
        home.ran(&["sessions", "show", id, "--json", "--store", store]).ends(0).out
    };
    let copied = home.ran(&["sessions", "copy", &old, &new]).ends(0).out;
    assert!(copied.ends_with("2 sessions copied\n"), "{copied}");
    for id in [&first, &waits] {
        assert_eq!(lines(&new, id), lines(&old, id));
    }
    // The same again changes nothing, and what was left for a session is there.
    home.ran(&["sessions", "copy", &old, &new, &first]).ends(0);
    home.ran(&["sessions", "copy", &new, &third]).ends(0);
    let worked = home.ran_with(&server, &["work", "--until-idle", "--store", &third]).ends(0).out;
    assert!(worked.ends_with("1 session worked on\n"), "{worked}");
    assert!(lines(&third, &waits).contains("execution_finished"));
    // What went on elsewhere is not overwritten.
    let refused = home.ran(&["sessions", "copy", &old, &third, &waits]).ends(1).err;
    assert!(refused.contains("not replaced"), "{refused}");
    let itself = home.ran(&["sessions", "copy", &old, &old]).ends(2).err;
    assert!(itself.contains("cannot be copied to itself"), "{itself}");
}

#[test]
fn a_session_that_cannot_be_copied_is_left_out_and_the_others_are_copied() {
    let turns = [Turn::text("one"), Turn::text("two"), Turn::text("three")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let run = |task: &str| home.ran_with(&server, &["run", "--json", task]).ends(0).session();
    let (first, unreadable) = (run("First"), run("Second"));
    // The last row of its journal, as a newer version writes it.
    home.sql(
        "UPDATE journal SET entries = CAST(replace(CAST(entries AS TEXT), '\"v\":2', '\"v\":99') \
         AS BLOB) WHERE id = (SELECT max(id) FROM journal)",
    );
    server.hold(0);
    let mut runs = started(home.with(&server, &["run", "--json", "Third"]));
    let busy = text(&runs.until("step_started"), "session");
    let (from, to) = (format!("sqlite:{}", home.store().display()), "jsonl:copies");
    let copied = home.ran(&["sessions", "copy", &from, to]).ends(1);
    assert!(copied.out.contains(&first) && copied.out.ends_with("1 session copied, 2 left out\n"));
    for (session, why) in [(&busy, "it is in use"), (&unreadable, "cannot read its entry")] {
        let said = format!("session {session} was not copied: ");
        assert!(copied.err.contains(&said) && copied.err.contains(why), "{}", copied.err);
    }
    assert!(!copied.err.contains("nothing was done"), "{}", copied.err);
    server.release(0);
    runs.end().ends(0);
    let copied = home.ran(&["sessions", "copy", &from, to]).ends(1).out;
    assert!(copied.ends_with("2 sessions copied, 1 left out\n"), "{copied}");
}

#[test]
fn a_store_that_is_gone_when_the_command_ends_is_given_nothing_to_keep() {
    let (home, server) = (Home::new(), Server::start([Turn::text("one")]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
    home.ran(&["sessions", "export", &id, "-o", "one.jsonl"]).ends(0);
    let from = format!("sqlite:{}", home.store().display());
    for args in [
        &["submit", "Task", "--store", "memory:"][..],
        &["sessions", "import", "one.jsonl", "--store", "memory:"],
        &["sessions", "copy", &from, "memory:"],
        &["work", "--until-idle", "--store", "memory:"],
        &["resume", "--all", "--watch", "--store", "memory:"],
    ] {
        let refused = home.ran_with(&server, args).ends(2).err;
        assert!(refused.contains("gone when this command ends"), "{args:?}: {refused}");
        assert!(refused.contains("sqlite:PATH"), "{args:?}: {refused}");
    }
}

/// A run that was killed while the model was asked, and its session.
fn killed(home: &Home, server: &Server) -> String {
    let before = server.requests().len();
    server.hold(0);
    let mut run = started(home.with(server, &["run", "--json", "--sandbox", "off", "Work"]));
    let session = text(&run.until("step_started"), "session");
    server.received_blocking(before + 1);
    run.kill();
    server.release(0);
    session
}

#[test]
fn s10_6_all_that_was_interrupted_is_resumed_and_what_each_came_to_is_said() {
    let (home, server) = (Home::new(), Server::start([Turn::text("done")]).unwrap());
    let all = ["resume", "--all", "--sandbox", "off"];
    let nothing = "nothing is due: no session was interrupted, and none has anything to do\n";
    assert_eq!(home.ran_with(&server, &all).ends(0).out, nothing);
    assert!(!home.store().exists(), "no store was made for it");
    let (first, second) = (killed(&home, &server), killed(&home, &server));
    let resumed = home.ran_with(&server, &all).ends(0).out;
    for id in [&first, &second] {
        assert!(resumed.contains(&format!("{id}  completed\n")), "{resumed}");
    }
    assert!(resumed.ends_with("2 sessions resumed\n"), "{resumed}");
    assert_eq!(home.ran_with(&server, &all).ends(0).out, nothing);
    let told = home.ran_with(&server, &[&all[..], &["--json"]].concat()).ends(0);
    assert_eq!(told.out, "", "as JSON, nothing is no line");
    home.ran(&["resume"]).ends(2).says("<SESSION|--all>");
    home.ran(&["resume", &first, "--watch"]).ends(2).says("cannot be used with");
}

#[test]
fn s10_6_a_session_that_fails_is_said_and_is_the_exit_code() {
    let turns = [Turn::text("done"), Turn::status(400)];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
    home.ran(&["follow-up", &id, "Second"]).ends(0);
    let resumed = home.ran_with(&server, &["resume", "--all"]).ends(1).out;
    assert!(resumed.contains(&format!("{id}  failed\n")), "{resumed}");
}

#[test]
fn s10_6_watching_goes_on_until_a_signal_and_leaves_no_step_undone() {
    let (home, server) = (Home::new(), Server::start([Turn::text("done")]).unwrap());
    let first = killed(&home, &server);
    let args = ["resume", "--all", "--watch", "--json", "--sandbox", "off"];
    let mut watching = started(home.with(&server, &args));
    assert_eq!(text(&watching.until("rested"), "session"), first);
    server.hold(0);
    let second = submitted(&home, &server, &["Another"]);
    assert_eq!(text(&watching.until("began"), "session"), second);
    server.received_blocking(3);
    watching.signal(Signal::INT);
    let stopping = watching.until("stopping");
    assert_eq!(stopping["sessions"], json!(1));
    server.release(0);
    let ended = watching.end().ends(0);
    assert_eq!(text(&ended.last(), "rest"), "completed");
}

/// A session that was submitted, and how a command ended that was interrupted while the model was
/// asked for its first step.
fn interrupted(args: &[&str]) -> (Home, Server, Ran) {
    let list = Turn::call("list", json!({"path": "."}));
    let (home, server) = (Home::new(), Server::start([list, Turn::text("done")]).unwrap());
    submitted(&home, &server, &["--sandbox", "off", "Some task"]);
    server.hold(0);
    let args = [args, &["--json", "--sandbox", "off"]].concat();
    let mut working = started(home.with(&server, &args));
    server.received_blocking(1);
    working.signal(Signal::INT);
    working.until("stopping");
    server.release(0);
    let ended = working.end();
    (home, server, ended)
}

#[test]
fn s10_6_a_worker_that_was_to_run_until_idle_says_that_it_was_interrupted() {
    for args in [&["work", "--until-idle"][..], &["resume", "--all"]] {
        let (home, server, ended) = interrupted(args);
        let ended = ended.ends(130).says("interrupted: 1 session left between two steps");
        assert_eq!(text(&ended.last(), "rest"), "interrupted");
        let goes_on = home.ran_with(&server, &[args, &["--sandbox", "off"]].concat()).ends(0);
        assert!(goes_on.out.contains("completed\n1 session "), "{}", goes_on.out);
    }
    for args in [&["work"][..], &["resume", "--all", "--watch"]] {
        interrupted(args).2.ends(0);
    }
}

#[test]
fn s13_9_a_worker_runs_no_session_in_another_directory_than_its_own() {
    let list = Turn::call("list", json!({"path": "."}));
    let turns = [list, Turn::text("done"), Turn::text("more")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    for name in ["one", "two"] {
        std::fs::create_dir(home.work().join(name)).unwrap();
    }
    let one = home.work().join("one").canonicalize().unwrap();
    let args = ["submit", "--dir", "one", "--sandbox", "off", "Some task"];
    let said = home.ran_with(&server, &args).ends(0).out;
    let line = format!("to work on it: legwork work --dir {}\n", one.display());
    assert!(said.contains(&line), "{said}");
    let id = said.lines().next().unwrap();
    let elsewhere = [&["--dir", "two"][..], &[]];
    for dir in elsewhere {
        for command in [&["work", "--until-idle", "--sandbox", "off"][..], &["resume", "--all"]] {
            let left = home.ran_with(&server, &[command, dir].concat()).ends(1).out;
            assert!(left.contains(&format!("{id}  not run")), "{left}");
            assert!(left.contains(&format!("--dir {}", one.display())), "{left}");
        }
    }
    assert_eq!(server.requests().len(), 0);
    let again = home.ran_with(&server, &["submit", "--session", id, "More"]).ends(0).out;
    assert!(again.contains(&line), "{again}");
    let args = ["work", "--until-idle", "--dir", "one", "--sandbox", "off"];
    let ran = home.ran_with(&server, &args).ends(0).out;
    assert!(ran.contains("1 session worked on"), "{ran}");
}

#[test]
fn s10_6_a_session_that_cannot_be_run_is_the_exit_code_of_both_commands() {
    let (home, server) = (Home::new(), Server::start([Turn::text("done")]).unwrap());
    let elsewhere = home.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    home.ran_with(&server, &["submit", "--dir", "elsewhere", "Some task"]).ends(0);
    for args in [&["work", "--until-idle"][..], &["resume", "--all"]] {
        let ended = home.ran_with(&server, args).ends(1).out;
        assert!(ended.contains("not run"), "{ended}");
        assert!(ended.contains("0 sessions"), "{ended}");
    }
}

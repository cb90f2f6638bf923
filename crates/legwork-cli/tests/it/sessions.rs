//! `legwork sessions`: lists and transcripts.

use std::fs;

use legwork::core::Role;
use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::{Value, json};

use crate::agents::agent;
use crate::home::{Home, text};

#[test]
fn without_sessions_the_list_says_how_to_begin_one() {
    let home = Home::new();
    let list = home.ran(&["sessions", "list"]).ends(0);
    assert!(list.out.contains("no sessions yet") && list.out.contains("legwork run"));
    assert_eq!(home.ran(&["sessions", "list", "--json"]).ends(0).out, "");
    assert!(!home.store().exists());
}

#[test]
fn the_list_has_the_session_changed_last_first() {
    let home = Home::new();
    let server = Server::start([Turn::text("hi")]).unwrap();
    for task in ["first task\nwith more", "second\ttask", "third \x1b[31mtask"] {
        home.ran_with(&server, &["run", task]).ends(0);
    }
    let list = home.ran(&["sessions", "list"]).ends(0);
    let tasks = ["third \\u{1b}[31mtask", "second task", "first task"];
    assert_eq!(list.out.lines().count(), 3);
    for (line, task) in list.out.lines().zip(tasks) {
        assert!(line.contains("  completed  1 step  ") && line.ends_with(task), "{line}");
    }
    let rows = home.ran(&["sessions", "list", "--json", "--limit", "2"]).ends(0).events();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["task"], "second task");
    assert_eq!((&rows[1]["status"], &rows[1]["steps"]), (&json!("completed"), &json!(1)));
    assert!(rows[1]["updated_at"].as_u64() >= rows[1]["created_at"].as_u64());
    let list = home.ran(&["sessions", "list", "--limit", "2"]).ends(0);
    assert!(list.out.ends_with("... 1 more; see them with --limit 3\n"), "{}", list.out);
}

#[test]
fn the_list_can_be_filtered() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hi")]).unwrap());
    let failing = Server::start([Turn::status(401)]).unwrap();
    let fine = home.ran_with(&server, &["run", "--json", "fine"]).ends(0).session();
    home.ran_with(&failing, &["run", "--json", "bad"]).ends(1);
    let listed = |args: &[&str]| {
        let args = [&["sessions", "list", "--json"], args].concat();
        let rows = home.ran(&args).ends(0).events();
        rows.iter().map(|row| text(row, "task")).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["--status", "failed"]), ["bad"]);
    assert_eq!(listed(&["--status", "completed"]), ["fine"]);
    assert!(listed(&["--status", "stopped"]).is_empty());
    assert_eq!(listed(&["--title", "BA"]), ["bad"]);
    assert_eq!(listed(&["--since", "1d", "--roots"]), ["bad", "fine"]);
    assert!(listed(&["--label", "good"]).is_empty());
    home.sql(&format!(r#"UPDATE session SET labels = '["good"]' WHERE name = '{fine}'"#));
    assert_eq!(listed(&["--label", "good"]), ["fine"]);
    home.sql(&format!("UPDATE session SET updated = 1, parent = 'above' WHERE name = '{fine}'"));
    assert_eq!(
        (listed(&["--since", "1d"]), listed(&["--roots"])),
        (vec!["bad".to_owned()], vec!["bad".to_owned()])
    );
    let none = home.ran(&["sessions", "list", "--status", "stopped"]).ends(0);
    assert_eq!(none.out, "none of 2 sessions is one of these\n");
}

#[test]
fn a_transcript_ends_with_what_the_whole_session_used() {
    let home = Home::new();
    let server = Server::start([Turn::text("one"), Turn::text("two")]).unwrap();
    let id = home.ran_with(&server, &["run", "--json", "First"]).ends(0).session();
    let second = home.ran_with(&server, &["run", "--session", &id, "Second"]).ends(0).err;
    for line in ["1 step ", "the whole session: 2 steps "] {
        assert!(second.lines().any(|said| said.starts_with(line)), "{second}");
    }
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("2 steps") && shown.contains("20 tokens in, 10 out"), "{shown}");
}

#[test]
fn a_transcript_shows_an_error_once() {
    let (home, server) = (Home::new(), Server::start([Turn::status(401)]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "Work"]).ends(1).session();
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert_eq!(shown.matches("scripted status 401").count(), 1, "{shown}");
    assert!(shown.contains("\nerror: asking test:scripted at "), "{shown}");
}

#[test]
fn a_transcript_tells_what_happened() {
    let home = Home::new();
    fs::write(home.work().join("a"), "one\ntwo\n").unwrap();
    let calls = [("read", json!({"path": "a"})), ("read", json!({"path": "b"}))];
    let turns = [
        Turn::calls(calls).with_text("I read both."),
        Turn::call("bash", json!({"command": "seq 12; exit 3"})),
        Turn::text("One is \x1b[1mmissing\x1b[0m."),
    ];
    let server = Server::start(turns).unwrap();
    let ran =
        home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Read a and b"]).ends(0);
    let shown = home.ran(&["sessions", "show", &ran.session()]).ends(0);
    assert_eq!(shown.err, "");
    let (head, body) = shown.out.split_once("\n\n").unwrap();
    assert!(head.starts_with(&format!("session {}\nmodel   test:scripted\n", ran.session())));
    assert!(head.contains(home.work().canonicalize().unwrap().to_str().unwrap()), "{head}");
    let (body, foot) = body.rsplit_once("\n\n").unwrap();
    let untimed: Vec<_> = body.lines().map(untimed).collect();
    let untimed = untimed.join("\n");
    assert_eq!(untimed, TRANSCRIPT.trim_end(), "{body}");
    assert!(foot.starts_with("completed · 3 steps · 3 tool calls · 30 tokens in, 15 out · "));
}

/// The line without how long its call took.
fn untimed(line: &str) -> String {
    let cut = || {
        let (call, rest) = line.split_once(" (")?;
        let (_, result) = rest.split_once(") →")?;
        Some(format!("{call} →{result}"))
    };
    let used = || Some(format!("{} out)", line.strip_prefix('(')?.split_once(" out · ")?.0));
    cut().or_else(used).unwrap_or_else(|| line.to_owned())
}

const TRANSCRIPT: &str = "\
> Read a and b

step 1
I read both.
✓ read a
         1	one
         2	two
✗ read b → there is no file b; the root of the workspace holds a
10 tokens in, 5 out)

step 2
✗ bash seq 12; exit 3 → exit code 3
    ... 4 more lines
    5
    6
    7
    8
    9
    10
    11
    12
10 tokens in, 5 out)

step 3
One is \\u{1b}[1mmissing\\u{1b}[0m.
10 tokens in, 5 out)
";

#[test]
fn entries_come_one_a_line() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hi")]).unwrap());
    let id = home.ran_with(&server, &["run", "--json", "x"]).ends(0).session();
    let entries = home.ran(&["sessions", "show", "--json", &id]).ends(0).events();
    let numbers: Vec<_> = entries.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=entries.len() as u64).collect::<Vec<_>>());
    let kinds: Vec<_> = entries.iter().map(|entry: &Value| text(entry, "type")).collect();
    assert_eq!(kinds[0], "session_started");
    assert_eq!(kinds.last().unwrap(), "execution_finished");
}

#[test]
fn the_beginning_of_an_id_is_enough_where_it_is_the_only_one() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hi")]).unwrap());
    let ids: Vec<_> =
        (0..2).map(|_| home.ran_with(&server, &["run", "--json", "x"]).ends(0).session()).collect();
    let apart = ids[0].bytes().zip(ids[1].bytes()).take_while(|(a, b)| a == b).count();
    let shown = home.ran(&["sessions", "show", &ids[0][..=apart]]).ends(0);
    assert!(shown.out.contains(&ids[0]), "{}", shown.out);
    let told = home.ran(&["sessions", "show", &ids[0][..apart]]).ends(2);
    let told =
        told.says(" names 2 sessions:\n  ").says("  just now  x\n").says("give more of the id");
    for id in &ids {
        let end = &id[id.len() - 8..];
        let shown = home.ran(&["sessions", "show", end]).ends(0);
        assert!(shown.out.contains(id), "{}", shown.out);
        assert!(told.err.contains(&format!("  {end}  just now  x\n")), "{}", told.err);
    }
    home.ran(&["sessions", "show", "nosuch"]).ends(2).says("there is no session nosuch");
    home.ran(&["sessions", "show", ""]).ends(2);
}

#[test]
fn a_session_with_subagents_is_named_by_its_beginning_and_they_are_marked() {
    let home = Home::new();
    home.file(
        ".config/legwork/agents/boss.md",
        &agent("boss", "tools: [spawn_subagent, list]\n", "Lead."),
    );
    home.file(".config/legwork/agents/counter.md", &agent("counter", "tools: [list]\n", "Count."));
    let server = Server::start(Script::from_fn(|asked| {
        match (asked.turn(), asked.instructions.starts_with("Lead.")) {
            (0, true) => Turn::call("spawn_subagent", json!({"agent": "counter", "prompt": "Add"})),
            _ => Turn::text("42"),
        }
    }))
    .unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "--agent", "boss", "Go"]).ends(0);
    let id = ran.session();
    let child = ran.events().into_iter().find_map(|e| e["child"].as_str().map(str::to_owned));
    let child = child.unwrap();
    assert!(child.starts_with(&id), "{child}");
    let head = |asked: &str| {
        let shown = home.ran(&["sessions", "show", asked]).ends(0).out;
        shown.lines().next().unwrap().to_owned()
    };
    assert_eq!(head(&id[..13]), format!("session {id}"));
    assert_eq!(head(&id[id.len() - 8..]), format!("session {id}"));
    assert_eq!(head(&child[id.len() - 8..]), format!("session {child}"));
    let list = home.ran(&["sessions", "list"]).ends(0).out;
    let of = |id: &str| list.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap();
    assert!(of(&child).ends_with("  subagent counter: Add"), "{list}");
    assert!(of(&id).ends_with("  Go"), "{list}");
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let row = rows.iter().find(|row| row["session"] == *child).unwrap();
    assert_eq!((&row["parent"], &row["agent"]), (&json!(id), &json!("counter")));
    let own = rows.iter().find(|row| row["session"] == *id).unwrap();
    assert_eq!(own.get("parent"), None);
    // What it used is told as used, too.
    let ran = home.ran_with(&server, &["run", "-v", "--agent", "boss", "Go"]).ends(0);
    let last = ran.err.lines().rfind(|line| line.starts_with("step ") && line.contains("so far"));
    let told = ran.err.lines().rfind(|line| line.contains("tokens in, "));
    assert!(
        last.unwrap().contains("used so far: 2 steps of 100, 1 tool call, 45 tokens"),
        "{last:?} {told:?}"
    );
}

#[test]
fn s8_4_a_damaged_session_does_not_hide_the_others() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hi")]).unwrap());
    for task in ["good", "bad"] {
        home.ran_with(&server, &["run", task]).ends(0);
    }
    home.sql("UPDATE journal SET entries = x'00ff' WHERE id >= 2 << 32");
    let list = home.ran(&["sessions", "list"]).ends(0);
    // No journal is read for a list: it says of both what it said before.
    assert_eq!(list.out.matches("  completed  1 step  ").count(), 2, "{}", list.out);
    assert!(list.out.contains("good\n") && list.out.contains("bad\n"), "{}", list.out);
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let bad = rows.iter().find(|row| row["task"] == "bad").unwrap();
    home.ran(&["sessions", "show", &text(bad, "session")]).ends(0).says("damaged");
}

#[test]
fn s15_7_the_list_tells_where_sessions_were_begun_and_how_they_stand() {
    let home = Home::new();
    let write = Turn::call("write", json!({"path": "a", "content": "b"}));
    let server = Server::start([write, Turn::text("hi")]).unwrap();
    fs::create_dir(home.work().join("below")).unwrap();
    home.ran_with(&server, &["run", "--approve", "writes", "ask"]).ends(4);
    home.ran_with(&server, &["run", "--dir", "below", "done"]).ends(0);
    let list = home.ran(&["sessions", "list"]).ends(0).out;
    let line = |task: &str| list.lines().find(|line| line.ends_with(task)).unwrap();
    assert!(line("  ask").contains("  waiting    1 step   ~/work        ask"), "{list}");
    assert!(line("  done").contains("  completed  2 steps  ~/work/below  done"), "{list}");
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let dir = home.work().canonicalize().unwrap();
    let (dir, below) = (dir.to_str().unwrap(), dir.join("below"));
    assert_eq!((&rows[1]["dir"], &rows[1]["status"]), (&json!(dir), &json!("awaiting_approval")));
    assert_eq!(rows[0]["dir"], below.to_str().unwrap());
}

#[test]
fn s15_7_the_last_session_of_a_directory_goes_on() {
    let home = Home::new();
    fs::create_dir(home.work().join("below")).unwrap();
    let users = |asked: &Asked| {
        let users = asked.messages.iter().filter(|said| said.role == Role::User);
        users.map(|said| said.text.clone()).collect::<Vec<_>>().join("+")
    };
    let server = Server::start(Script::from_fn(move |asked| Turn::text(users(asked)))).unwrap();
    home.ran_with(&server, &["-c", "more"]).ends(2).says("no session was begun in ~/work");
    for (dir, task) in [(".", "a"), (".", "b"), ("below", "c")] {
        home.ran_with(&server, &["run", "--dir", dir, task]).ends(0);
    }
    assert_eq!(home.ran_with(&server, &["-c", "more"]).ends(0).out, "b+more\n");
    assert_eq!(home.ran_with(&server, &["run", "--continue", "on"]).ends(0).out, "b+more+on\n");
    let below = ["-c", "more", "--dir", "below", "-q"];
    assert_eq!(home.ran_with(&server, &below).ends(0).out, "c+more\n");
    let ran = home.ran_with(&server, &["-c", "x"]).ends(0);
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let id = text(&rows[0], "session");
    ran.says(&format!("session {}\n", &id[id.len() - 8..]));
    home.ran_with(&server, &["run", "-c", "--session", &id, "x"]).ends(2);
}

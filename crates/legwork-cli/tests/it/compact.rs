//! `legwork compact`, and `legwork sessions branch --summary`.

use legwork_testkit::{Script, Server, Turn};
use rustix::process::Signal;
use serde_json::json;

use crate::home::{Home, fed, started, text};

fn server() -> Server {
    let script = Script::from_fn(|asked| match asked.last() {
        last if last.starts_with("The conversation is about to be shortened") => {
            Turn::text("## Task\nRead the long letter.")
        }
        last if last.starts_with("This attempt is left") => Turn::text("It rained."),
        last => Turn::text(format!("read {} bytes", last.len())),
    });
    Server::start(script).unwrap()
}

/// A session with a long letter, and then a short one.
fn begun(home: &Home, server: &Server) -> String {
    let long = "a word ".repeat(15_000);
    let run = fed(home.with(server, &["run", "--json", "-"]), long.as_bytes()).ends(0);
    let id = run.session();
    home.ran_with(server, &["run", "--session", &id, "A short letter"]).ends(0);
    id
}

#[test]
fn s9_5_a_person_compacts_a_session_and_it_is_read_shorter_from_then_on() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    let done = home.ran_with(&server, &["compact", &id, "--focus", "its date"]).ends(0);
    assert!(done.err.contains("a summary is read in place of 2 messages"), "{}", done.err);
    assert!(server.requests().last().unwrap().asked.last().contains("its date"));
    home.ran_with(&server, &["run", "--session", &id, "Which letters were there?"]).ends(0);
    let asked = server.requests().pop().unwrap().asked;
    assert!(asked.messages[0].text.contains("Read the long letter."), "{:?}", asked.messages[0]);
    assert_eq!(asked.messages.len(), 4, "the summary, a short letter, its answer, the question");

    let again = home.ran_with(&server, &["compact", &id]).ends(1);
    assert!(again.err.contains("there is nothing to compact"), "{}", again.err);
    let entries = home.ran(&["sessions", "show", &id, "--json"]).ends(0).events();
    let kinds: Vec<_> = entries.iter().map(|entry| text(entry, "type")).collect();
    let expected = ["auxiliary_started", "auxiliary_finished", "compacted"].map(str::to_owned);
    assert!(kinds.windows(3).any(|three| three == expected), "{kinds:?}");
    home.ran(&["sessions", "check", &id]).ends(0);
}

#[test]
fn s8_1_a_branch_with_a_summary_begins_with_it() {
    let (home, server) = (Home::new(), server());
    let run = home.ran_with(&server, &["run", "--json", "First"]).ends(0);
    let id = run.session();
    let head = home.ran(&["sessions", "tree", &id, "--json"]).ends(0).events();
    let end = head.iter().find(|line| line["head"] == json!(true)).unwrap()["entry"].to_string();
    home.ran_with(&server, &["run", "--session", &id, "Second"]).ends(0);
    let moved = home.ran_with(&server, &["sessions", "branch", &id, &end, "--summary"]).ends(0);
    assert!(moved.out.contains("stands at entry"), "{}", moved.out);
    home.ran_with(&server, &["run", "--session", &id, "Third"]).ends(0);
    let asked = server.requests().pop().unwrap().asked;
    let texts: Vec<_> = asked.messages.iter().map(|said| said.text.as_str()).collect();
    assert_eq!((texts[0], texts[3], texts.len()), ("First", "Third", 4), "{texts:?}");
    assert!(texts[2].contains("It rained."), "{texts:?}");
}

/// The lines of the tree, of which one is at the head, and which sum up to what was used.
fn whole_tree(home: &Home, id: &str) -> Vec<serde_json::Value> {
    let lines = home.ran(&["sessions", "tree", id, "--json"]).ends(0).events();
    let heads = lines.iter().filter(|line| line["head"] == json!(true)).count();
    assert_eq!(heads, 1, "{lines:?}");
    let sum: u64 = lines.iter().map(|line| line["tokens"].as_u64().unwrap()).sum();
    let shown = home.ran(&["sessions", "show", id]).ends(0).out;
    let end = shown.lines().rfind(|line| line.contains("tokens in")).unwrap();
    let numbers =
        |part: &str| part.split(' ').filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
    let used: u64 = end.split(" · ").filter(|part| part.contains("tokens")).map(numbers).sum();
    assert_eq!(sum, used, "{end}");
    lines
}

#[test]
fn s8_1_the_tree_has_lines_and_costs_of_summaries() {
    let (home, server) = (Home::new(), server());
    let id = begun(&home, &server);
    home.ran_with(&server, &["compact", &id]).ends(0);
    let lines = whole_tree(&home, &id);
    let last = lines.last().unwrap();
    assert_eq!((text(last, "kind"), &last["head"]), ("compaction".into(), &json!(true)));
    assert!(text(last, "what").contains("Read the long letter."), "{last}");
    assert!(last["tokens"].as_u64().unwrap() > 0, "{last}");

    let end = lines.iter().find(|line| text(line, "kind") == "end").unwrap()["entry"].to_string();
    home.ran_with(&server, &["sessions", "branch", &id, &end, "--summary"]).ends(0);
    let lines = whole_tree(&home, &id);
    let summary = lines.iter().find(|line| text(line, "kind") == "summary").unwrap();
    assert_eq!((&summary["depth"], &summary["head"]), (&json!(1), &json!(true)));
    assert!(text(summary, "what").contains("It rained."), "{summary}");
    assert!(summary["tokens"].as_u64().unwrap() > 0, "{summary}");
}

#[test]
fn a_summary_that_was_interrupted_is_not_written_and_leaves_nothing_to_resume() {
    for branches in [false, true] {
        let (home, server) = (Home::new(), server());
        let id = begun(&home, &server);
        let lines = home.ran(&["sessions", "tree", &id, "--json"]).ends(0).events();
        let end = lines.iter().find(|line| text(line, "kind") == "end").unwrap();
        let end = end["entry"].to_string();
        let args = match branches {
            true => vec!["sessions", "branch", &id, &end, "--summary"],
            false => vec!["compact", &id],
        };
        let asked = server.requests().len();
        (0..9).for_each(|turn| server.hold(turn));
        let run = started(home.with(&server, &args));
        server.received_blocking(asked + 1);
        run.signal(Signal::INT);
        let ended = run.end().ends(130).says("no summary was written");
        assert!(!ended.err.contains("can be resumed"), "{}", ended.err);
        let after = home.ran(&["sessions", "tree", &id, "--json"]).ends(0).events();
        let kinds = |lines: &[serde_json::Value]| -> Vec<_> {
            lines.iter().map(|line| (text(line, "kind"), line["head"].clone())).collect()
        };
        assert_eq!(kinds(&after), kinds(&lines));
    }
}

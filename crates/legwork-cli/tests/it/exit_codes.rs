//! What people and programs are told of shell commands that fail.

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran};

const FAILING: &str = "for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 3";

fn failing() -> (Home, Server) {
    let turns = [
        Turn::call("bash", json!({"command": FAILING})),
        Turn::call("bash", json!({"command": "exit 1"})),
        Turn::call("bash", json!({"command": "echo oh; kill -9 $$"})),
        Turn::call("bash", json!({"command": "true"})),
        Turn::text("It fails."),
    ];
    (Home::new(), Server::start(turns).unwrap())
}

fn run(flags: &[&str]) -> (Home, Ran) {
    let (home, server) = failing();
    let mut args = vec!["run", "--sandbox", "off", "Try it"];
    args.extend_from_slice(flags);
    let ran = home.ran_with(&server, &args).ends(0);
    (home, ran)
}

/// The lines of calls, and what is set in below them, times left out.
fn calls(err: &str) -> Vec<String> {
    let is_call = |line: &&str| ["✓", "✗", "  "].iter().any(|start| line.starts_with(start));
    let without_time = |line: &str| match (line.find(" ("), line.find(" →")) {
        (Some(time), Some(arrow)) if time < arrow => {
            format!("{}{}", &line[..time], &line[arrow..])
        }
        _ => line.to_owned(),
    };
    err.lines().filter(is_call).map(without_time).collect()
}

#[test]
fn a_command_that_fails_has_a_cross_its_exit_code_and_its_last_lines() {
    let (_home, ran) = run(&[]);
    let wanted = [
        "✗ bash for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 3 → exit code 3",
        "  … 2 more lines",
        "  line 3",
        "  line 4",
        "  line 5",
        "  line 6",
        "  line 7",
        "✗ bash exit 1 → exit code 1",
        "✗ bash echo oh; kill -9 $$ → killed by signal 9",
        "  oh",
        "✓ bash true → [no output]",
    ];
    assert_eq!(calls(&ran.err), wanted, "{}", ran.err);
}

#[test]
fn plainly_it_says_failed_and_verbosely_more_of_what_it_printed() {
    let (_home, ran) = run(&["--plain"]);
    assert!(ran.err.contains("\nfailed bash exit 1"), "{}", ran.err);
    assert!(ran.err.contains("-> exit code 1\n"), "{}", ran.err);
    let (_home, ran) = run(&["-v"]);
    assert!(ran.err.contains("\n  line 1\n  line 2\n"), "{}", ran.err);
    assert!(!ran.err.contains("more line"), "{}", ran.err);
}

#[test]
fn programs_get_the_exit_code_of_each_command() {
    let (home, ran) = run(&["--json"]);
    let events = ran.events();
    let ended = events.iter().filter(|event| event["type"] == "tool_finished");
    let ended: Vec<_> = ended
        .map(|event| json!([event["metadata"]["exit_code"], event["metadata"]["signal"]]))
        .collect();
    let wanted = [json!([3, null]), json!([1, null]), json!([null, 9]), json!([0, null])];
    assert_eq!(ended, wanted);
    // The journal tells it too.
    let shown = home.ran(&["sessions", "show", "--json", &ran.session()]).ends(0);
    let codes = shown.events().into_iter().filter(|entry| entry["type"] == "tool_finished");
    let codes: Vec<_> = codes.map(|entry| entry["body"]["metadata"]["exit_code"].clone()).collect();
    assert_eq!(codes, [json!(3), json!(1), json!(null), json!(0)]);
}

#[test]
fn a_session_that_is_shown_tells_it_as_the_run_did() {
    let (home, ran) = run(&["--json"]);
    let shown = home.ran(&["sessions", "show", &ran.session()]).ends(0);
    let wanted = [
        "✗ bash for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 3 → exit code 3",
        "    line 1",
        "    line 2",
        "    line 3",
        "    line 4",
        "    line 5",
        "    line 6",
        "    line 7",
        "✗ bash exit 1 → exit code 1",
        "✗ bash echo oh; kill -9 $$ → killed by signal 9",
        "    oh",
        "✓ bash true → [no output]",
    ];
    assert_eq!(calls(&shown.out), wanted, "{}", shown.out);
}

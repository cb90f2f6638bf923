//! The lines of `--json`, against the schema that is published.

use std::collections::BTreeSet;
use std::fs;

use jsonschema::Validator;
use legwork_testkit::{Server, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Home, Ran, started};

const SCHEMA: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events.schema.json"));
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events.md"));

/// Types of line that no script over HTTP brings about here: other tests hold them.
const ELSEWHERE: [&str; 6] = [
    "hook_executed",
    "journal_cut",
    "stop_raised",
    "subagent_finished",
    "subagent_started",
    "tool_progress",
];

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

struct Checked {
    validator: Validator,
    kinds: BTreeSet<String>,
}

impl Checked {
    fn all(&mut self, ran: &Ran) {
        for event in ran.events() {
            let errors: Vec<_> =
                self.validator.iter_errors(&event).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{event}: {errors:?}");
            self.kinds.insert(event["type"].as_str().unwrap().to_owned());
        }
    }
}

#[test]
fn each_line_is_of_the_schema() {
    let mut checked = Checked {
        validator: jsonschema::draft202012::new(&schema()).unwrap(),
        kinds: BTreeSet::new(),
    };
    let home = Home::new();
    fs::write(home.work().join("notes.txt"), "a\n").unwrap();
    home.pipe("begun");
    let again = Turn::status(503).with_retry_after("0");
    let turns = [
        Turn::call("read", json!({"path": "notes.txt"})).with_text("I look.").after([again]),
        Turn::raw_call("bash", "no json").with_thinking("hm"),
        Turn::call("bash", json!({"command": "echo > begun; sleep 600"})),
        Turn::text("Done."),
    ];
    let server = Server::start(turns).unwrap();
    fs::write(home.work().join("AGENTS.md"), "Be brief.\n").unwrap();
    let run = ["run", "--json", "--sandbox", "off", "Work"];
    let limited = home.ran_with(&server, &[&run[..], &["--max-steps", "2"]].concat()).ends(3);
    checked.all(&limited);
    let id = limited.session();
    fs::write(home.work().join("AGENTS.md"), "Be thorough.\n").unwrap();
    server.hold(2);
    let interrupted = started(home.with(&server, &["resume", "--json", "--max-steps", "9", &id]));
    server.arrived_blocking(2);
    interrupted.signal(Signal::INT);
    checked.all(&interrupted.end().ends(130));
    server.release(2);
    let killed = started(home.with(&server, &["resume", "--json", &id]));
    fs::read_to_string(home.work().join("begun")).unwrap();
    killed.kill();
    checked.all(&home.ran_with(&server, &["resume", "--json", &id]).ends(4));
    fs::write(home.work().join("AGENTS.md"), "Be brief.\n").unwrap();
    let told = ["resume", "--json", "--on-doubt", "tell", &id];
    checked.all(&home.ran_with(&server, &told).ends(0));
    checked.all(&home.ran(&["resume", "--json", "unknown"]).ends(2));
    let refused = Server::start([Turn::status(401)]).unwrap();
    checked.all(&home.ran_with(&refused, &["run", "--json", "Work"]).ends(1));
    fs::write(home.work().join("n.json"), r#"{"type": "integer"}"#).unwrap();
    let typed = Server::start([Turn::text("one"), Turn::call("answer", json!({"value": 1}))]);
    let args = ["run", "--json", "--output-schema", "n.json", "Count"];
    checked.all(&home.ran_with(&typed.unwrap(), &args).ends(0));

    let schema = schema();
    let lines = schema["oneOf"].as_array().unwrap();
    let kinds: BTreeSet<_> = lines
        .iter()
        .map(|line| line["properties"]["type"]["const"].as_str().unwrap().to_owned())
        .collect();
    let missed: Vec<_> = kinds.difference(&checked.kinds).collect();
    assert_eq!(missed, ELSEWHERE.map(|kind| kind.to_owned()).iter().collect::<Vec<_>>());
}

#[test]
fn the_schema_is_strict_and_the_page_names_each_type() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let step = json!({"type": "step_started", "session": "s", "step": 1, "version": 1});
    assert!(validator.is_valid(&step));
    for (field, value) in [("version", json!(2)), ("type", json!("other")), ("more", json!(1))] {
        let mut wrong = step.clone();
        wrong[field] = value;
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
    let example = PAGE.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    for line in example.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&event), "{line}");
    }
    let schema = schema();
    for line in schema["oneOf"].as_array().unwrap() {
        let kind = line["properties"]["type"]["const"].as_str().unwrap();
        assert!(PAGE.contains(&format!("`{kind}`")), "{kind} is not in docs/events.md");
    }
}

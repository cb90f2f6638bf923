//! `legwork run --output-schema`: a value in place of a text.

use std::fs;
use std::path::PathBuf;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::Home;

fn schema(home: &Home) -> String {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "population": {"type": "integer"}},
        "required": ["name", "population"],
    });
    let path: PathBuf = home.work().join("city.json");
    fs::write(&path, schema.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn paris() -> Value {
    json!({"name": "Paris", "population": 2_100_000})
}

#[test]
fn s14_1_the_value_alone_goes_to_standard_output() {
    let (home, task) = (Home::new(), "The largest city of France");
    let schema = schema(&home);
    for flags in [&[][..], &["--quiet"], &["--verbose"]] {
        let turns = [
            Turn::call("answer", json!({"name": "Paris"})).with_text("Let me see."),
            Turn::text("It is Paris."),
            Turn::call("answer", paris()).with_text("Here it is."),
        ];
        let server = Server::start(turns).unwrap();
        let args = [&["run", "--output-schema", &schema, task], flags].concat();
        let ran = home.ran_with(&server, &args).ends(0);
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), paris(), "{flags:?}");
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
        if flags != ["--quiet"] {
            ran.says("answer rejected (schema): ").says("answer rejected (extraction): ");
        }
    }
}

#[test]
fn s14_1_events_for_programs_tell_what_was_rejected_and_the_output() {
    let home = Home::new();
    let schema = schema(&home);
    let turns = [Turn::text("It is Paris."), Turn::call("answer", paris())];
    let server = Server::start(turns).unwrap();
    let args = ["run", "--json", "--output-schema", &schema, "The largest city"];
    let ran = home.ran_with(&server, &args).ends(0);
    let events = ran.events();
    let of = |kind: &str| events.iter().find(|event| event["type"] == kind).unwrap().clone();
    assert_eq!(of("output_rejected")["stage"], "extraction");
    assert_eq!(of("output_accepted")["value"], paris());
    assert_eq!(ran.last()["output"], paris());
}

#[test]
fn s14_1_a_session_that_is_resumed_ends_with_the_output_that_it_was_begun_with() {
    let home = Home::new();
    let schema = schema(&home);
    let turns = [Turn::text("It is Paris."), Turn::call("answer", paris())];
    let server = Server::start(turns).unwrap();
    let args =
        ["run", "--json", "--max-steps", "1", "--output-schema", &schema, "The largest city"];
    let ran = home.ran_with(&server, &args).ends(3);
    assert!(ran.last().get("output").is_none(), "{}", ran.last());
    fs::remove_file(&schema).unwrap();
    let session = ran.session();
    let ran = home.ran_with(&server, &["resume", "--max-steps", "5", &session]).ends(0);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), paris());
    // A process that was killed after the last commit has not shown it.
    let ran = home.ran_with(&server, &["resume", &session]).ends(0);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), paris());
}

#[test]
fn s14_2_the_user_says_how_the_model_is_asked_and_resume_asks_in_the_same_way() {
    let modes = [
        ("tool", Value::Null, true),
        ("schema", json!("json_schema"), false),
        ("object", json!("json_object"), false),
        ("fenced", Value::Null, false),
        ("prompt", Value::Null, false),
    ];
    for (mode, format, by_tool) in modes {
        let home = Home::new();
        let schema = schema(&home);
        let answer = Turn::text(format!("```json\n{}\n```", paris()));
        let server = Server::start([Turn::text("It is Paris."), answer]).unwrap();
        let args = ["run", "--max-steps", "1", "--output-schema", &schema, "--output-mode", mode];
        let ran = home.ran_with(&server, &[&args[..], &["--json", "The largest city"]].concat());
        let session = ran.ends(3).session();
        let ran = home.ran_with(&server, &["resume", "--max-steps", "5", &session]).ends(0);
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), paris(), "{mode}");
        for request in server.requests() {
            let body = request.body;
            assert_eq!(body["response_format"]["type"], format, "{mode}");
            let tools = body["tools"].to_string();
            assert_eq!(tools.contains(r#""name":"answer""#), by_tool, "{mode}: {tools}");
        }
    }
    let home = Home::new();
    let server = Server::start([Turn::text("never")]).unwrap();
    home.ran_with(&server, &["run", "--output-mode", "tool", "Count"]).ends(2);
}

#[test]
fn s14_3_a_model_that_gives_no_value_is_a_failure_that_names_what_is_wrong() {
    let home = Home::new();
    let schema = schema(&home);
    let server = Server::start(vec![Turn::text("It is Paris."); 9]).unwrap();
    let args = ["run", "--output-schema", &schema, "The largest city"];
    let ran = home.ran_with(&server, &args).ends(1);
    assert_eq!(ran.out, "");
    ran.says(
        "none of 3 answers in a row was accepted as output; the last one failed at extraction",
    );
}

#[test]
fn a_file_that_is_no_schema_is_refused_before_anything_is_begun() {
    let home = Home::new();
    let place = |name: &str| home.work().join(name).to_str().unwrap().to_owned();
    let write = |name: &str, text: &str| fs::write(place(name), text).unwrap();
    write("text.json", "what");
    write("list.json", "[1]");
    write("kind.json", r#"{"type": "what"}"#);
    write("empty.json", "");
    let server = Server::start([Turn::text("never")]).unwrap();
    let cases = [
        ("missing.json", "cannot read "),
        ("", "is a directory"),
        ("text.json", "is no output schema: expected value"),
        ("list.json", "is no output schema: the JSON Schema is not valid"),
        ("kind.json", "is no output schema: the JSON Schema is not valid"),
        ("empty.json", "is no output schema: EOF"),
    ];
    for (name, says) in cases {
        let args = ["run", "--output-schema", &place(name), "The largest city"];
        let ran = home.ran_with(&server, &args).ends(2);
        ran.says(says);
    }
    assert_eq!(server.requests().len(), 0);
}

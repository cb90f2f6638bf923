//! `--traffic`: what models are sent and what they answer, in a file.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, ran};

/// The lines of a file.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn s13_11_requests_and_answers_are_in_the_file_and_the_key_is_not() {
    let home = Home::new();
    let file = home.work().join("traffic.jsonl");
    let path = file.to_str().unwrap();
    let turns = [Turn::call("list", json!({"path": "."})), Turn::text("It has one file.")];
    let server = Server::start(turns).unwrap();
    let args = ["run", "--traffic", path, "Which files are there?"];
    let mut command = home.with(&server, &args);
    command.env("OPENAI_API_KEY", "sk-secret-of-a-test");
    let ran = ran(command).ends(0);
    assert!(ran.out.contains("It has one file."), "{}", ran.out);
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("sk-secret-of-a-test"), "{text}");
    let lines = lines(&text);
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    assert_eq!([of("request").len(), of("response").len(), of("end").len()], [2, 2, 2], "{text}");
    let [first, second] = of("request")[..] else { panic!("{text}") };
    assert_eq!((&first["attempt"], &second["attempt"]), (&json!(1), &json!(2)));
    assert_eq!(first["headers"]["authorization"], "[redacted]");
    let sent: Value = serde_json::from_str(second["body"].as_str().unwrap()).unwrap();
    assert_eq!(sent, server.requests()[1].body);
    let answered: String = of("bytes").iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert!(answered.contains("It has o"), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_cannot_be_written_is_said_before_anything_is_asked() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let path = home.work().join("none/traffic.jsonl");
    let args = ["run", "--traffic", path.to_str().unwrap(), "Hello"];
    let ran = home.ran_with(&server, &args).ends(2);
    ran.says("cannot write ").says("--traffic takes a file in a folder that is there");
    assert!(server.requests().is_empty());
}

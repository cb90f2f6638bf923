//! Options of a model: behind its name, by flags, in files, and in a session that goes on.

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::Home;

fn server() -> Server {
    Server::start(["Done.", "Again.", "And again."].map(Turn::text)).unwrap()
}

/// What the last request asked for.
fn asked(server: &Server) -> [Value; 2] {
    let body = server.requests().pop().unwrap().body;
    [body["reasoning_effort"].clone(), body["temperature"].clone()]
}

#[test]
fn options_stand_behind_the_name_and_flags_go_before_them() {
    let (home, server) = (Home::new(), server());
    let model = "openai:scripted?thinking=low&temperature=0.5";
    home.ran_with(&server, &["run", "--model", model, "Work"]).ends(0);
    assert_eq!(asked(&server), [json!("low"), json!(0.5)]);
    let flags = ["--thinking", "high", "--temperature", "0.2"];
    home.ran_with(&server, &[&["run", "--model", model, "Work"][..], &flags].concat()).ends(0);
    assert_eq!(asked(&server), [json!("high"), json!(0.2)]);
    let mut by_variable = home.with(&server, &["run", "Work"]);
    by_variable.env("LEGWORK_MODEL", model);
    crate::home::ran(by_variable).ends(0);
    assert_eq!(asked(&server), [json!("low"), json!(0.5)]);
}

#[test]
fn a_session_keeps_its_options_until_others_are_given() {
    let (home, server) = (Home::new(), server());
    let first = ["run", "--json", "--thinking", "low", "--temperature", "0.5", "Work"];
    let session = home.ran_with(&server, &first).ends(0).session();
    home.ran_with(&server, &["run", "--session", &session, "more"]).ends(0);
    assert_eq!(asked(&server), [json!("low"), json!(0.5)]);
    home.ran_with(&server, &["run", "--session", &session, "--thinking", "off", "more"]).ends(0);
    assert_eq!(asked(&server), [json!("none"), json!(0.5)]);
}

#[test]
fn what_is_no_option_or_no_value_is_said_before_anything_is_asked() {
    let (home, server) = (Home::new(), server());
    let table: [(&[&str], &[&str]); 4] = [
        (
            &["--model", "openai:scripted?thinkng=high"],
            &["--model: there is no option `thinkng`", "did you mean `thinking`?"],
        ),
        (&["--thinking", "much"], &["--thinking: ", "cannot be `much`: it is off, minimal, low, "]),
        (&["--temperature", "-1"], &["--temperature: ", "it is a number of 0 or more"]),
        (&["--model", "openai:scripted?seed"], &["write it as option=value"]),
    ];
    for (flags, words) in table {
        let told = home.ran_with(&server, &[&["run"][..], flags, &["Work"]].concat()).ends(2);
        words.iter().fold(told, |told, words| told.says(words));
    }
    assert!(server.requests().is_empty());
}

#[test]
fn the_command_says_what_to_type_and_never_what_to_call() {
    let home = Home::new();
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let table: [(&str, Variables<'_>, &[&str]); 7] = [
        (
            "gpt-5-mini",
            &[],
            &["its provider is missing", "did you mean --model openai:gpt-5-mini?"],
        ),
        ("a-model", &[], &["named PROVIDER:NAME", "with --model, such as openai:gpt-5-mini"]),
        ("zzz:m", &[], &["the provider `zzz` is not known", "give --base-url"]),
        ("anthropic:claude-sonnet-4-6", &[], &["it needs a key: set ANTHROPIC_API_KEY\n"]),
        (
            "bedrock:anthropic.claude-haiku-4-5",
            &[],
            &["set AWS_REGION or AWS_DEFAULT_REGION, and AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS"],
        ),
        (
            "bedrock:anthropic.claude-haiku-4-5",
            &[("AWS_REGION", "eu-central-1"), ("AWS_ACCESS_KEY_ID", "AKID")],
            &["set AWS_SECRET_ACCESS_KEY; "],
        ),
        ("vertex:gemini-2.5-flash", &[], &["set GOOGLE_CLOUD_PROJECT, and GOOGLE_CLOUD_LOCATION"]),
    ];
    for (model, variables, words) in table {
        let mut command = home.legwork(&["run", "--model", model, "Work"]);
        command.env_remove("OPENAI_BASE_URL").envs(variables.iter().copied());
        let told = crate::home::ran(command).ends(2);
        assert!(!told.err.contains("model::"), "{}", told.err);
        words.iter().fold(told, |told, words| told.says(words));
    }
}

//! Models by name with what the environment says of them, asked over real HTTP.

use std::process::{Command, Output};

use legwork_testkit::server::Server;
use legwork_testkit::{Script, Turn};

/// The example that asks a model of a name, with these variables and no others.
fn asked(name: &str, variables: &[(&str, &str)]) -> Output {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    let mut example = Command::new(target.join("examples/own_settings"));
    example.arg(name).env_clear().envs(variables.iter().copied()).output().unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_builder_has_the_key_and_the_address_and_is_set_up_further() {
    let server =
        Server::start(Script::new([Turn::text("Paris.").after([Turn::status(503)])])).unwrap();
    let url = server.base_url();
    let variables = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "key-of-the-test")];
    let output = asked("openai:gpt-5-mini", &variables);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "Paris.\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "the one retry that the program set");
    assert_eq!(requests[1].headers["authorization"], "Bearer key-of-the-test");
}

#[test]
fn the_settings_of_the_program_count_over_those_by_default() {
    let failed = [Turn::status(503), Turn::status(503)];
    let server = Server::start(Script::new([Turn::text("Paris.").after(failed)])).unwrap();
    let url = server.base_url();
    let output = asked("openai:gpt-5-mini", &[("OPENAI_BASE_URL", url.as_str())]);
    assert!(!output.status.success(), "{}", said(&output));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_key_that_is_missing_is_named() {
    let said = said(&asked("anthropic:claude-sonnet-4-6", &[]));
    assert!(said.contains("it needs a key: set ANTHROPIC_API_KEY"), "{said}");
}

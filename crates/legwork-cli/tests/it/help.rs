//! Help and what is said to a command that was typed wrongly, word for word.

use std::process::Stdio;

use crate::home::{Home, ran};

#[test]
fn texts_are_as_they_are_written_down() {
    let cases = trycmd::TestCases::new();
    cases.default_bin_path(env!("CARGO_BIN_EXE_legwork"));
    cases.case("tests/cmd/*.trycmd");
}

#[test]
fn version_is_told() {
    let told = Home::new().ran(&["--version"]).ends(0);
    assert_eq!(told.out, format!("legwork {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn nobody_has_to_read_the_output() {
    let home = Home::new();
    let mut command = home.legwork(&["--help"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(!child.wait().unwrap().to_string().contains("101"));
    let mut command = home.legwork(&["sessions", "list"]);
    command.stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn wrong_usage_is_told_to_programs_too() {
    let home = Home::new();
    let told = home.ran(&["run", "--json", "--max-steps", "0", "x"]).ends(2);
    assert_eq!(told.last()["type"], "run_failed");
    assert!(told.last()["message"].as_str().unwrap().contains("--max-steps"), "{}", told.out);
    ran(home.legwork(&["run", "--bogus"])).ends(2).says("--bogus");
}

/// Every verb, as it is typed.
const VERBS: [&[&str]; 31] = [
    &["run"],
    &["resume"],
    &["sessions"],
    &["sessions", "list"],
    &["sessions", "show"],
    &["sessions", "diff"],
    &["sessions", "rm"],
    &["sessions", "search"],
    &["sessions", "export"],
    &["sessions", "import"],
    &["models"],
    &["models", "list"],
    &["models", "ping"],
    &["context"],
    &["doctor"],
    &["config"],
    &["config", "show"],
    &["config", "path"],
    &["config", "init"],
    &["sessions", "check"],
    &["schema"],
    &["tools"],
    &["tools", "list"],
    &["tools", "show"],
    &["tools", "call"],
    &["trust"],
    &["trust", "list"],
    &["trust", "add"],
    &["trust", "rm"],
    &["completions"],
    &["man"],
];

#[test]
fn every_help_text_has_examples_and_fits_a_terminal() {
    let home = Home::new();
    for verb in VERBS {
        let mut command = home.legwork(&[&["help"], verb].concat());
        let told = ran_with_columns(&mut command);
        assert!(told.contains("\nExamples:\n  legwork "), "{verb:?}: {told}");
        let wide = told.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{verb:?}");
    }
}

fn ran_with_columns(command: &mut std::process::Command) -> String {
    let output = command.env("COLUMNS", "80").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_word_that_is_none_gets_the_nearest() {
    let home = Home::new();
    home.ran(&["sesions"]).ends(2).says("sessions");
    home.ran(&["sessions", "serach", "x"]).ends(2).says("search");
    home.ran(&["run", "--max-step", "3", "x"]).ends(2).says("--max-steps");
}

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
    assert_eq!(told.last()["type"], "error");
    assert!(told.last()["message"].as_str().unwrap().contains("--max-steps"), "{}", told.out);
    ran(home.legwork(&["run", "--bogus"])).ends(2).says("--bogus");
}

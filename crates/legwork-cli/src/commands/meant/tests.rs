//! Which command is suggested for which words.

use clap::Parser as _;

use super::with_meant;
use crate::args::Cli;

/// What is suggested for a command line.
fn meant(line: &[&str]) -> String {
    let args: Vec<_> = line.iter().map(|word| (*word).to_owned()).collect();
    let error = Cli::try_parse_from(["legwork"].iter().chain(line)).unwrap_err();
    let text = with_meant(error, &args).render().to_string();
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: did you mean: "));
    tip.unwrap_or_default().to_owned()
}

#[test]
fn a_verb_that_is_mistyped_is_suggested_with_its_arguments() {
    assert_eq!(meant(&["rnu"]), "legwork run");
    assert_eq!(meant(&["rnu", "a task", "--quiet"]), "legwork run 'a task' --quiet");
    assert_eq!(meant(&["sesions", "list"]), "legwork sessions list");
}

#[test]
fn a_task_without_a_verb_is_one_of_run() {
    assert_eq!(meant(&["fix the bug"]), "legwork run \"fix the bug\"");
    assert_eq!(meant(&["fix", "the", "bug"]), "legwork run \"fix the bug\"");
    assert_eq!(meant(&["fix it", "--max-steps", "3"]), "legwork run \"fix it\" --max-steps 3");
    assert_eq!(meant(&["say \"$HOME\""]), "legwork run 'say \"$HOME\"'");
    // It begins as a verb does, and is none.
    assert_eq!(meant(&["run the tests"]), "legwork run \"run the tests\"");
}

#[test]
fn what_is_wrong_with_a_verb_is_no_task() {
    assert_eq!(meant(&["sessions", "lst"]), "");
    assert_eq!(meant(&["run", "--bogus"]), "");
}

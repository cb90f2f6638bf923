//! On what `cargo mutants` wrote for a small crate: 17 mutants, 3 survivors.

use super::*;

const LIST: &str = include_str!("tests/list.json");
const OUTCOMES: &str = include_str!("tests/outcomes.json");

const LARGER: &str = "src/lib.rs: replace > with >= in larger";
const PLUS_MINUS: &str = "src/lib.rs: replace + with - in next";
const PLUS_TIMES: &str = "src/lib.rs: replace + with * in next";
const CAUGHT: &str = "src/lib.rs: replace > with < in larger";
const GONE: &str = "src/lib.rs: replace > with < in smaller";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// What the command says with this list of survivors.
fn problems(package: &str, listed: &str) -> Vec<String> {
    let listed = Survivors::read(listed).unwrap();
    let (all, outcomes) = (outcomes::mutants(LIST).unwrap(), Outcomes::read(OUTCOMES).unwrap());
    Report { package, all: &all, listed: &listed, outcomes: &outcomes }.problems()
}

fn listed(mutants: &[&str]) -> String {
    format!("# a comment\n\n{}\n    Both are the same number.\n", mutants.join("\n"))
}

#[test]
fn caught_and_timed_out_are_caught_and_what_does_not_compile_says_nothing() {
    let outcomes = Outcomes::read(OUTCOMES).unwrap();
    assert_eq!((outcomes.caught.len(), outcomes.unviable), (13, 1));
    let missed: Vec<_> = outcomes.missed.iter().map(|Mutant(name)| name.as_str()).collect();
    assert_eq!(missed, [LARGER, PLUS_MINUS, PLUS_TIMES]);
    let all = outcomes::mutants(LIST).unwrap();
    assert_eq!(all.len(), 17);
    let report =
        Report { package: "tiny", all: &all, listed: &Survivors::default(), outcomes: &outcomes };
    let said =
        "tiny: 81.25 % caught: 13 of 16 viable mutants; 1 did not compile, 17 of 17 were tested";
    assert_eq!(report.to_string(), said);
}

#[test]
fn a_survivor_that_is_not_listed_is_a_problem() {
    assert_eq!(
        problems("tiny", &listed(&[PLUS_MINUS])),
        [LARGER, PLUS_TIMES]
            .map(|name| format!("survived, and is not listed: {name}"))
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    assert_eq!(problems("tiny", &listed(&[PLUS_MINUS, PLUS_TIMES, LARGER])), [""; 0]);
}

#[test]
fn a_listed_mutant_that_is_caught_or_gone_is_a_problem() {
    let all = listed(&[PLUS_MINUS, PLUS_TIMES, LARGER, CAUGHT, GONE]);
    let file = "take it out of xtask/survivors/tiny.txt";
    assert_eq!(
        problems("tiny", &all),
        [format!("caught: {file}: {CAUGHT}"), format!("there is no such mutant: {file}: {GONE}")]
    );
}

#[test]
fn a_text_that_two_places_share_is_listed_as_often_as_it_may_survive() {
    let again = OUTCOMES.replace("replace + with * in next", "replace + with - in next");
    let list = LIST.replace("replace + with * in next", "replace + with - in next");
    let (all, outcomes) = (outcomes::mutants(&list).unwrap(), Outcomes::read(&again).unwrap());
    let twice = Survivors::read(&listed(&[PLUS_MINUS, PLUS_MINUS])).unwrap();
    let once = Survivors::read(&listed(&[PLUS_MINUS])).unwrap();
    let names = |mutants: Vec<&Mutant>| -> Vec<String> {
        mutants.into_iter().map(|Mutant(name)| name.clone()).collect()
    };
    assert_eq!(names(twice.unlisted(&outcomes)), [LARGER]);
    assert_eq!(names(once.unlisted(&outcomes)), [PLUS_MINUS, LARGER]);
    assert_eq!(names(twice.unknown(&outcomes::mutants(LIST).unwrap())), [PLUS_MINUS]);
    assert_eq!(names(once.caught(&outcomes, &all)), [""; 0]);
}

#[test]
fn a_listed_mutant_is_not_called_caught_by_a_shard_that_tested_a_twin() {
    let list = LIST.replace("replace > with == in larger", "replace > with < in larger");
    let (all, outcomes) = (outcomes::mutants(&list).unwrap(), Outcomes::read(OUTCOMES).unwrap());
    let listed = Survivors::read(&listed(&[CAUGHT])).unwrap();
    assert!(listed.caught(&outcomes, &all).is_empty());
}

#[test]
fn a_crate_below_its_target_fails() {
    let all = listed(&[PLUS_MINUS, PLUS_TIMES, LARGER]);
    assert_eq!(problems("legwork-agent", &all), ["legwork-agent: fewer than 92 % caught"]);
}

#[test]
fn a_survivor_without_a_reason_is_refused() {
    let without = format!("{LARGER}\n\n{PLUS_MINUS}\n    Zero is added.\n");
    let error = Survivors::read(&without).unwrap_err();
    assert_eq!(error, format!("no reason below `{LARGER}`"));
    let at_the_end = format!("{LARGER}\n    The same.\n{PLUS_MINUS}\n");
    assert!(Survivors::read(&at_the_end).unwrap_err().contains(PLUS_MINUS));
}

#[test]
fn a_run_that_did_not_end_or_whose_baseline_fails_is_no_result() {
    let (head, _) = OUTCOMES.rsplit_once("\"end_time\": \"").unwrap();
    let (_, tail) = OUTCOMES.rsplit_once("\"cargo_mutants_version\"").unwrap();
    let cut = format!("{head}\"end_time\": null, \"cargo_mutants_version\"{tail}");
    assert_eq!(Outcomes::read(&cut).unwrap_err(), "the run did not end");
    let failed = OUTCOMES.replacen("\"summary\": \"Success\"", "\"summary\": \"Failure\"", 1);
    assert_eq!(Outcomes::read(&failed).unwrap_err(), "without any change the tests end in Failure");
}

#[test]
fn arguments_choose_mutants() {
    let plan = Plan::read(&words("legwork-core --shard 1/4 --file **/run.rs --jobs 1")).unwrap();
    let flags = "--package legwork-core --file **/run.rs --sharding round-robin --shard 1/4";
    assert_eq!(plan.choice("legwork-core"), words(flags));
    assert_eq!(plan.jobs.as_deref(), Some("1"));
    assert_eq!(
        Plan::read(&[]).unwrap().crates,
        [
            "legwork-core",
            "legwork-toolset",
            "legwork-lifecycle",
            "legwork-session",
            "legwork-runtime",
            "legwork-agent",
            "legwork-orchestrate",
            "legwork-output",
            "legwork-store"
        ]
    );
    assert_eq!(Plan::read(&words("--fast")).unwrap_err(), format!("{USAGE}, not `--fast`"));
    assert_eq!(
        Plan::read(&words("--shard")).unwrap_err(),
        format!("--shard takes a value; {USAGE}")
    );
}

#[test]
fn each_list_of_survivors_can_be_read_and_is_of_a_crate_with_a_target() {
    let folder = cargo::root().join(FOLDER);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(TARGETS.iter().any(|(package, _)| *package == name), "{name} has no target");
        Survivors::read(&text(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

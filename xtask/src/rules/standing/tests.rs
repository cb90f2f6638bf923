use super::*;
use crate::rules::rules_of;

fn problems(finished: &[&str], unfinished: &[(&str, &'static str)]) -> Vec<String> {
    let rules = rules_of("- S1.1 a\n- S1.2 b\n- S2.1 c\n").unwrap();
    let tests = Tests::from([(Rule::named("S1.1").unwrap(), vec!["s1_1_a".to_owned()])]);
    let broken = BTreeSet::from([Rule::named("S1.1").unwrap()]);
    Standings::of(finished, unfinished).problems(&rules, &tests, &broken)
}

#[test]
fn each_rule_is_finished_or_says_what_is_missing() {
    let none: &[String] = &[];
    assert_eq!(problems(&["S1.1"], &[("S1.2", "forks"), ("S2.1", "timers")]), none);
    assert_eq!(
        problems(&["S1.1"], &[("S1.2", ""), ("S2.1", "timers")]),
        ["S1.2 is unfinished, but the list does not say why"]
    );
    let unlisted = problems(&["S1.1"], &[("S1.2", "forks")]);
    assert_eq!(unlisted.len(), 1, "{unlisted:?}");
    assert!(unlisted[0].starts_with("S2.1 is in no list"), "{unlisted:?}");
}

#[test]
fn a_finished_rule_needs_a_test_and_one_that_is_not_does_not() {
    let untested = problems(&["S1.1", "S1.2"], &[("S2.1", "timers")]);
    assert_eq!(untested, ["S1.2 is finished but has no test: name one `s1_2_...`"]);
}

#[test]
fn a_finished_rule_needs_a_mutation() {
    let rules = rules_of("- S1.1 a\n- S1.2 b\n").unwrap();
    let tested = |name: &str| (Rule::named(name).unwrap(), vec!["a test".to_owned()]);
    let tests = Tests::from([tested("S1.1"), tested("S1.2")]);
    let all = Standings::of(&["S1.1", "S1.2"], &[]);
    let broken = BTreeSet::from([Rule::named("S1.1").unwrap()]);
    let unbroken = all.problems(&rules, &tests, &broken);
    assert_eq!(unbroken.len(), 1, "{unbroken:?}");
    assert!(unbroken[0].starts_with("S1.2 is finished but no file of xtask/broken breaks it"));
    assert_eq!(all.problems(&rules, &tests, &rules), Vec::<String>::new());
}

#[test]
fn a_rule_is_listed_by_itself_and_once() {
    let rest = [("S1.2", "forks"), ("S2.1", "timers")];
    let section = problems(&["S1", "S1.1"], &rest);
    assert_eq!(section, ["`S1` is not a rule; list each rule like S3.1"]);
    assert_eq!(problems(&["S1.1", "S1.1"], &rest), ["S1.1 is listed twice"]);
    assert_eq!(problems(&["S1.1", "S2.1"], &rest)[0], "S2.1 is listed twice");
    let unknown = problems(&["S1.1", "S7.9"], &rest);
    assert_eq!(unknown, [format!("S7.9 is listed, but {PAGE} has no such rule")]);
}

#[test]
fn every_rule_of_the_page_has_a_standing() {
    let rules = crate::rules::page().unwrap();
    let standings = Standings::kept();
    let unlisted = rules.iter().filter(|rule| standings.get(**rule).is_none());
    assert_eq!(unlisted.count(), 0);
    assert_eq!(standings.wrong, Vec::<String>::new());
    assert_eq!(standings.by_rule.len(), rules.len());
}

use std::collections::BTreeSet;

use super::*;

fn mutation(section: u32, name: &str) -> Mutation {
    let text = format!(
        r#"
        rule = "S{section}.1"
        what = "it is broken"
        package = "a"
        edit = [{{ file = "a.rs", find = "a", replace = "b" }}]
        "#
    );
    Mutation::parse(&format!("s{section}_1_{name}"), &text).unwrap()
}

fn drawn(seed: &str) -> Vec<Mutation> {
    let all = (1..=10).flat_map(|section| ["a", "b", "c"].map(|name| mutation(section, name)));
    of(all.collect(), seed)
}

#[test]
fn a_sample_has_one_of_each_of_some_sections_and_is_the_same_for_a_seed() {
    let sample = drawn("one");
    let sections: BTreeSet<_> = sample.iter().map(|mutation| mutation.rule.section).collect();
    assert_eq!((sample.len(), sections.len()), (SECTIONS, SECTIONS));
    assert_eq!(sample, drawn("one"));
    assert_eq!(of(Vec::new(), "x"), []);
}

#[test]
fn with_time_each_mutation_is_drawn() {
    let names = |seed: u32| drawn(&seed.to_string()).into_iter().map(|mutation| mutation.name);
    let seen: BTreeSet<_> = (0..200).flat_map(names).collect();
    assert_eq!(seen.len(), 30);
}

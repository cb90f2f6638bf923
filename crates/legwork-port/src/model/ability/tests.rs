use std::collections::BTreeSet;

use super::{Abilities, Ability, Support, UnknownAbility};

#[test]
fn each_ability_has_a_name_that_is_read_back() {
    let names: BTreeSet<_> = Ability::ALL.map(Ability::name).into_iter().collect();
    assert_eq!(names.len(), Ability::ALL.len());
    for ability in Ability::ALL {
        assert_eq!(ability.name().parse(), Ok(ability));
        assert!(!ability.title().is_empty());
    }
    let error = "tool".parse::<Ability>().map_err(|UnknownAbility(name)| name);
    assert_eq!(error, Err("tool".to_owned()));
    assert!(UnknownAbility("tool".into()).to_string().contains("tools, parallel_calls, "));
}

#[test]
fn an_ability_that_nobody_named_is_neither_there_nor_missing() {
    let some = Abilities::UNKNOWN.with(Ability::Tools).without(Ability::Audio);
    assert_eq!(some.of(Ability::Tools), Support::Yes);
    assert_eq!(some.of(Ability::Audio), Support::No);
    assert_eq!(some.of(Ability::Images), Support::Unknown);
    assert_eq!(some.without(Ability::Tools).of(Ability::Tools), Support::No);
    assert_eq!(some.with(Ability::Audio).of(Ability::Audio), Support::Yes);
    let listed: Vec<_> = some.that_are(Support::Yes).collect();
    assert_eq!(listed, [Ability::Tools]);
    assert_eq!(some.that_are(Support::Unknown).count(), Ability::ALL.len() - 2);
}

#[test]
fn what_is_said_first_counts_and_what_two_models_share_is_what_both_have() {
    let one = Abilities::UNKNOWN.with(Ability::Tools).without(Ability::Audio);
    let two = Abilities::UNKNOWN.without(Ability::Tools).with(Ability::Audio).with(Ability::Files);
    let first = one.or(two);
    assert_eq!(first.of(Ability::Tools), Support::Yes);
    assert_eq!(first.of(Ability::Audio), Support::No);
    assert_eq!(first.of(Ability::Files), Support::Yes);
    let both = one.shared(two);
    assert_eq!(both.of(Ability::Tools), Support::No);
    assert_eq!(both.of(Ability::Files), Support::Unknown);
    assert_eq!(one.shared(one), one);
}

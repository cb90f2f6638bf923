use super::*;

fn package(features: serde_json::Value) -> Package {
    let package = serde_json::json!({"name": "a", "dependencies": [], "features": features});
    serde_json::from_value(package).unwrap()
}

#[test]
fn each_feature_is_checked_alone_and_none_and_the_default_ones() {
    let with_default = package(serde_json::json!({"b": [], "default": ["b"], "c": ["b"]}));
    let (none, all) = ("--no-default-features", "--all-targets");
    assert_eq!(
        sets(&with_default, Which::All, ""),
        [vec![none], vec![none, "--features", "b"], vec![none, "--features", "c"], vec![all]]
    );
    let few = package(serde_json::json!({"b": []}));
    let [first, second, _] = &*sets(&few, Which::Some, "") else { panic!("they are few") };
    assert_eq!((first, second), (&vec![none], &vec![none, "--features", "b"]));
    assert_eq!(sets(&package(serde_json::json!({})), Which::All, ""), [vec![all]]);
}

#[test]
fn of_many_features_a_third_is_drawn_another_one_with_another_seed() {
    let features = ('a'..='i').map(|name| (name.to_string(), serde_json::json!([])));
    let package = package(features.collect::<serde_json::Map<_, _>>().into());
    let drawn = |seed: &str| sets(&package, Which::Some, seed);
    assert_eq!(sets(&package, Which::All, "x").len(), 11);
    assert_eq!(drawn("x").len(), 5);
    assert_eq!(drawn("x"), drawn("x"));
    let seeds = ('a'..='z').map(|seed| drawn(&seed.to_string()));
    let seen: BTreeSet<_> = seeds.flatten().filter_map(|set| set.get(2).copied()).collect();
    assert_eq!(seen.len(), 9, "each is drawn at some commit");
}

#[test]
fn the_tests_of_a_third_of_the_crates_are_drawn() {
    let crates = ('a'..='z').map(|name| {
        let package = serde_json::json!({"name": name, "dependencies": [], "features": {}});
        serde_json::from_value::<Package>(package).unwrap()
    });
    let crates: Vec<_> = crates.collect();
    let with_tests = |package: &Package, seed: &str| {
        let [set] = &*sets(package, Which::Some, seed) else { panic!("it has no features") };
        *set == ["--all-targets"]
    };
    let drawn = crates.iter().filter(|package| with_tests(package, "x")).count();
    assert!((4..=14).contains(&drawn), "{drawn} of 26");
    for package in &crates {
        assert!(('a'..='z').any(|seed| with_tests(package, &seed.to_string())));
    }
}

#[test]
fn what_warns_or_fails_does_not_build() {
    let shell = |script: &str| builds(Command::new("sh").args(["-c", script])).unwrap();
    assert!(shell("true"));
    assert!(!shell("echo 'warning: function `a` is never used' >&2"));
    assert!(!shell("exit 101"));
}

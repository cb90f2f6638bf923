use super::*;

fn wanted(args: &[&str]) -> Result<Wanted, String> {
    Wanted::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
}

#[test]
fn names_choose_and_other_flags_are_refused() {
    assert_eq!(wanted(&[]).unwrap(), Wanted::default());
    let some = wanted(&["s3_1", "--list", "ledger"]).unwrap();
    assert!(some.list && !some.sample);
    assert!(wanted(&["--sample"]).unwrap().sample);
    assert_eq!(some.names, ["s3_1", "ledger"]);
    assert!(wanted(&["--lst"]).unwrap_err().contains("--lst"));
}

#[test]
fn a_name_is_a_part_of_the_file_s_name_or_the_rule() {
    let text = r#"
        rule = "S1.10"
        what = "it is broken"
        package = "a"
        edit = [{ file = "a.rs", find = "a", replace = "b" }]
    "#;
    let mutation = Mutation::parse("s1_10_an_accessor_lies", text).unwrap();
    for name in ["S1.10", "s1_10", "accessor"] {
        assert!(wanted(&[name]).unwrap().has(&mutation), "{name}");
    }
    assert!(wanted(&["zzz", "accessor"]).unwrap().has(&mutation));
    assert!(!wanted(&["zzz"]).unwrap().has(&mutation));
    assert!(!wanted(&["S1.1"]).unwrap().has(&mutation), "another rule");
}

#[test]
fn the_files_of_this_project_are_named_after_rules_that_there_are() {
    let all = mutation::all(&cargo::root().join(FOLDER), &super::super::page().unwrap()).unwrap();
    assert!(!all.is_empty());
    for mutation in &all {
        let Rule { section, number } = mutation.rule;
        let front = format!("s{section}_{number}_");
        assert!(mutation.name.starts_with(&front), "{} is {}", mutation.name, mutation.rule);
    }
}

#[test]
fn a_verdict_is_one_line_that_names_the_first_tests() {
    let caught = |count: usize| Verdict::Caught((0..count).map(|n| format!("t{n}")).collect());
    assert_eq!(words(&caught(1)), "caught by t0");
    assert_eq!(words(&caught(2)), "caught by t0, t1");
    assert_eq!(words(&caught(5)), "caught by t0, t1 and 3 more");
    assert_eq!(words(&Verdict::Survived), "SURVIVED");
    assert_eq!(words(&Verdict::Mistake("it is odd".to_owned())), "WRONG: it is odd");
}

#[test]
fn only_the_binaries_that_hold_the_tests_of_a_rule_are_built() {
    let tests = |paths: &[&str]| -> Vec<String> {
        paths.iter().map(|path| format!("crates/{path}::s1_1_a")).collect()
    };
    let it = Some(BTreeSet::from(["it".to_owned()]));
    assert_eq!(binaries("a", &tests(&["a/tests/it/x.rs", "a/tests/it/y.rs"])), it);
    assert_eq!(binaries("a", &tests(&["a/tests/it/x.rs", "b/src/tests.rs"])), it);
    // A test among the sources, or none that is known: all are built.
    assert_eq!(binaries("a", &tests(&["a/tests/it/x.rs", "a/src/tests.rs"])), None);
    assert_eq!(binaries("a", &tests(&["ab/tests/it/x.rs"])), None);
}

#[test]
fn what_does_not_apply_is_told_with_its_file() {
    let text = r#"
        rule = "S1.10"
        what = "it is broken"
        package = "a"
        edit = [{ file = "Cargo.toml", find = "no such text is there", replace = "b" }]
    "#;
    let (rules, wrong) = applied(&[Mutation::parse("s1_10_x", text).unwrap()]);
    assert_eq!(rules, BTreeSet::from([Rule::named("S1.10").unwrap()]));
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("xtask/broken/s1_10_x.toml no longer applies"), "{wrong:?}");
}

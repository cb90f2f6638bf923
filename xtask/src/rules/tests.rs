use super::*;

fn source(text: &str) -> Source {
    Source { path: "crates/a/tests/it/b.rs".to_owned(), text: text.to_owned() }
}

fn found(text: &str) -> Vec<String> {
    tests_of(&[source(text)])
        .into_iter()
        .map(|(rule, names)| format!("{rule} {}", names.join(" ")))
        .collect()
}

#[test]
fn a_test_names_its_rules_at_the_front() {
    let text = "
        #[test]
        fn s6_5_sequential_tool_is_a_barrier() {}

        #[tokio::test(flavor = \"current_thread\")]
        /// Why it matters.
        #[cfg(unix)]
        async fn s8_2_s8_3_the_claim_guards() {}
    ";
    assert_eq!(
        found(text),
        [
            "S6.5 crates/a/tests/it/b.rs::s6_5_sequential_tool_is_a_barrier",
            "S8.2 crates/a/tests/it/b.rs::s8_2_s8_3_the_claim_guards",
            "S8.3 crates/a/tests/it/b.rs::s8_2_s8_3_the_claim_guards",
        ]
    );
}

#[test]
fn what_is_no_test_names_no_rule() {
    let text = "
        #[test]
        fn plain() {}
        fn s1_1_helper() {}
        #[derive(Debug)]
        struct S;
        // fn s1_2_in_a_comment() {}
        let call = s1_3_called();
        #[test]
        fn s12() {}
    ";
    assert_eq!(found(text), Vec::<String>::new());
}

#[test]
fn samples_in_the_tests_of_xtask_are_no_tests_of_rules() {
    let text = "#[test]\nfn s6_5_sequential_tool_is_a_barrier() {}\n".to_owned();
    let source = Source { path: "xtask/src/rules/tests.rs".to_owned(), text };
    assert!(tests_of(&[source]).is_empty());
}

#[test]
fn rules_are_read_off_the_page_once_each() {
    let page = "# Head\n- S1.1 One.\n- S1.10 Ten.\n- Some other item\nS1.2 in text\n";
    let rules = rules_of(page).unwrap();
    let names: Vec<_> = rules.iter().map(Rule::to_string).collect();
    assert_eq!(names, ["S1.1", "S1.10"]);

    let twice = rules_of("- S1.1 One.\n- S1.1 Again.\n").unwrap_err();
    assert!(twice.contains("S1.1 stands twice"), "{twice}");
    assert!(rules_of("nothing").is_err());
}

#[test]
fn a_test_names_a_rule_of_the_page() {
    let rules = rules_of("- S1.1 a\n").unwrap();
    let tests = tests_of(&[source("#[test]\nfn s1_1_a() {}\n#[test]\nfn s9_9_z() {}\n")]);
    let wrong = unknown(&rules, &tests);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("S9.9 is named by"), "{wrong:?}");
}

#[test]
fn a_rule_is_told_with_how_far_it_is_built() {
    let rule = Rule::named("S6.5").unwrap();
    let tests = ["a::s6_5_x".to_owned()];
    let lacks = Some(Standing::Unfinished("forks"));
    assert_eq!(head(rule, Some(Standing::Finished), &tests), "S6.5  finished");
    assert_eq!(head(rule, Some(Standing::Finished), &[]), "S6.5  finished, TEST MISSING");
    assert_eq!(head(rule, lacks, &tests), "S6.5  not whole; missing: forks");
    assert_eq!(head(rule, lacks, &[]), "S6.5  no test yet; missing: forks");
    assert_eq!(head(rule, None, &tests), "S6.5  NOT LISTED");
}

#[test]
fn the_last_line_counts_what_is_finished_tested_and_neither() {
    let rules = rules_of("- S8.1 a\n- S8.2 b\n- S9.5 c\n").unwrap();
    let tests = tests_of(&[source("#[test]\nfn s8_1_s8_2_a() {}\n")]);
    let standings = Standings::of(&["S8.2"], &[("S8.1", "forks"), ("S9.5", "compaction")]);
    assert_eq!(
        summary(&rules, &tests, &standings),
        "rules: 1 of 3 are finished, 1 have tests but are not whole, 1 have no test"
    );
}

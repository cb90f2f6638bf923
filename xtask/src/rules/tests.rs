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
fn a_finished_rule_needs_a_test_and_a_named_rule_a_page() {
    let rules = rules_of("- S1.1 a\n- S1.2 b\n- S2.1 c\n- S2.2 d\n").unwrap();
    let tests = tests_of(&[source("#[test]\nfn s1_1_a() {}\n#[test]\nfn s9_9_z() {}\n")]);
    let wrong = problems(&rules, &tests, &["S1", "S2.2", "S7"]);
    assert_eq!(wrong.len(), 4, "{wrong:?}");
    assert!(wrong[0].starts_with("S9.9 is named by"), "{wrong:?}");
    assert!(wrong[1].starts_with("S1.2 has no test"), "{wrong:?}");
    assert!(wrong[2].starts_with("S2.2 has no test"), "{wrong:?}");
    assert!(wrong[3].starts_with("`S7` in"), "{wrong:?}");
}

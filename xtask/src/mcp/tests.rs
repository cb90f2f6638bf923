use super::results::{Check, is_of, problems};
use super::suite::{Side, listed};

fn problems_of(text: &str) -> Vec<String> {
    problems(&serde_json::from_str::<Vec<Check>>(text).unwrap())
}

#[test]
fn a_scenario_passes_when_something_was_checked_and_nothing_is_wrong() {
    let passed =
        r#"[{"id": "a", "status": "SUCCESS", "name": "b"}, {"id": "c", "status": "SKIPPED"}]"#;
    assert!(problems_of(passed).is_empty());
    for nothing in ["[]", r#"[{"id": "a", "status": "INFO"}]"#] {
        assert_eq!(problems_of(nothing), ["nothing was checked"]);
    }
    let wrong = r#"[{"id": "a", "status": "SUCCESS"}, {"id": "b", "status": "FAILURE",
        "errorMessage": "no header"}, {"id": "c", "status": "WARNING"}]"#;
    assert_eq!(problems_of(wrong), ["FAILURE b: no header", "WARNING c: "]);
}

#[test]
fn the_requirements_of_a_side_end_at_the_next_heading() {
    let text = "# server:\n\nserver:\n  - ping\n  # a remark\n  - tools-list\n\nclient:\n  - auth/a\n\
                not_scored:\n  - scenario: auth/b\n    leg: client\n";
    assert_eq!(listed(text, Side::Server), ["ping", "tools-list"]);
    assert_eq!(listed(text, Side::Client), ["auth/a"]);
    assert!(listed("clients:\n  - a\n", Side::Client).is_empty());
}

#[test]
fn a_folder_of_results_is_that_of_the_scenario_before_the_time() {
    let folder = "server-json-schema-2020-12-2026-11-28T13-51-21-891Z";
    assert!(is_of(folder, "json-schema-2020-12"));
    assert!(!is_of(folder, "json-schema"));
    assert!(!is_of(folder, "json-schema-2020"));
    assert!(!is_of("json-schema-2020-12-2026-11-28T13-51-21-891Z", "json-schema-2020-12"));
    assert!(!is_of("server-ping", "ping"));
}

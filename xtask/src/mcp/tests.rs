use super::*;

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

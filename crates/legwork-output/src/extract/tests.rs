use serde_json::{Value, json};

use super::{Bracketed, Direct, Extractors, Fenced, Partial, Repaired};

fn check(text: &str, by: &str, wanted: &Value) {
    let found = Extractors::default().extract(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((found.by, &found.value), (by, wanted), "{text}");
}

#[test]
fn each_extractor_takes_what_the_one_before_cannot() {
    let one = json!({"a": 1});
    check(" {\"a\": 1}\n", Direct::NAME, &one);
    check("42", Direct::NAME, &json!(42));
    check("So:\n```json\n{\"a\": 1}\n```\nDone.", Fenced::NAME, &one);
    check("So:\n~~~\n{\"a\": 1}\n~~~", Fenced::NAME, &one);
    check("It is {\"a\": 1}, I think.", Bracketed::NAME, &one);
    check("[1] says {\"a\": [2]}", Bracketed::NAME, &json!([1]));
    check("It is {'a': 1,}.", Repaired::NAME, &one);
    check("```json\n{a: 1 // one\n}\n```", Repaired::NAME, &one);
    check("It is {\"a\": 1, \"b\": [2", Partial::NAME, &json!({"a": 1, "b": []}));
    check("```json\n{\"a\": 1, \"b\"", Partial::NAME, &one);
}

#[test]
fn of_fenced_blocks_the_last_marked_one_counts() {
    let text = "```json\n1\n```\n```json\n{\"a\": 1}\n```\n```\n3\n```\n```rust\nfn main() {}\n```";
    check(text, Fenced::NAME, &json!({"a": 1}));
    check("```\n3\n```\n```rust\nfn main() {}\n```", Fenced::NAME, &json!(3));
    check("````json\n{\"a\": \"\\n```\\n\"}\n````", Fenced::NAME, &json!({"a": "\n```\n"}));
}

#[test]
fn prose_in_brackets_is_passed_over() {
    check("As said [see (a) or {b}] it is {\"a\": \"}\"}", Bracketed::NAME, &json!({"a": "}"}));
    check("{not json} [1, 2]", Bracketed::NAME, &json!([1, 2]));
    check("{[} {\"a\": 1}", Bracketed::NAME, &json!({"a": 1}));
}

#[test]
fn the_error_of_each_is_kept() {
    let error = Extractors::default().extract("I do not know").unwrap_err();
    let by: Vec<_> = error.attempts.iter().map(|attempt| attempt.by).collect();
    assert_eq!(by, ["direct", "fenced", "bracketed", "repaired", "partial"]);
    assert!(error.to_string().contains("fenced: there is no fenced block; bracketed: "), "{error}");
    let found = Extractors::default().extract("It is {'a': 1}").unwrap();
    assert_eq!(found.attempts.len(), 3);
}

#[test]
fn the_order_is_chosen() {
    let only = Extractors::none().then(Direct).then(Repaired);
    assert_eq!(only.extract("{'a': [1}").unwrap_err().attempts.len(), 2);
    assert_eq!(format!("{only:?}"), r#"["direct", "repaired"]"#);
    assert_eq!(Extractors::none().extract("1").unwrap_err().attempts, []);
}

#[test]
fn what_is_cut_is_never_repaired() {
    let repaired = Extractors::none().then(Repaired);
    for cut in ["{\"a\": [1, 2", "[\"a", "{\"a\": \"b"] {
        assert!(repaired.extract(cut).is_err(), "{cut}");
    }
}

#[test]
fn many_brackets_cost_little() {
    for text in
        ["[".repeat(200_000), "{".repeat(200_000), "[]".repeat(100_000), "[x]".repeat(70_000)]
    {
        let began = std::time::Instant::now();
        let _ = Extractors::default().extract(&text);
        assert!(began.elapsed().as_secs() < 5);
    }
    let nested = format!("{}x{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(Extractors::default().extract(&nested).is_err());
}

use serde_json::{Value, json};

use super::checked;

fn check(schema: &Value) -> Result<Value, String> {
    checked(schema.as_object().unwrap())
}

#[test]
fn s18_3_what_is_whole_is_taken_with_its_type() {
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}});
    assert_eq!(check(&schema).unwrap()["type"], "object");
}

#[test]
fn s18_3_nothing_is_fetched_for_a_schema() {
    for to in ["http://127.0.0.1:1/x.json", "other.json", "file:///etc/passwd", "//host/x"] {
        for schema in [json!({"$ref": to}), json!({"properties": {"a": {"items": [{"$ref": to}]}}})]
        {
            let why = check(&schema).unwrap_err();
            assert!(why.contains("which is not fetched") && why.contains(to), "{why}");
        }
    }
}

#[test]
fn s18_3_a_schema_has_bounds() {
    let deep = (0..100).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
    assert!(check(&deep).unwrap_err().contains("nested"));
    let wide: Vec<_> = (0..6_000).map(|_| 1).collect();
    assert!(check(&json!({"enum": wide})).unwrap_err().contains("too large"));
    let long = json!({"description": "x".repeat(70_000)});
    assert!(check(&long).unwrap_err().contains("64 KiB"));
    assert!(check(&json!({"type": "string"})).unwrap_err().contains("not an object"));
    assert!(check(&json!({"type": "object", "minProperties": "x"})).is_err());
}

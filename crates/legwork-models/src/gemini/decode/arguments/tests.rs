use serde_json::{Value as Json, json};

use super::{Arguments, Problem, Value};

const NESTING: usize = 8;

fn value(value: &Json) -> Value<'_> {
    match value {
        Json::String(text) => Value::Text(text.into()),
        other => Value::Scalar(other.to_string().into()),
    }
}

/// The text that values come to; each of them only adds to it.
fn written(values: &[(&str, Json)]) -> Result<String, Problem> {
    let (mut arguments, mut text) = (Arguments::default(), String::new());
    for (path, said) in values {
        arguments.put(path, &value(said), NESTING, &mut text)?;
    }
    arguments.finish(&mut text);
    Ok(text)
}

#[test]
fn values_become_the_text_of_an_object() {
    let tests = [
        (vec![], "{}"),
        (vec![("$.a", json!(1))], r#"{"a":1}"#),
        (vec![("$.a", json!("")), ("$.b", json!(null))], r#"{"a":"","b":null}"#),
        (
            vec![("$.a.b", json!(true)), ("$.a.c", json!(2)), ("$.d", json!("x"))],
            r#"{"a":{"b":true,"c":2},"d":"x"}"#,
        ),
        (
            vec![
                ("$.a[0].b", json!(1)),
                ("$.a[0].c", json!(2)),
                ("$.a[1].b", json!(3)),
                ("$.z[0][0]", json!(4)),
            ],
            r#"{"a":[{"b":1,"c":2},{"b":3}],"z":[[4]]}"#,
        ),
        (
            vec![("$['a b']", json!("1")), ("$[\"a b\"]", json!("2")), ("$['é\\n']", json!(3))],
            r#"{"a b":"12","é\n":3}"#,
        ),
        (
            vec![
                ("$.s", json!("a\"")),
                ("$.s", json!("\n")),
                ("$.s", json!("")),
                ("$.s", json!("\u{1}é")),
            ],
            r#"{"s":"a\"\n\u0001é"}"#,
        ),
    ];
    for (values, text) in tests {
        assert_eq!(written(&values).as_deref(), Ok(text), "{values:?}");
        let _: Json = serde_json::from_str(text).unwrap();
    }
}

#[test]
fn what_is_out_of_place_is_an_error() {
    let tests: [&[(&str, Json)]; 17] = [
        &[("$", json!(1))],
        &[("$[0]", json!(1))],
        &[("$.a[1]", json!(1))],
        &[("$.a[4294967296]", json!(1))],
        &[("$.a[18446744073709551615]", json!(1))],
        &[("$.a[0]", json!(1)), ("$.a[2]", json!(1))],
        &[("$.a[0]", json!(1)), ("$.a[1]", json!(1)), ("$.a[0]", json!(1))],
        &[("$.a", json!(1)), ("$.a", json!(1))],
        &[("$.a", json!(1)), ("$.a", json!("1"))],
        &[("$.a", json!("1")), ("$.a", json!(1))],
        &[("$.a", json!("1")), ("$.a.b", json!("1"))],
        &[("$.a.b", json!("1")), ("$.a", json!("1"))],
        &[("$.a.b", json!("1")), ("$.a[0]", json!("1"))],
        &[("$.a[0]", json!("1")), ("$.a.b", json!("1"))],
        &[("$.a", json!("1")), ("$.b", json!("1")), ("$.a", json!("2"))],
        &[("$.a.b", json!(1)), ("$.c", json!(1)), ("$.a.d", json!(2))],
        &[("$.a", json!("1")), ("$", json!("2"))],
    ];
    for values in tests {
        assert_eq!(written(values), Err(Problem::Place), "{values:?}");
    }
    assert_eq!(written(&[("$.a..b", json!(1))]), Err(Problem::Path));
}

#[test]
fn a_path_may_be_as_deep_as_values_are_nested() {
    let deep = |levels| format!("${}", ".a".repeat(levels));
    let text = written(&[(&deep(NESTING), json!(1))]).unwrap();
    assert_eq!(text.matches('{').count(), NESTING);
    let _: Json = serde_json::from_str(&text).unwrap();
    // Nothing more of the path is read.
    for path in [deep(NESTING + 1), deep(1_000_000), deep(NESTING + 1) + "..*"] {
        assert_eq!(written(&[(&path, json!(1))]), Err(Problem::Nesting));
    }
}

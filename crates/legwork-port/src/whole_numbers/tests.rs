use serde::Deserialize;
use serde_json::{Value, json};

use super::read;

#[derive(Debug, PartialEq, Deserialize)]
struct Arguments {
    count: u64,
    share: f64,
    lines: Vec<i64>,
    any: Value,
}

#[test]
fn s6_1_a_whole_number_may_have_a_fraction_of_zero() {
    let given = json!({"count": 3.0, "share": 2.0, "lines": [1, -2.0], "any": "x"});
    let expected = Arguments { count: 3, share: 2.0, lines: vec![1, -2], any: "x".into() };
    assert_eq!(read::<Arguments>(&given).unwrap(), expected);
    for wrong in [json!(2.5), json!(-1.0), json!(1e300), json!("3")] {
        let given = json!({"count": wrong, "share": 2.0, "lines": [], "any": null});
        assert!(read::<Arguments>(&given).is_err(), "{given}");
    }
}

#[test]
fn what_fits_is_read_as_it_is() {
    assert_eq!(read::<Value>(&json!({"a": 3.0})).unwrap(), json!({"a": 3.0}));
}
